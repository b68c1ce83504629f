/* Preloaded into a program, it makes one of the calls to the system that the program does below chosen folders fail, or all from one on, or ends
 * the program there. It needs no rights, and what it does is the same each time.
 *
 * FAULTS_BELOW   the folders, absolute, with colons between them
 * FAULTS_KINDS   the kinds of calls that are counted, with commas between them: see `kinds`
 * FAULTS_AT      which of those calls is meant, counted from 1; 0 for none
 * FAULTS_ON      1: all from that one on
 * FAULTS_FAIL    of these the kinds that fail; all if absent
 * FAULTS_WITH    what they fail with: a number of `errno`, `short` for reads and writes of half the length, `signal N` for a signal to the
 *                program before the call
 * FAULTS_LOG     a file for a line for each counted call: its kind and its path
 *
 * Linux with glibc, as the programs of Rust use it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPEN, CREATE, READ, WRITE, STAT, LIST, RENAME, MKDIR, REMOVE, LINK, LOCK, TRUNCATE, SYNC, TIMES, MODE, KINDS };

static const char *const kinds[KINDS] = {
    "open", "create", "read", "write", "stat", "list", "rename", "mkdir", "remove", "link", "lock", "truncate", "sync", "times", "mode",
};

/* What is to be done at a call beside what `errno` can say. */
enum { GO = 0, SHORT = -1 };

static const char *below;
static unsigned counted, failing;
static long at;
static int on, with, signal_number, log_fd = -1;
static atomic_long count;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }
#define REAL(name) static __typeof__(name) *next; if (!next) next = (__typeof__(name) *)real(#name)

static unsigned mask(const char *names, unsigned otherwise) {
    if (!names) return otherwise;
    unsigned found = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        size_t length = strlen(kinds[kind]);
        for (const char *here = names; (here = strstr(here, kinds[kind])); here += length) {
            int begins = here == names || here[-1] == ',', ends = here[length] == ',' || here[length] == 0;
            if (begins && ends) found |= 1u << kind;
        }
    }
    return found;
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAULTS_WITH");
    below = getenv("FAULTS_BELOW");
    counted = mask(getenv("FAULTS_KINDS"), ~0u);
    failing = mask(getenv("FAULTS_FAIL"), ~0u);
    at = getenv("FAULTS_AT") ? atol(getenv("FAULTS_AT")) : 0;
    on = getenv("FAULTS_ON") != NULL;
    if (text && !strcmp(text, "short")) with = SHORT;
    else if (text && !strncmp(text, "signal ", 7)) signal_number = atoi(text + 7);
    else if (text) with = atoi(text);
    if (getenv("FAULTS_LOG")) {
        REAL(open64);
        log_fd = next(getenv("FAULTS_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
}

static int is_below(const char *path) {
    for (const char *folder = below; folder && *folder;) {
        size_t length = strcspn(folder, ":");
        if (!strncmp(path, folder, length) && (path[length] == '/' || path[length] == 0)) return 1;
        folder += length + (folder[length] == ':');
    }
    return 0;
}

/* The path of an open file; empty where there is none. */
static void path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
}

/* Counts a call of a path that is relative to an open folder, and gives what is to be done. */
static int gate_at(enum kind kind, int folder, const char *name) {
    if (!below || !(counted & (1u << kind))) return GO;
    int kept = errno;
    char path[2 * PATH_MAX];
    if (name && name[0] == '/') {
        snprintf(path, sizeof path, "%s", name);
    } else {
        if (folder == AT_FDCWD) {
            if (!getcwd(path, PATH_MAX)) path[0] = 0;
        } else {
            path_of(folder, path);
        }
        if (name && name[0]) {
            size_t length = strlen(path);
            snprintf(path + length, sizeof path - length, "/%s", name);
        }
    }
    errno = kept;
    if (!is_below(path)) return GO;
    long number = atomic_fetch_add(&count, 1) + 1;
    if (log_fd >= 0) {
        REAL(write);
        char line[2 * PATH_MAX + 32];
        int length = snprintf(line, sizeof line, "%s %s\n", kinds[kind], path);
        if (next(log_fd, line, (size_t)length) < 0) abort();
    }
    /* Where there is something already, no system gets as far as to miss the room for it, or the right to make it. */
    int makes = !signal_number && (kind == MKDIR || (kind == CREATE && (with == ENOSPC || with == EDQUOT)));
    int is_there = makes && !faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW);
    errno = kept;
    if (is_there) return GO;
    int meant = at > 0 && (number == at || (on && number > at)) && (failing & (1u << kind));
    if (meant && signal_number) {
        kill(getpid(), signal_number);
        return GO;
    }
    return meant ? with : GO;
}

static int gate(enum kind kind, const char *path) { return gate_at(kind, AT_FDCWD, path); }
static int gate_fd(enum kind kind, int fd) { return gate_at(kind, fd, NULL); }

#define FAIL(what, result) do { int gate_ = (what); if (gate_ > 0) { errno = gate_; return (result); } } while (0)

#define OPENING(name, gated, parameters, ...) \
    int name parameters { \
        REAL(name); \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, mode_t); \
            va_end(rest); \
        } \
        enum kind kind = flags & O_CREAT ? CREATE : OPEN; \
        FAIL(gated, -1); \
        return next(__VA_ARGS__, flags, mode); \
    }
