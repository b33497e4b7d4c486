// What the files of this target know of one another.
#ifndef PAGECACHEPARTS_H
#define PAGECACHEPARTS_H

#include <stdbool.h>

/// Whether this thread is between page_cache_only_begin and page_cache_only_end.
bool page_cache_is_only(void);

/// Puts LeafBuffers.c between SQLite and its default page cache. Before SQLite is initialized.
void leaf_buffers_install(void);

#endif
