/* The agent's answer to an attachment, which keeps its messages out of the program's own output: a file in memory,
 * which the client reads through /proc/PID/fd. So no file is left behind, however the client ends. */
#include "live.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KEPT = 32 }; /* answers that may not have been read yet */

static int kept[KEPT]; /* + 1, so that none is 0 */
static size_t next;
static int answer = -1; /* of the request that is executed now; -1: on stderr */

/* HotSpot executes requests one after the other, on one thread. */
bool ch_answer_open(const char *name) {
    char whole[64];
    if (!name) return true;
    if (kept[next]) close(kept[next] - 1);
    int n = snprintf(whole, sizeof whole, "classhook-%s", name),
        fd = n > 0 && (size_t)n < sizeof whole ? memfd_create(whole, MFD_CLOEXEC) : -1;
    kept[next] = fd + 1;
    if (fd < 0) return false;
    answer = fd;
    next = (next + 1) % KEPT;
    return true;
}

static void put(const char *text, size_t n) {
    for (ssize_t done; n; text += done, n -= (size_t)done)
        if ((done = write(answer, text, n)) <= 0) return;
}

void ch_answer(const struct ch_error *said, const struct ch_reply *r) {
    if (answer < 0) {
        ch_error_say(said);
        answer = STDERR_FILENO;
    } else if (*said->text) {
        put(said->text, strlen(said->text));
        put("\n", 1);
    }
    put(r->text, r->bytes);
    answer = -1;
}
