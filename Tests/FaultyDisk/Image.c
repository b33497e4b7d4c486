// See the header.
#define _GNU_SOURCE
#include "Image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "FaultyDisk.h"

enum { SECTOR = 512 };

void *image_checked(void *memory) {
    if (memory == NULL) abort();
    return memory;
}

/// Lays the part of a change from byte `from` up to `to` over some content.
static void lay(unsigned char **content, size_t *length, const Change *change, size_t from, size_t to) {
    size_t end = (size_t)change->offset + (change->bytes ? to : 0);
    if (end > *length || change->bytes == NULL) {
        *content = image_checked(realloc(*content, end + 1));
        if (end > *length) memset(*content + *length, 0, end - *length);
        *length = end;
    }
    if (change->bytes) memcpy(*content + change->offset + from, change->bytes + from, to - from);
}

void image_forget(Image *image) {
    for (Change *change = image->first; change;) {
        Change *next = change->next;
        free(change->bytes);
        free(change);
        change = next;
    }
    image->first = image->last = NULL;
}

void image_note(Image *image, int64_t offset, size_t length, const void *bytes) {
    Change *change = image_checked(calloc(1, sizeof *change));
    change->offset = offset;
    change->length = length;
    if (bytes) change->bytes = memcpy(image_checked(malloc(length + 1)), bytes, length);
    if (image->last) image->last->next = change; else image->first = change;
    image->last = change;
}

void image_doubt(Image *image) {
    for (Change *change = image->first; change; change = change->next) change->is_doubtful = true;
}

bool image_settle(Image *image, bool (*read)(void *file, void *bytes, size_t length, int64_t offset), void *file) {
    for (Change *change = image->first; change; change = change->next)
        lay(&image->synced, &image->synced_length, change, 0, change->length);
    bool is_there = true;
    for (Change *change = image->first; change; change = change->next) {
        size_t start = (size_t)change->offset, end = start + change->length;
        if (end > image->synced_length) end = image->synced_length;
        if (change->bytes == NULL || change->is_doubtful || start >= end) continue;
        unsigned char *real = image_checked(malloc(end - start));
        is_there &= read(file, real, end - start, change->offset) && memcmp(real, image->synced + start, end - start) == 0;
        free(real);
    }
    image_forget(image);
    return is_there;
}

void image_settle_names(Image *images) {
    for (Image *image = images; image; image = image->next) image->is_named_on_disk = image->is_named;
}

Image *image_named(Image *images, const char *path) {
    for (Image *image = images; image; image = image->next)
        if (image->is_named && strcmp(image->path, path) == 0) return image;
    return NULL;
}

// xorshift64*, which repeats for a seed.
uint64_t image_draw(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1DULL;
}

void image_lose(Image *image, int32_t keeps, uint64_t *state) {
    for (Change *change = image->first; change; change = change->next) {
        uint64_t chance = keeps == FAULTY_DISK_KEEPS_NONE ? 0 : keeps == FAULTY_DISK_KEEPS_ALL ? 2 : image_draw(state) >> 33;
        if (chance % 3 == 0) continue;
        if (chance % 3 == 2 || change->bytes == NULL) {
            lay(&image->synced, &image->synced_length, change, 0, change->length);
            continue;
        }
        for (size_t from = 0; from < change->length;) {
            // Sectors end at multiples of their size in the file, not in the write.
            size_t to = from + SECTOR - (size_t)((change->offset + (int64_t)from) % SECTOR);
            if (to > change->length) to = change->length;
            if (image_draw(state) >> 63) lay(&image->synced, &image->synced_length, change, from, to);
            from = to;
        }
    }
    image_forget(image);
}

int32_t image_put(const Image *image) {
    int descriptor = open(image->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0) return errno;
    size_t done = 0;
    while (done < image->synced_length) {
        ssize_t count = write(descriptor, image->synced + done, image->synced_length - done);
        if (count < 0) break;
        done += (size_t)count;
    }
    int32_t problem = done < image->synced_length ? errno : 0;
    close(descriptor);
    return problem;
}

