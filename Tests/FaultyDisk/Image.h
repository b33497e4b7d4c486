// What is on a faulty disk: for each file the bytes that were synced, and in order the changes that were not. Knows no SQLite.
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A write, or with `bytes` NULL a change of length, that is not on the disk yet.
typedef struct Change {
    struct Change *next;
    int64_t offset;
    size_t length;
    unsigned char *bytes;
    bool is_doubtful;  // a later write failed, and may have taken it along
} Change;

/// One file that has, had or may again have a name.
typedef struct Image {
    struct Image *next;
    char *path;
    /// Whether the name leads here for the running system, and for one that starts after a cut.
    bool is_named, is_named_on_disk;
    bool holds_folder_sync;  // its first sync also syncs the folder, as the system's VFS does for logs and journals
    unsigned char *synced;
    size_t synced_length;
    Change *first, *last;
} Image;

/// The live file of that name, or NULL.
Image *image_named(Image *images, const char *path);
/// Adds a change: a write, or with `bytes` NULL a new length `offset`.
void image_note(Image *image, int64_t offset, size_t length, const void *bytes);
/// A write failed: those that are not on the disk yet need not be in the real file any more.
void image_doubt(Image *image);
/// All changes are on the disk. False where the real file, which `read` fills in bytes of, lacks one that is not doubtful.
bool image_settle(Image *image, bool (*read)(void *file, void *bytes, size_t length, int64_t offset), void *file);
/// All names are on the disk as they are now.
void image_settle_names(Image *images);
/// Brings a file to what a cut left of it; `keeps` as in FaultyDisk.h.
void image_lose(Image *image, int32_t keeps, uint64_t *state);
/// Writes the real file. Returns 0, or an errno.
int32_t image_put(const Image *image);
/// Forgets the changes.
void image_forget(Image *image);
/// The next number of a sequence that repeats for a seed.
uint64_t image_draw(uint64_t *state);
/// Ends the program where there is no memory.
void *image_checked(void *memory);

#endif
