// See the header. One mutex a disk guards all of its state; the real operation runs under it, so that operations have one order.
#define _GNU_SOURCE
#include "FaultyDisk.h"
#include "Image.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DISKS = 32 };

typedef struct {
    pthread_mutex_t mutex;
    bool is_taken, is_dead, has_failed;
    char *folder;
    uint32_t kinds;
    int32_t fault;
    int64_t at, count;
    Image *images;
    // Who holds which of SQLite's locks, as far as the works on a log are concerned.
    int32_t writers;
    bool is_exclusive;
    /// Moves when the write lock is taken and let go of; and where it stood when the work on the log began.
    int64_t turns, turns_at_start;
    int64_t unguarded, unwritten;
} Disk;

typedef struct {
    sqlite3_file base;
    Disk *disk;
    Image *image;
    bool is_exclusive;
} File;

static Disk disks[DISKS];
static sqlite3_vfs *real_vfs;
static sqlite3_vfs faulty_vfs;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static sqlite3_file *real_file(sqlite3_file *file) { return (sqlite3_file *)((File *)file + 1); }

// MARK: Faults

/// Counts an operation; returns the fault that it has, or 0.
static int32_t fault(Disk *disk, uint32_t kind) {
    if (disk->is_dead) return FAULTY_DISK_LOSES_POWER;
    if (!(disk->kinds & kind)) return 0;
    disk->count++;
    bool is_hit = disk->count == disk->at || (disk->fault == FAULTY_DISK_BREAKS && disk->at > 0 && disk->count > disk->at);
    if (!is_hit) return 0;
    disk->has_failed = true;
    if (disk->fault == FAULTY_DISK_LOSES_POWER) disk->is_dead = true;
    return disk->fault;
}

// MARK: Files

static int faulty_close(sqlite3_file *file) { return real_file(file)->pMethods->xClose(real_file(file)); }

static int faulty_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
    Disk *disk = ((File *)file)->disk;
    pthread_mutex_lock(&disk->mutex);
    int code = fault(disk, FAULTY_DISK_READ)
        ? SQLITE_IOERR_READ : real_file(file)->pMethods->xRead(real_file(file), bytes, length, offset);
    pthread_mutex_unlock(&disk->mutex);
    return code;
}

static int write_through(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
    int code = real_file(file)->pMethods->xWrite(real_file(file), bytes, length, offset);
    if (code == SQLITE_OK) image_note(((File *)file)->image, offset, (size_t)length, bytes);
    return code;
}

static int faulty_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
    Disk *disk = ((File *)file)->disk;
    pthread_mutex_lock(&disk->mutex);
    bool was_dead = disk->is_dead;
    int32_t found = fault(disk, FAULTY_DISK_WRITE);
    int code = found == 0 ? SQLITE_OK : found == FAULTY_DISK_IS_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    if (found == 0)
        code = write_through(file, bytes, length, offset);
    else if (found == FAULTY_DISK_DOES_HALF && length > 1)
        write_through(file, bytes, length / 2, offset);
    else if (found == FAULTY_DISK_LOSES_POWER && !was_dead)
        // It was under way, so a part of it may be there. The running system sees no more of it.
        image_note(((File *)file)->image, offset, (size_t)length, bytes);
    // What a commit has kept is dropped with it (CommitWrites.c): nobody looks at the pages of one that failed.
    if (found != 0) image_doubt(((File *)file)->image);
    pthread_mutex_unlock(&disk->mutex);
    return code;
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size) {
    Disk *disk = ((File *)file)->disk;
    pthread_mutex_lock(&disk->mutex);
    int32_t found = fault(disk, FAULTY_DISK_TRUNCATE);
    int code = SQLITE_IOERR_TRUNCATE;
    if (found == 0 || found == FAULTY_DISK_DOES_HALF) {
        int done = real_file(file)->pMethods->xTruncate(real_file(file), size);
        if (done == SQLITE_OK) image_note(((File *)file)->image, size, 0, NULL);
        if (found == 0) code = done;
    }
    pthread_mutex_unlock(&disk->mutex);
    return code;
}

