/* Commands of HotSpot's attach protocol (instrument/live/protocol.py), which the agent gives to its own JVM.
 *
 * 1. The JVM listens at /tmp/.java_pidN from the first time on that it was asked to: by a file .attach_pidN, and
 *    SIGQUIT. A JVM that does not catch that signal would die of it, so it is not sent.
 * 2. A thread of the JVM executes the command while this one waits in native code.
 */
#include "live.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { WITHIN_MS = 5000, PAUSE_MS = 5 };

/* -1: the JVM does not listen. */
static int connected(void) {
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    snprintf(to.sun_path, sizeof to.sun_path, "/tmp/.java_pid%d", (int)getpid());
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !connect(fd, (const struct sockaddr *)&to, sizeof to)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

/* Makes it listen. */
static int woken(void) {
    static const char *const folders[] = {"", "/tmp/"};
    struct sigaction quit;
    char trigger[64];
    int file = -1, fd = -1;
    if (sigaction(SIGQUIT, NULL, &quit) || quit.sa_handler == SIG_DFL || quit.sa_handler == SIG_IGN) return -1;
    for (int i = 0; i < 2 && file < 0; i++) {
        snprintf(trigger, sizeof trigger, "%s.attach_pid%d", folders[i], (int)getpid());
        file = open(trigger, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    if (file < 0) return -1;
    close(file);
    kill(getpid(), SIGQUIT);
    for (int ms = 0; ms < WITHIN_MS && (fd = connected()) < 0; ms += PAUSE_MS)
        nanosleep(&(struct timespec){0, PAUSE_MS * 1000000}, NULL);
    unlink(trigger);
    return fd;
}

static bool say(int fd, const char *word) {
    for (size_t left = strlen(word) + 1; left;) {
        ssize_t n = send(fd, word, left, MSG_NOSIGNAL);
        if (n <= 0) return false;
        word += n;
        left -= (size_t)n;
    }
    return true;
}

/* All that it answers; malloc'ed. */
static char *heard(int fd) {
    char *text = NULL, part[4096];
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return NULL;
    for (ssize_t n; (n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
        if (n > 0) fwrite(part, 1, (size_t)n, f);
    fclose(f);
    return text;
}

static char *without_last_line_end(char *text) {
    for (size_t n = strlen(text); n && text[n - 1] == '\n';) text[--n] = 0;
    return text;
}

/* An answer is a status in a line, then text. */
char *ch_own_command(const char *command, const char *argument, const char *more, struct ch_error *error) {
    static const char version[] = "1";
    const char *words[] = {version, command, argument, more, ""};
    int fd = connected();
    if (fd < 0) fd = woken();
    if (fd < 0) {
        ch_fail(error, "the JVM does not listen to commands, and lacks the module jdk.management");
        return NULL;
    }
    bool well = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) well = well && say(fd, words[i]);
    char *answer = well ? heard(fd) : NULL, *text = answer ? strchr(answer, '\n') : NULL;
    close(fd);
    if (text) text = without_last_line_end(text + 1);
    if (text && atoi(answer) == 0) {
        memmove(answer, text, strlen(text) + 1);
        return answer;
    }
    ch_fail(error, "%s", text && *text ? text : "the JVM refused");
    free(answer);
    return NULL;
}
