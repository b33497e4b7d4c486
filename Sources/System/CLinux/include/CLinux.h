// Linux calls and constants that Swift's Glibc overlay does not show: epoll, eventfd, accept4, and macros that Swift
// cannot import. Header-only. _GNU_SOURCE must not be defined here: it changes declarations that Glibc already imported.
#ifndef CLINUX_H
#define CLINUX_H

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// accept4(2) and memmem(3) are declared only under _GNU_SOURCE.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
extern long syscall(long number, ...);
extern int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);

/// CPUs that this process may run on (sched_getaffinity(2)), at least 1.
static inline int linux_usable_cpus(void) {
    unsigned long mask[128] = {0};  // 8,192 CPUs, more than any kernel is built for
    if (sched_getaffinity(0, sizeof mask, (cpu_set_t *)mask) != 0) return 1;
    int count = 0;
    for (unsigned i = 0; i < sizeof mask / sizeof mask[0]; i++) count += __builtin_popcountl(mask[i]);
    return count > 0 ? count : 1;
}

/// Which file a name leads to, and how many bytes it has.
struct linux_file {
    uint64_t device;
    uint64_t number;
    int64_t size;
};

/// What is at `path`, a symbolic link itself, without its times (statx(2)); -1 with errno where there is nothing. To ask for the
/// times, as lstat(2) does, costs the next write to the file: since Linux 6.13 it has to stamp a new one, and some file
/// systems write that out at each fdatasync(2) (https://docs.kernel.org/filesystems/multigrain-ts.html).
static inline int linux_look_at_file(const char *path, struct linux_file *file) {
    struct statx facts;
    if (syscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_SIZE, &facts) == 0) {
        file->device = (uint64_t)facts.stx_dev_major << 32 | facts.stx_dev_minor;
        file->number = facts.stx_ino;
        file->size = (int64_t)facts.stx_size;
        return 0;
    }
    if (errno != ENOSYS && errno != EPERM) return -1;
    // A kernel before 4.11, or a container's filter that does not know the call.
    struct stat old;
    if (lstat(path, &old) != 0) return -1;
    file->device = old.st_dev;
    file->number = old.st_ino;
    file->size = old.st_size;
    return 0;
}

/// Makes a file look last changed and read at a time in seconds since 1970 (utimensat(2)); -1 with errno.
static inline int linux_date_file(const char *path, int64_t seconds) {
    struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    return utimensat(AT_FDCWD, path, times, 0);
}

/// Takes or changes a lock on a file's first byte, which belongs to the open file and not to the process (F_OFD_SETLK, fcntl(2)):
/// `type` is F_RDLCK, shared, or F_WRLCK, alone. -1 with errno, EAGAIN or EACCES where another one is in the way.
static inline int linux_lock_first_byte(int descriptor, short type) {
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    return fcntl(descriptor, 37 /* F_OFD_SETLK, declared only under _GNU_SOURCE */, &range);
}

/// epoll_ctl(2) with the event given by value: `token` comes back in epoll_event.data.u64.
static inline int linux_epoll_ctl(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data.u64 = token};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

/// Nanoseconds since some fixed point; never set back (CLOCK_MONOTONIC).
static inline uint64_t linux_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// The same as of the kernel's last tick, some milliseconds ago at most, at a fifth of the cost (CLOCK_MONOTONIC_COARSE).
static inline uint64_t linux_coarse_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// recv, send and epoll_wait without glibc's thread cancellation points, which nothing here uses and which cost two atomic
// operations a call once a process has threads. Results and errno are those of recv(2), send(2) and epoll_wait(2).

static inline ssize_t linux_receive(int socket, void *buffer, size_t size) {
    return syscall(SYS_recvfrom, socket, buffer, size, 0, NULL, NULL);
}

/// With MSG_NOSIGNAL: a client that left is an error code, not a signal.
static inline ssize_t linux_send(int socket, const void *buffer, size_t size) {
    return syscall(SYS_sendto, socket, buffer, size, MSG_NOSIGNAL, NULL, 0);
}

static inline int linux_epoll_wait(int epoll, struct epoll_event *events, int capacity, int milliseconds) {
    return (int)syscall(SYS_epoll_pwait, epoll, events, capacity, milliseconds, NULL, (size_t)0);
}

/// Has the processor fetch what lies at an address, without waiting. Nothing else happens, wherever that is.
static inline void linux_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }

static const uint32_t LINUX_EPOLLIN = EPOLLIN;
static const uint32_t LINUX_EPOLLOUT = EPOLLOUT;
static const uint32_t LINUX_EPOLLERR = EPOLLERR;
static const uint32_t LINUX_EPOLLHUP = EPOLLHUP;
static const uint32_t LINUX_EPOLLPRI = EPOLLPRI;
static const uint32_t LINUX_EPOLLRDHUP = EPOLLRDHUP;
static const uint32_t LINUX_EPOLLET = 1u << 31;
static const uint32_t LINUX_EPOLLEXCLUSIVE = 1u << 28;
static const int32_t LINUX_SOCK_NONBLOCK = SOCK_NONBLOCK;
static const int32_t LINUX_SOCK_CLOEXEC = SOCK_CLOEXEC;
static const int32_t LINUX_EFD_NONBLOCK = EFD_NONBLOCK;
static const int32_t LINUX_EFD_CLOEXEC = EFD_CLOEXEC;
static const int32_t LINUX_EPOLL_CLOEXEC = EPOLL_CLOEXEC;

#endif