static bool read_real(void *file, void *bytes, size_t length, int64_t offset) {
    sqlite3_file *real = file;
    return real->pMethods->xRead(real, bytes, (int)length, offset) == SQLITE_OK;
}

static int faulty_sync(sqlite3_file *file, int flags) {
    (void)flags;
    Disk *disk = ((File *)file)->disk;
    Image *image = ((File *)file)->image;
    pthread_mutex_lock(&disk->mutex);
    int code = SQLITE_IOERR_FSYNC;
    if (fault(disk, FAULTY_DISK_SYNC) == 0) {
        // The real file is not synced: only this disk's power ever fails.
        if (!image_settle(image, read_real, real_file(file))) disk->unwritten++;
        if (image->holds_folder_sync) image_settle_names(disk->images);
        image->holds_folder_sync = false;
        code = SQLITE_OK;
    }
    pthread_mutex_unlock(&disk->mutex);
    return code;
}

static int faulty_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real_file(file)->pMethods->xFileSize(real_file(file), size);
}
static int faulty_lock(sqlite3_file *file, int kind) {
    Disk *disk = ((File *)file)->disk;
    int code = real_file(file)->pMethods->xLock(real_file(file), kind);
    if (code != SQLITE_OK || kind != SQLITE_LOCK_EXCLUSIVE) return code;
    pthread_mutex_lock(&disk->mutex);
    disk->is_exclusive = ((File *)file)->is_exclusive = true;
    pthread_mutex_unlock(&disk->mutex);
    return code;
}
static int faulty_unlock(sqlite3_file *file, int kind) {
    Disk *disk = ((File *)file)->disk;
    pthread_mutex_lock(&disk->mutex);
    if (((File *)file)->is_exclusive) disk->is_exclusive = ((File *)file)->is_exclusive = false;
    pthread_mutex_unlock(&disk->mutex);
    return real_file(file)->pMethods->xUnlock(real_file(file), kind);
}
static int faulty_reserved(sqlite3_file *file, int *is_held) {
    return real_file(file)->pMethods->xCheckReservedLock(real_file(file), is_held);
}
static int faulty_control(sqlite3_file *file, int operation, void *argument) {
    return real_file(file)->pMethods->xFileControl(real_file(file), operation, argument);
}
static int faulty_sector(sqlite3_file *file) { return real_file(file)->pMethods->xSectorSize(real_file(file)); }
static int faulty_traits(sqlite3_file *file) { return real_file(file)->pMethods->xDeviceCharacteristics(real_file(file)); }

static int faulty_share(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    Disk *disk = ((File *)file)->disk;
    pthread_mutex_lock(&disk->mutex);
    int32_t found = fault(disk, FAULTY_DISK_SHARE);
    int code = found == 0 ? real_file(file)->pMethods->xShmMap(real_file(file), page, size, extend, memory)
        : found == FAULTY_DISK_IS_FULL ? SQLITE_FULL : SQLITE_IOERR_SHMMAP;
    pthread_mutex_unlock(&disk->mutex);
    return code;
}
/// Of the locks of a log (https://www.sqlite.org/walformat.html, 2.3) the first is its writer's and the second that of whoever
/// works it off.
static int faulty_share_lock(sqlite3_file *file, int offset, int count, int flags) {
    Disk *disk = ((File *)file)->disk;
    if (!(flags & SQLITE_SHM_EXCLUSIVE)) return real_file(file)->pMethods->xShmLock(real_file(file), offset, count, flags);
    // One with the lock itself, so that what is counted is true whenever it is asked.
    pthread_mutex_lock(&disk->mutex);
    int code = real_file(file)->pMethods->xShmLock(real_file(file), offset, count, flags);
    bool is_taken = flags & SQLITE_SHM_LOCK;
    if (code == SQLITE_OK && offset == 0) {
        disk->writers += is_taken ? 1 : -1;
        disk->turns++;
    }
    if (code == SQLITE_OK && offset == 1 && count == 1 && !disk->is_exclusive) {
        if (is_taken) disk->turns_at_start = disk->writers ? disk->turns : -1;
        // Nobody may have let go of the write lock, or taken it, meanwhile.
        else if (disk->turns_at_start != disk->turns) disk->unguarded++;
    }
    pthread_mutex_unlock(&disk->mutex);
    return code;
}
static void faulty_share_barrier(sqlite3_file *file) { real_file(file)->pMethods->xShmBarrier(real_file(file)); }
static int faulty_share_end(sqlite3_file *file, int deletes) {
    return real_file(file)->pMethods->xShmUnmap(real_file(file), deletes);
}

