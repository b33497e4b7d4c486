// A disk that fails when it is told to: a layer between SQLite and the system's files, for tests. It becomes SQLite's default
// VFS (https://www.sqlite.org/vfs.html), so the store under test is opened as ever; files outside its folders pass untouched.
//
// What SQLite writes is in the real file at once, as in the system's cache, but is *on the disk* only after a sync. When the
// power is cut, everything fails from then on; when it comes back, each write since the file's last sync is there, is not
// there, or is there in part, by sectors of 512 bytes, and names that were made or deleted since the folder's last sync
// may be there or not.
#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

#include <stdint.h>

/// Kinds of operations, to be counted and made to fail.
enum {
    FAULTY_DISK_WRITE = 1,
    FAULTY_DISK_SYNC = 2,
    FAULTY_DISK_TRUNCATE = 4,
    FAULTY_DISK_OPEN = 8,
    FAULTY_DISK_DELETE = 16,
    FAULTY_DISK_SHARE = 32,
    FAULTY_DISK_READ = 64,
};

/// What happens at the chosen operation.
enum {
    /// It does nothing and reports an input/output error, once.
    FAULTY_DISK_FAILS = 1,
    /// A write or a growth finds the disk full, once; others fail as above.
    FAULTY_DISK_IS_FULL = 2,
    /// A write or a truncation is done by half and then reported as failed, once.
    FAULTY_DISK_DOES_HALF = 3,
    /// It and all later ones of the kinds counted fail.
    FAULTY_DISK_BREAKS = 4,
    /// It and everything after it fails until `faulty_disk_restart`.
    FAULTY_DISK_LOSES_POWER = 5,
};

/// Which of the writes that were not synced survive a power cut.
enum {
    FAULTY_DISK_KEEPS_NONE = 0,
    FAULTY_DISK_KEEPS_SOME = 1,
    FAULTY_DISK_KEEPS_ALL = 2,
};

/// Takes over an empty folder, named absolutely without symbolic links. Returns a handle, or -1 when there is no place left.
int32_t faulty_disk_make(const char *folder);
/// Lets go of it; all its files are closed by then.
void faulty_disk_free(int32_t disk);
/// Counts operations of these kinds from 1, and lets that with the number `at` have the fault; 0 is none.
void faulty_disk_arm(int32_t disk, uint32_t kinds, int32_t fault, int64_t at);
/// Operations counted since it was armed.
int64_t faulty_disk_count(int32_t disk);
/// Whether the chosen operation has come.
int32_t faulty_disk_has_failed(int32_t disk);
/// How often a log was worked off while others could have used the file, and its writer's lock was not held by one and the same
/// from beginning to end.
int64_t faulty_disk_unguarded(int32_t disk);
/// How often a file was synced before all that SQLite had written to it was in the real one.
int64_t faulty_disk_unwritten(int32_t disk);
/// The power fails now.
void faulty_disk_cut(int32_t disk);
/// The power comes back after a cut: real files get what was on the disk. All files are closed by then. Returns 0, or an errno.
int32_t faulty_disk_restart(int32_t disk, int32_t keeps, uint64_t seed);

/// Opens a file in memory, of zeros, that does not grow: a write across its end is done up to there. Returns a descriptor, or -1.
int32_t faulty_disk_short_file(int64_t length);

#endif
