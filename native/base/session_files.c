/* The data file of each session.
 *
 * 1. Counters stay where they are for the JVM's life: in the live file (store.c). While a session is on, its data file
 *    is a link to the live file, which takes the name of the data file in /dev/shm; or the live file itself, if there
 *    is no tmpfs.
 * 2. At the end of the session, or of the process, a file without holes replaces the link (compacted_file.c). It does
 *    not change any more, so the directory can be copied. If the file cannot be written, or the link is not there, it
 *    replaces the live file on tmpfs instead: a link still leads to it, wherever its directory is by now, and a report
 *    moves it. If there is no room on tmpfs either, no other session can begin.
 * 3. A later session has its own file. The counts that the live file had before are kept beside it as a baseline, which
 *    reports subtract (instrument/store/baseline.py); at the session's end, the baseline becomes part of the file.
 * 4. Between two sessions, a live file that is not on tmpfs has a name that begins with a dot, in the last session's
 *    directory. The process removes it at its exit.
 */
#include "base.h"
#include "clock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name beside the data file: with a dot in front, and this behind it. */
static void hidden_name(char *to, size_t room, const char *ending) {
    const char *name = strrchr(ch_files.path, '/') + 1;
    snprintf(to, room, "%.*s.%s%s", (int)(name - ch_files.path), ch_files.path, name, ending);
}

static void name_beside(char *to, size_t room, const char *ending) {
    snprintf(to, room, "%s%s", ch_files.path, ending);
}

/* Renames one of the live files; its new name is kept. */
static bool move(char *from, size_t room, const char *to) {
    if (rename(from, to)) return false;
    snprintf(from, room, "%s", to);
    return true;
}

/* On disk, the directory may have been renamed: the live file has another path then, and while a session is on, so has
 * its data file. */
static void follow_live(void) {
    struct stat s;
    const struct stat *ours = &ch_files.opened[0];
    char link[32], to[sizeof ch_files.path];
    if (ch_files.tmpfs || !ch_file_is_open(0) || (!lstat(ch_files.live, &s) && ch_same_file(&s, ours))) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", ch_files.fds[0]);
    ssize_t n = readlink(link, to, sizeof to - 1);
    if (n <= 0 || n >= (ssize_t)sizeof to - 1) return;
    to[n] = 0;
    if (lstat(to, &s) || !ch_same_file(&s, ours)) return; /* it was removed, or is in another mount namespace */
    if (!ch_header->moved) memcpy(ch_files.path, to, sizeof to);
    memcpy(ch_files.live, to, sizeof to);
}

/* ---- a session begins */

static void note_begin(const char *run) {
    ch_header->session_unix_ns = ch_unix_ns();
    ch_header->session_ns = ch_monotonic_ns();
    ch_header->session_meta = ch_header->meta_used;
    snprintf(ch_header->run, sizeof ch_header->run, "%s", run ? run : "");
}

void ch_session_file_first(void) {
    note_begin(NULL);
    ch_header->session_meta = 0;
}

/* The live file takes the place of the session's data file, or the link to it does. */
static bool put_live(void) {
    char to[sizeof ch_files.live];
    if (!ch_files.tmpfs) return move(ch_files.live, sizeof ch_files.live, ch_files.path);
    ch_files_on_tmpfs(to, sizeof to, "");
    return move(ch_files.live, sizeof ch_files.live, to) && !symlink(ch_files.live, ch_files.path);
}

static bool begin(const char *dir, struct ch_error *error) {
    char beside[sizeof ch_files.more];
    if (!ch_files_choose(dir, ch_unix_ns()))
        return ch_fail(error, "cannot use the data directory %s: %s", dir, ch_files_why());
    name_beside(beside, sizeof beside, ".base");
    if (!ch_compact(beside, -1))
        return ch_fail(error, "cannot write into the data directory %s: %s", dir, strerror(errno));
    if (!put_live()) {
        int why = errno;
        unlink(beside);
        if (why != EXDEV) return ch_fail(error, "cannot write into the data directory %s: %s", dir, strerror(why));
        return ch_fail(error,
                       "%s is on another file system than the JVM's counters, which are in %s; use a data directory on "
                       "that file system",
                       dir, ch_files.live);
    }
    name_beside(beside, sizeof beside, ".more");
    if (*ch_files.more)
        move(ch_files.more, sizeof ch_files.more, beside); /* if it cannot be moved, only reports meanwhile lack it */
    return true;
}

bool ch_session_file_begin(const char *dir, const char *run, struct ch_error *error) {
    char before[sizeof ch_files.path];
    struct stat s;
    follow_live();
    if (!ch_session_file_end(error) && !ch_header->moved) return false;
    if (!ch_files_are_open() || fstat(ch_files.fds[0], &s) || !s.st_nlink)
        return ch_fail(error,
                       "the JVM's counters, %s, were moved or removed, and cannot be created again while it runs: "
                       "restart the JVM to measure it",
                       ch_files.live);
    memcpy(before, ch_files.path, sizeof before);
    if (!begin(dir, error)) {
        memcpy(ch_files.path, before, sizeof before);
        return false;
    }
    note_begin(run);
    ch_files_note();
    ch_header->moved = 0;
    return true;
}

