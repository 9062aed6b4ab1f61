/* What whoever attaches is told: lines in a file that he has made, in place of messages in the middle of the program's own. */
#include "live.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

bool ch_answer_open(const char *path) {
    struct stat s;
    if (!path) return true;
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return false;
    if (fstat(fd, &s) || !S_ISREG(s.st_mode) || s.st_nlink != 1) { /* not what he has made */
        close(fd);
        return false;
    }
    ch_said_to = fd;
    return true;
}

void ch_answer(const char *format, ...) {
    char text[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dprintf(ch_said_to < 0 ? STDERR_FILENO : ch_said_to, "%s\n", text);
}

void ch_answer_close(void) {
    if (ch_said_to >= 0) close(ch_said_to);
    ch_said_to = -1;
}
