// A commit's pages in one write. SQLite writes each page to the write-ahead log with two calls, its header and then the page
// (https://www.sqlite.org/walformat.html, 1); with what a commit of one link has, four calls for 8 KB in a row. Here they are kept until
// the page that ends the commit, and written before SQLite hears that that one is written, so before it syncs the file.
//
// Only between page_cache_commit_begin and page_cache_commit_end, on one thread. Whatever is not the next header or page in a row is
// written after what is kept, and a read of the file comes after it too: with auto_vacuum SQLite moves pages during the COMMIT, and may
// want one back that has left its cache. From the page that ends the commit on all goes straight through. Nothing is written later
// that SQLite was told has failed: the log may be another process's by then.
#include "CPageCache.h"
#include "PageCacheParts.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

// It takes the place of pwrite(2) and pwrite64(2) alike.
_Static_assert(sizeof(off_t) == 8, "offsets have 64 bits");

/// A few pages: a larger commit is written in as many parts, and a page that is larger by itself.
enum { header_size = 24, most = 1 << 15 };

static _Thread_local struct {
    /// Between begin and the page that ends the commit.
    bool is_on;
    /// A header was kept last, and whether it is that of the page that ends the commit.
    bool awaits_page, ends_commit;
    int file;
    off_t start;
    size_t count;
} kept;
static _Thread_local char bytes_kept[most];

/// Writes what is kept; false with errno where that fails, and then nothing is kept any more: the commit fails, or is tried anew.
static bool write_kept(void) {
    size_t count = kept.count, done = 0;
    kept.count = 0;
    kept.awaits_page = false;
    while (done < count) {
        ssize_t written = pwrite(kept.file, bytes_kept + done, count - done, kept.start + (off_t)done);
        if (written < 0 && errno == EINTR) continue;
        // SQLite takes a write of nothing for a full disk, and so do we.
        if (written == 0) errno = ENOSPC;
        if (written <= 0) return false;
        done += (size_t)written;
    }
    return true;
}

static void keep(const void *bytes, size_t count) {
    memcpy(bytes_kept + kept.count, bytes, count);
    kept.count += count;
}

bool commit_precede_read(int file) { return !kept.is_on || kept.count == 0 || file != kept.file || write_kept(); }

/// Writes at once. SQLite comes again with what a short write has left, which is no header, whatever its length; so then nothing is kept
/// any more.
static ssize_t write_at_once(int file, const void *bytes, size_t count, off_t offset) {
    ssize_t written = pwrite(file, bytes, count, offset);
    if (written >= 0 && (size_t)written < count) kept.is_on = false;
    return written;
}

ssize_t commit_write(int file, const void *bytes, size_t count, off_t offset) {
    if (!kept.is_on) return pwrite(file, bytes, count, offset);
    bool is_next = kept.count > 0 && file == kept.file && offset == kept.start + (off_t)kept.count;
    bool is_page = is_next && kept.awaits_page;
    if (kept.count > 0 && (!is_next || count > most - kept.count) && !write_kept()) return -1;
    if (is_page) {
        if (kept.ends_commit) kept.is_on = false;
        if (kept.count == 0) return write_at_once(file, bytes, count, offset);
        keep(bytes, count);
        kept.awaits_page = false;
        return kept.is_on || write_kept() ? (ssize_t)count : -1;
    }
    if (count != header_size) {
        if (kept.ends_commit) kept.is_on = false;
        return write_kept() ? write_at_once(file, bytes, count, offset) : -1;
    }
    if (kept.count == 0) {
        kept.file = file;
        kept.start = offset;
    }
    keep(bytes, count);
    kept.awaits_page = true;
    // The header of such a page has the database's size in pages in its second word, any other 0.
    kept.ends_commit = memcmp((const char *)bytes + 4, "\0\0\0\0", 4) != 0;
    return (ssize_t)count;
}

void page_cache_commit_begin(void) {
    kept.is_on = true;
    kept.count = 0;
    kept.awaits_page = kept.ends_commit = false;
}

bool page_cache_commit_end(bool is_committed) {
    kept.is_on = false;
    if (!is_committed) kept.count = 0;
    // No SQLite that is known ends a commit without that page. Readers are told of the others by now.
    return kept.count == 0 || (write_kept() && fdatasync(kept.file) == 0);
}