// Version 2: no mapped reads, which would pass by this file.
static const sqlite3_io_methods methods = {
    2, faulty_close, faulty_read, faulty_write, faulty_truncate, faulty_sync, faulty_size, faulty_lock, faulty_unlock,
    faulty_reserved, faulty_control, faulty_sector, faulty_traits, faulty_share, faulty_share_lock, faulty_share_barrier,
    faulty_share_end, NULL, NULL,
};

// MARK: Names

static Disk *holding(const char *path) {
    Disk *found = NULL;
    pthread_mutex_lock(&table);
    for (int index = 0; path && index < DISKS && !found; index++) {
        if (!disks[index].is_taken) continue;
        size_t length = strlen(disks[index].folder);
        if (strncmp(path, disks[index].folder, length) == 0 && path[length] == '/') found = &disks[index];
    }
    pthread_mutex_unlock(&table);
    return found;
}

static Image *add_image(Disk *disk, const char *path, int flags) {
    Image *image = image_checked(calloc(1, sizeof *image));
    image->path = image_checked(strdup(path));
    image->is_named = true;
    image->holds_folder_sync = flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL);
    image->next = disk->images;
    return disk->images = image;
}

static int faulty_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *given) {
    (void)vfs;
    Disk *disk = holding(path);
    if (!disk) return real_vfs->xOpen(real_vfs, path, file, flags, given);
    memset(file, 0, sizeof(File));
    pthread_mutex_lock(&disk->mutex);
    int code = SQLITE_CANTOPEN;
    if (fault(disk, FAULTY_DISK_OPEN) == 0) {
        code = real_vfs->xOpen(real_vfs, path, real_file(file), flags, given);
        // A failed open may leave methods behind, and then wants to be closed; that is done here, since ours are not set.
        if (code != SQLITE_OK && real_file(file)->pMethods) real_file(file)->pMethods->xClose(real_file(file));
    }
    if (code == SQLITE_OK) {
        Image *image = image_named(disk->images, path);
        *(File *)file = (File){{&methods}, disk, image ? image : add_image(disk, path, flags)};
    }
    pthread_mutex_unlock(&disk->mutex);
    return code;
}

static int faulty_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    (void)vfs;
    Disk *disk = holding(path);
    if (!disk) return real_vfs->xDelete(real_vfs, path, syncs_folder);
    pthread_mutex_lock(&disk->mutex);
    int code = SQLITE_IOERR_DELETE;
    if (fault(disk, FAULTY_DISK_DELETE) == 0) {
        code = real_vfs->xDelete(real_vfs, path, 0);
        Image *image = image_named(disk->images, path);
        if (code == SQLITE_OK && image) image->is_named = false;
        if (code == SQLITE_OK && syncs_folder) image_settle_names(disk->images);
    }
    pthread_mutex_unlock(&disk->mutex);
    return code;
}

static void set_up(void) {
    real_vfs = sqlite3_vfs_find(NULL);
    // The system's functions find what they need in the copy.
    faulty_vfs = *real_vfs;
    faulty_vfs.pNext = NULL;
    faulty_vfs.zName = "faulty";
    faulty_vfs.szOsFile = (int)sizeof(File) + real_vfs->szOsFile;
    faulty_vfs.xOpen = faulty_open;
    faulty_vfs.xDelete = faulty_delete;
    for (int index = 0; index < DISKS; index++) pthread_mutex_init(&disks[index].mutex, NULL);
    sqlite3_vfs_register(&faulty_vfs, 1);
}

// MARK: For tests

