/* Classes that are being changed, for the client that asked for it: how many are done, and whether it still wants them
 * to be.
 *
 * Both are in a file in memory, whose name the client gave; it finds the file in /proc/PID/fd, as it finds answers
 * (attach_answer.c).
 */
#include "live.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* The progress, as in instrument/live/class_changes.py. The client writes the first number: whether to stop. */
static bool goes_on(const struct ch_stops *stops) {
    const uint64_t so_far[] = {stops->done, stops->due};
    uint64_t cancelled = 0;
    return pwrite(stops->follower, so_far, sizeof so_far, sizeof cancelled) <= 0 ||
           pread(stops->follower, &cancelled, sizeof cancelled, 0) <= 0 || !cancelled;
}

void ch_progress_begin(struct ch_stops *stops, const char *name) {
    char whole[64];
    int n = snprintf(whole, sizeof whole, "classhook-%s-progress", name);
    if (n <= 0 || (size_t)n >= sizeof whole || (stops->follower = memfd_create(whole, MFD_CLOEXEC)) < 0) return;
    stops->goes_on = goes_on;
}

void ch_progress_end(struct ch_stops *stops) {
    if (stops->goes_on) close(stops->follower);
    stops->goes_on = NULL;
}