/* ---- it ends */

/* The baseline, which may be a later one than that of the session's begin: reports were set back meanwhile. */
static int open_baseline(const char *path) {
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && (fstat(fd, &s) || !S_ISREG(s.st_mode) || s.st_uid != geteuid())) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

/* The live files leave their names to the session's data file; false and errno: the first one cannot. */
static bool hide_live(void) {
    char to[sizeof ch_files.more];
    hidden_name(to, sizeof to, ".live");
    if (!ch_files.tmpfs && !move(ch_files.live, sizeof ch_files.live, to)) return false;
    hidden_name(to, sizeof to, ".live.more");
    if (*ch_files.more) (void)!move(ch_files.more, sizeof ch_files.more, to);
    return true;
}

/* True if the data file's name still leads to the live file: the directory may have been moved, or removed. */
static bool leads_to_live(void) {
    struct stat there;
    char to[sizeof ch_files.live];
    if (lstat(ch_files.path, &there)) return false;
    ssize_t n = ch_files.tmpfs ? readlink(ch_files.path, to, sizeof to) : 0;
    bool ours = ch_files.tmpfs ? n > 0 && (size_t)n == strlen(ch_files.live) && !memcmp(to, ch_files.live, (size_t)n) &&
                                     there.st_uid == geteuid()
                               : ch_same_file(&there, &ch_files.opened[0]);
    if (!ours) errno = ENOENT;
    return ours;
}

/* A later session's data is wrong without its baseline, so it is not written where the baseline cannot be read; one
 * that was removed is gone. `alone`: the file takes the data file's place, and what is beside that goes. */
static bool compact(const char *to, bool alone) {
    static const char note[] =
        "the data file also contains the counts of earlier sessions of this JVM, because its baseline was removed";
    char baseline[sizeof ch_files.more];
    name_beside(baseline, sizeof baseline, ".base");
    int fd = open_baseline(baseline);
    bool lacks = fd < 0 && alone && ch_header->session_meta;
    if (lacks && errno != ENOENT) return false;
    if (lacks) ch_meta_add(CH_META_NOTE, 0, 0, note, sizeof note - 1);
    unlink(to);
    bool well = ch_compact(to, fd);
    int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
    return well;
}

/* On tmpfs: the file without holes gets the live file's name, which gets another one. */
static bool replace_on_tmpfs(char *kept, size_t room) {
    char to[sizeof ch_files.live];
    if (!ch_files.tmpfs) return false;
    snprintf(kept, room, "%s", ch_files.live);
    ch_files_on_tmpfs(to, sizeof to, ".live");
    if (!move(ch_files.live, sizeof ch_files.live, to)) return false;
    ch_header->moved = compact(kept, false);
    if (!ch_header->moved) (void)!move(ch_files.live, sizeof ch_files.live, kept);
    return ch_header->moved;
}

static bool replace(void) {
    char fresh[sizeof ch_files.more], baseline[sizeof ch_files.more];
    hidden_name(fresh, sizeof fresh, ".new");
    name_beside(baseline, sizeof baseline, ".base");
    if (!leads_to_live() || !compact(fresh, true)) return false;
    bool hidden = hide_live();
    if (!hidden || rename(fresh, ch_files.path)) {
        int error = errno;
        unlink(fresh);
        if (!ch_files.tmpfs && hidden) (void)!move(ch_files.live, sizeof ch_files.live, ch_files.path);
        errno = error;
        return false;
    }
    unlink(baseline);
    ch_header->moved = 1;
    return true;
}

bool ch_session_file_end(struct ch_error *error) {
    char kept[sizeof ch_files.live];
    if (!ch_header->moved) follow_live();
    if (ch_header->moved || replace()) return true;
    const char *why = strerror(errno);
    bool well = replace_on_tmpfs(kept, sizeof kept);
    return ch_fail(error, "%s cannot be written: %s; what was counted stays in %s until `classhook report` can move it",
                   ch_files.path, why, well ? kept : ch_files.live);
}

void ch_session_file_discard(void) {
    char beside[sizeof ch_files.more];
    (void)hide_live();
    if (ch_files.tmpfs) unlink(ch_files.path);
    name_beside(beside, sizeof beside, ".base");
    unlink(beside);
    ch_header->moved = 1;
}

/* No Java code runs any more, and what was counted is complete. A child process of this one may have our memory. */
static void at_exit(void) {
    if (ch_header->pid != (uint32_t)getpid()) return;
    follow_live();
    if (!ch_header->moved && !replace()) {
        if (!ch_files.tmpfs && strcmp(ch_files.live, ch_files.path))
            ch_say("%s cannot be written: %s; what was counted is in %s", ch_files.path, strerror(errno),
                   ch_files.live);
        return;
    }
    unlink(ch_files.live);
    if (*ch_files.more) unlink(ch_files.more);
}

void ch_session_files_at_exit(void) {
    if (ch_header) (void)!atexit(at_exit); /* without it, `run` and `report` do the same */
}
