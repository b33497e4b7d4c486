// What the files of this target know of one another.
#ifndef PAGECACHEPARTS_H
#define PAGECACHEPARTS_H

#include <stdbool.h>
#include <sys/types.h>

/// Whether this thread is between page_cache_only_begin and page_cache_only_end.
bool page_cache_is_only(void);

/// Puts LeafBuffers.c between SQLite and its default page cache. Before SQLite is initialized.
void leaf_buffers_install(void);

/// To be called before a read: false with errno where what is kept of the file (CommitWrites.c) cannot be written.
bool commit_precede_read(int file);

/// pwrite(2) as SQLite calls it (CommitWrites.c).
ssize_t commit_write(int file, const void *bytes, size_t count, off_t offset);

#endif
