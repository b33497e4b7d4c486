#define _GNU_SOURCE
#include "CPageCache.h"
#include "PageCacheParts.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static _Thread_local bool is_only;
static atomic_bool is_unsupported;

bool page_cache_is_only(void) { return is_only; }

static ssize_t page_cache_read(int file, void *bytes, size_t count, off_t offset) {
    if (!commit_precede_read(file)) return -1;
    if (!is_only) return pread(file, bytes, count, offset);
    struct iovec target = {bytes, count};
    // preadv2(2) without glibc's cancellation point. The upper half of the offset is used on 32-bit systems only.
    ssize_t taken = syscall(SYS_preadv2, file, &target, 1, offset, 0, RWF_NOWAIT);
    // EAGAIN says that the bytes are on the disk; anything else that the kernel or the file system does not know the flag.
    if (taken < 0 && errno != EAGAIN) atomic_store(&is_unsupported, true);
    if (taken != 0 || count == 0) return taken;
    // The file's end, or Linux 5.9 and 5.10, which say so of any place (readv(2), BUGS); SQLite would take it for a page of zeros.
    errno = EAGAIN;
    return -1;
}

/// open(2) as SQLite calls it. Without access times: to note one for a read would wait for the journal of the file system.
static int page_cache_open(const char *path, int flags, int mode) {
    int file = open(path, flags | O_NOATIME, mode);
    // Only the file's owner and root may ask for that.
    return file < 0 && errno == EPERM ? open(path, flags, mode) : file;
}

void page_cache_install(void) {
    leaf_buffers_install();
    sqlite3_vfs *files = sqlite3_vfs_find("unix");
    // Which of the two is called is settled when SQLite is built, and so is whether it calls either; on all 64-bit systems they are
    // the same.
    if (files == NULL || files->iVersion < 3 ||
        (files->xGetSystemCall(files, "pread") == NULL && files->xGetSystemCall(files, "pread64") == NULL)) {
        atomic_store(&is_unsupported, true);
        return;
    }
    files->xSetSystemCall(files, "pread", (sqlite3_syscall_ptr)page_cache_read);
    files->xSetSystemCall(files, "pread64", (sqlite3_syscall_ptr)page_cache_read);
    files->xSetSystemCall(files, "pwrite", (sqlite3_syscall_ptr)commit_write);
    files->xSetSystemCall(files, "pwrite64", (sqlite3_syscall_ptr)commit_write);
    files->xSetSystemCall(files, "open", (sqlite3_syscall_ptr)page_cache_open);
}

bool page_cache_only_begin(void) {
    if (atomic_load_explicit(&is_unsupported, memory_order_relaxed)) return false;
    is_only = true;
    return true;
}

void page_cache_only_end(void) { is_only = false; }