int32_t faulty_disk_make(const char *folder) {
    sqlite3_initialize();
    pthread_once(&once, set_up);
    int32_t taken = -1;
    pthread_mutex_lock(&table);
    for (int32_t index = 0; index < DISKS && taken < 0; index++) {
        if (disks[index].is_taken) continue;
        disks[index].is_taken = true;
        disks[index].folder = image_checked(strdup(folder));
        taken = index;
    }
    pthread_mutex_unlock(&table);
    return taken;
}

static void forget_images(Disk *disk) {
    for (Image *image = disk->images; image;) {
        Image *next = image->next;
        image_forget(image);
        free(image->synced);
        free(image->path);
        free(image);
        image = next;
    }
    disk->images = NULL;
}

void faulty_disk_free(int32_t index) {
    Disk *disk = &disks[index];
    pthread_mutex_lock(&table);
    forget_images(disk);
    free(disk->folder);
    disk->folder = NULL;
    disk->is_taken = disk->is_dead = disk->has_failed = false;
    disk->kinds = 0;
    disk->at = disk->count = disk->unguarded = disk->unwritten = 0;
    disk->writers = 0;
    disk->is_exclusive = false;
    pthread_mutex_unlock(&table);
}

void faulty_disk_arm(int32_t index, uint32_t kinds, int32_t fault, int64_t at) {
    Disk *disk = &disks[index];
    pthread_mutex_lock(&disk->mutex);
    disk->kinds = kinds;
    disk->fault = fault;
    disk->at = at;
    disk->count = 0;
    disk->has_failed = false;
    pthread_mutex_unlock(&disk->mutex);
}

int64_t faulty_disk_count(int32_t index) {
    pthread_mutex_lock(&disks[index].mutex);
    int64_t count = disks[index].count;
    pthread_mutex_unlock(&disks[index].mutex);
    return count;
}

int32_t faulty_disk_has_failed(int32_t index) {
    pthread_mutex_lock(&disks[index].mutex);
    int32_t has_failed = disks[index].has_failed;
    pthread_mutex_unlock(&disks[index].mutex);
    return has_failed;
}

int64_t faulty_disk_unwritten(int32_t index) {
    pthread_mutex_lock(&disks[index].mutex);
    int64_t unwritten = disks[index].unwritten;
    pthread_mutex_unlock(&disks[index].mutex);
    return unwritten;
}

int64_t faulty_disk_unguarded(int32_t index) {
    pthread_mutex_lock(&disks[index].mutex);
    int64_t unguarded = disks[index].unguarded;
    pthread_mutex_unlock(&disks[index].mutex);
    return unguarded;
}

void faulty_disk_cut(int32_t index) {
    pthread_mutex_lock(&disks[index].mutex);
    disks[index].is_dead = true;
    pthread_mutex_unlock(&disks[index].mutex);
}

int32_t faulty_disk_restart(int32_t index, int32_t keeps, uint64_t seed) {
    Disk *disk = &disks[index];
    uint64_t state = seed * 2 + 1;
    int32_t problem = 0;
    pthread_mutex_lock(&disk->mutex);
    // The list has the youngest first: of two files of one name the first that survives has it.
    for (Image *image = disk->images; image; image = image->next) unlink(image->path);
    for (Image *image = disk->images; image; image = image->next) {
        bool survives = image->is_named_on_disk;
        if (image->is_named != image->is_named_on_disk && keeps != FAULTY_DISK_KEEPS_NONE)
            survives = keeps == FAULTY_DISK_KEEPS_ALL ? image->is_named : image_draw(&state) >> 63;
        struct stat facts;
        if (survives && stat(image->path, &facts) == 0) survives = false;
        image->is_named = image->is_named_on_disk = survives;
        image_lose(image, keeps, &state);
        if (survives && problem == 0) problem = image_put(image);
    }
    disk->is_dead = false;
    disk->at = 0;
    pthread_mutex_unlock(&disk->mutex);
    return problem;
}

int32_t faulty_disk_short_file(int64_t length) {
    int descriptor = memfd_create("short", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -1;
    if (ftruncate(descriptor, length) == 0 && fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW) == 0) return descriptor;
    close(descriptor);
    return -1;
}
