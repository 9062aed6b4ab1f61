/* The paths of the process's files, and their directories; see session_files.c. */
#include "base.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct ch_files ch_files = {.fds = {-1, -1}};

/* The directory must belong to this user or to root: any other owner could redirect what is written there. */
bool ch_make_dirs(const char *dir, unsigned mode) {
    char each[4096];
    struct stat s;
    if (strlen(dir) >= sizeof each) return false;
    strcpy(each, dir);
    for (char *p = each + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(each, mode);
        *p = '/';
    }
    if ((mkdir(each, mode) && errno != EEXIST) || stat(each, &s)) return false;
    errno = !S_ISDIR(s.st_mode) ? ENOTDIR : s.st_uid != geteuid() && s.st_uid ? EPERM : 0;
    return !errno;
}

bool ch_files_choose(const char *dir, int64_t ns) {
    if (strlen(dir) > 4000) errno = ENAMETOOLONG;
    if (strlen(dir) > 4000 || !ch_make_dirs(dir, 0777)) return false;
    /* PID and time together are unique on this machine, even across PID namespaces */
    snprintf(ch_files.path, sizeof ch_files.path, "%s/%d-%llx.classhook", dir, (int)getpid(), (unsigned long long)ns);
    return true;
}

const char *ch_files_why(void) { return errno == EPERM ? "it belongs to another user" : strerror(errno); }

void ch_files_on_tmpfs(char *to, size_t room, const char *ending) {
    snprintf(to, room, "/dev/shm/classhook-%d-%s%s", (int)getuid(), strrchr(ch_files.path, '/') + 1, ending);
}

void ch_files_opened(int which) {
    if (fstat(ch_files.fds[which], &ch_files.opened[which]))
        memset(&ch_files.opened[which], 0, sizeof ch_files.opened[which]);
}

static bool is_file(int which, int fd) {
    struct stat s;
    return fd >= 0 && !fstat(fd, &s) && ch_same_file(&s, &ch_files.opened[which]);
}

/* If the descriptor no longer refers to the file, the program has closed it, and perhaps reused it. The lock, by which
 * others see that the process is alive, is gone then, too. */
bool ch_file_is_open(int which) {
    if (is_file(which, ch_files.fds[which])) return true;
    int fd = open(which ? ch_files.more : ch_files.live, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (!is_file(which, fd)) {
        if (fd >= 0) close(fd);
        errno = EBADF;
        return false;
    }
    if (!which) (void)!flock(fd, LOCK_EX | LOCK_NB);
    ch_files.fds[which] = fd;
    return true;
}

bool ch_files_are_open(void) { return ch_file_is_open(0) && (!*ch_files.more || ch_file_is_open(1)); }

const char *ch_store_path(void) { return ch_files.path; }