OPENING(open, gate(kind, path), (const char *path, int flags, ...), path)
OPENING(open64, gate(kind, path), (const char *path, int flags, ...), path)
OPENING(openat, gate_at(kind, folder, path), (int folder, const char *path, int flags, ...), folder, path)
OPENING(openat64, gate_at(kind, folder, path), (int folder, const char *path, int flags, ...), folder, path)

#define SIMPLE(result, failed, name, what, parameters, ...) \
    result name parameters { \
        REAL(name); \
        FAIL(what, failed); \
        return next(__VA_ARGS__); \
    }
SIMPLE(DIR *, NULL, opendir, gate(LIST, path), (const char *path), path)
SIMPLE(DIR *, NULL, fdopendir, gate_fd(LIST, fd), (int fd), fd)
SIMPLE(int, -1, rename, gate(RENAME, to), (const char *from, const char *to), from, to)
SIMPLE(int, -1, renameat, gate_at(RENAME, folder2, to), (int folder, const char *from, int folder2, const char *to), folder, from, folder2, to)
SIMPLE(int, -1, renameat2, gate_at(RENAME, folder2, to), (int folder, const char *from, int folder2, const char *to, unsigned flags), folder, from, folder2, to, flags)
SIMPLE(int, -1, mkdir, gate(MKDIR, path), (const char *path, mode_t mode), path, mode)
SIMPLE(int, -1, unlink, gate(REMOVE, path), (const char *path), path)
SIMPLE(int, -1, rmdir, gate(REMOVE, path), (const char *path), path)
SIMPLE(int, -1, unlinkat, gate_at(REMOVE, folder, path), (int folder, const char *path, int flags), folder, path, flags)
SIMPLE(int, -1, link, gate(LINK, to), (const char *from, const char *to), from, to)
SIMPLE(int, -1, linkat, gate_at(LINK, folder2, to), (int folder, const char *from, int folder2, const char *to, int flags), folder, from, folder2, to, flags)
SIMPLE(int, -1, flock, gate_fd(LOCK, fd), (int fd, int operation), fd, operation)
SIMPLE(int, -1, ftruncate64, gate_fd(TRUNCATE, fd), (int fd, off64_t length), fd, length)
SIMPLE(int, -1, ftruncate, gate_fd(TRUNCATE, fd), (int fd, off_t length), fd, length)
SIMPLE(int, -1, fsync, gate_fd(SYNC, fd), (int fd), fd)
SIMPLE(int, -1, fdatasync, gate_fd(SYNC, fd), (int fd), fd)
SIMPLE(int, -1, futimens, gate_fd(TIMES, fd), (int fd, const struct timespec times[2]), fd, times)
SIMPLE(int, -1, chmod, gate(MODE, path), (const char *path, mode_t mode), path, mode)
SIMPLE(int, -1, fchmod, gate_fd(MODE, fd), (int fd, mode_t mode), fd, mode)
SIMPLE(int, -1, stat64, gate(STAT, path), (const char *path, struct stat64 *found), path, found)
SIMPLE(int, -1, lstat64, gate(STAT, path), (const char *path, struct stat64 *found), path, found)
SIMPLE(int, -1, fstat64, gate_fd(STAT, fd), (int fd, struct stat64 *found), fd, found)
SIMPLE(int, -1, fstatat64, gate_at(STAT, folder, path), (int folder, const char *path, struct stat64 *found, int flags), folder, path, found, flags)
SIMPLE(int, -1, statx, gate_at(STAT, folder, path), (int folder, const char *path, int flags, unsigned wanted, struct statx *found), folder, path, flags, wanted, found)

/* Reads and writes may be cut short. */
#define HALF(length) ((length) > 1 ? (length) / 2 : (length))
#define MOVING(name, kind, type) \
    ssize_t name(int fd, type data, size_t length) { \
        REAL(name); \
        int gated = gate_fd(kind, fd); \
        FAIL(gated, -1); \
        return next(fd, data, gated == SHORT ? HALF(length) : length); \
    }
MOVING(read, READ, void *)
MOVING(write, WRITE, const void *)
#define MOVING_AT(name, kind, type, offset_type) \
    ssize_t name(int fd, type data, size_t length, offset_type offset) { \
        REAL(name); \
        int gated = gate_fd(kind, fd); \
        FAIL(gated, -1); \
        return next(fd, data, gated == SHORT ? HALF(length) : length, offset); \
    }
MOVING_AT(pread, READ, void *, off_t)
MOVING_AT(pread64, READ, void *, off64_t)
MOVING_AT(pwrite, WRITE, const void *, off_t)
MOVING_AT(pwrite64, WRITE, const void *, off64_t)
ssize_t writev(int fd, const struct iovec *parts, int count_of_parts) {
    REAL(writev);
    int gated = gate_fd(WRITE, fd);
    FAIL(gated, -1);
    return next(fd, parts, gated == SHORT && count_of_parts > 1 ? 1 : count_of_parts);
}
ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags) {
    REAL(copy_file_range);
    int gated = gate_fd(WRITE, to);
    FAIL(gated, -1);
    return next(from, from_offset, to, to_offset, gated == SHORT ? HALF(length) : length, flags);
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t length) {
    REAL(sendfile64);
    int gated = gate_fd(WRITE, to);
    FAIL(gated, -1);
    return next(to, from, offset, gated == SHORT ? HALF(length) : length);
}
