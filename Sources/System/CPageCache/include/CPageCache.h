// How SQLite reads and writes its files here. Lets a thread have it read only what the kernel holds in memory, so that an event loop can
// look something up without reading from a disk; and write a commit with one call.
#ifndef CPAGECACHE_H
#define CPAGECACHE_H

#include <stdbool.h>

/// Puts the reading and writing below into SQLite's VFS (sqlite3_vfs.xSetSystemCall, https://www.sqlite.org/c3ref/vfs.html), an opening of
/// files that keeps no access times, and LeafBuffers.c. Once, before SQLite is initialized.
void page_cache_install(void);

/// From here on a read that SQLite makes on this thread fails, with SQLITE_IOERR_READ, where its bytes are not in the page cache
/// (RWF_NOWAIT of preadv2(2)); and of what it reads, no leaf stays in a cache of its own that is full (LeafBuffers.c). False, and
/// nothing changes, where a file system has shown that it cannot tell, or SQLite is built to read in another way.
bool page_cache_only_begin(void);

/// Reads on this thread may wait again.
void page_cache_only_end(void);

/// From here on what SQLite writes on this thread to a write-ahead log may be kept, until it writes the page that ends a commit
/// (CommitWrites.c). For the time of a COMMIT statement, of a database with a write-ahead log.
void page_cache_commit_begin(void);

/// Writes go through again. After a commit, false where something was kept still and cannot be put on the disk now.
bool page_cache_commit_end(bool is_committed);

#endif
