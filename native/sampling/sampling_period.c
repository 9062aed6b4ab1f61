/* The time between two ticks of profiled threads, and between two wakes of their sampler: the shortest that a rule asks
 * for, or CHOSEN. Kernels give ticks of CPU time every 1 to 10 ms, mostly every 4, however short the period is.
 */
#include "sampling.h"
#include <pthread.h>

#define CHOSEN 4000000u /* ns, where a rule leaves it to the agent */

static uint64_t asked_ns; /* 0: no rule asks for a period */
static bool chooses; /* some rule leaves it to the agent */

bool ch_period_asked(const char *table, size_t bytes) {
    static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
    struct ch_probe_table t = ch_probe_table_of(table, bytes);
    struct ch_probe p;
    uint64_t shortest = 0;
    bool any = false;
    while (ch_probe_table_next_probe(&t, &p)) {
        if (p.kind != CH_PROBE_PROFILE) continue;
        uint64_t ns = (uint64_t)p.profile.period_us * 1000;
        any |= !ns;
        if (ns && (!shortest || ns < shortest)) shortest = ns;
    }
    pthread_mutex_lock(&asking);
    if (any) ch_store_relaxed(&chooses, true);
    if (shortest && (!asked_ns || shortest < asked_ns)) ch_store_relaxed(&asked_ns, shortest);
    pthread_mutex_unlock(&asking);
    return any || shortest;
}

uint64_t ch_period(void) {
    uint64_t asked = ch_load_relaxed(&asked_ns);
    return ch_load_relaxed(&chooses) && (!asked || CHOSEN < asked) ? CHOSEN : asked;
}
