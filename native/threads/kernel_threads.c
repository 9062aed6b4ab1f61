/* The kernel's data about a thread: its CPU clock, and whether it was interrupted. */
#include "threads.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../base/clock.h"

#define ASKING 5000000u /* ns, at least, between two questions to the kernel, each of which costs some us */

bool ch_cpu_clock(uint32_t tid, uint64_t *ns) {
    enum { PER_THREAD_SCHEDULED = 6 }; /* as the kernel numbers the CPU clocks of threads */
    return ch_clock_ns((clockid_t)(~tid << 3 | PER_THREAD_SCHEDULED), ns);
}

/* True if the thread waits for a processor, and has run and not waited for anything else since the last call: else it
 * may just be waking up, and used its CPU time elsewhere. No, if the kernel was asked only a moment ago. */
bool ch_was_interrupted(uint32_t tid, struct ch_thread_activity *last, uint64_t now) {
    static const char of_state[] = "\nState:\t", of_waits[] = "\nvoluntary_ctxt_switches:\t";
    static __thread uint64_t asked; /* each sampler asks for itself */
    char name[64], text[4096] = {0};
    if (now - asked < ASKING) return false;
    asked = now;
    snprintf(name, sizeof name, "/proc/self/task/%u/status", tid);
    FILE *f = fopen(name, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    const char *state = n ? strstr(text, of_state) : NULL, *at = n ? strstr(text, of_waits) : NULL;
    struct ch_thread_activity before = *last;
    last->waits = at ? strtoull(at + sizeof of_waits - 1, NULL, 10) : 0;
    return ch_cpu_clock(tid, &last->cpu_ns) && state && at && state[sizeof of_state - 1] == 'R' &&
           last->waits == before.waits && last->cpu_ns > before.cpu_ns;
}

/* A short time slice makes the kernel wake this thread at once, also on a busy processor (Linux 6.12 and later): else
 * it would mostly run when others have just begun to wait. */
void ch_shorten_time_slice(void) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = sizeof attributes, .nice = getpriority(PRIO_PROCESS, 0), .runtime = 100000 /* ns */};
    (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}
