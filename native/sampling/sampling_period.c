/* The time between two wakes of the sampler: the shortest that a rule asks for, or, where one leaves it to the agent,
 * as short as 1 % of a processor pays for. A wake costs more than the sampler uses itself: other threads are
 * interrupted, and their caches are not what they were (docs/decisions/0020-profile-by-shadow-stack.md).
 */
#include "sampling.h"
#include <pthread.h>

#define SHORTEST 1000000u /* ns, of those that the agent chooses */
#define LONGEST 4000000u
enum { WHOLE = 3 /* times its own CPU time is what a wake costs */, PERCENT = 1 };

static uint64_t asked_ns; /* 0: no rule asks for a period */
static bool chooses; /* some rule leaves it to the agent */
static uint64_t bearable = SHORTEST; /* what it chooses */

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
    uint64_t asked = ch_load_relaxed(&asked_ns), own = ch_load_relaxed(&bearable);
    return ch_load_relaxed(&chooses) && (!asked || own < asked) ? own : asked;
}

void ch_period_learn(uint64_t own_ns) {
    uint64_t ns = own_ns * WHOLE * 100 / PERCENT;
    ch_store_relaxed(&bearable, ns < SHORTEST ? SHORTEST : ns < LONGEST ? ns : LONGEST);
}
