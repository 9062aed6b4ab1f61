/* The time between two wakes of the sampler: the shortest that a rule asks for, or, where one leaves it to the agent, as short as 1 % of a processor
 * pays for. A wake costs more than the sampler uses itself: other threads are interrupted, and their caches are not what they were
 * (docs/decisions.md).
 */
#include "counting.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SHORTEST 1000000u /* ns, of those that the agent chooses */
#define LONGEST 4000000u
enum { WHOLE = 3 /* times its own CPU time is what a wake costs */, PERCENT = 1 };

static uint64_t asked_ns;            /* 0: no rule asks for a period */
static bool chooses;                 /* some rule leaves it to the agent */
static uint64_t bearable = SHORTEST; /* what it chooses */

/* A profiled method's line is P<TAB>slot<TAB>f<period in us; 0: any><TAB>..., that of one with a budget P<TAB>slot<TAB>b..., see
 * instrument/measures. */
bool ch_period_asked(const char *table, size_t bytes) {
    static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
    const char *end = table + bytes;
    uint64_t shortest = 0;
    bool any = false;
    for (const char *at = table; (at = memmem(at, (size_t)(end - at), "\nP\t", 3));) {
        char text[32] = {0};
        at += 3;
        memcpy(text, at, (size_t)(end - at) < sizeof text - 1 ? (size_t)(end - at) : sizeof text - 1);
        const char *kind = strchr(text, '\t');
        if (!kind || (kind[1] != 'f' && kind[1] != 'b')) continue;
        uint64_t ns = kind[1] == 'f' ? strtoull(kind + 2, NULL, 10) * 1000 : 0;
        any |= !ns;
        if (ns && (!shortest || ns < shortest)) shortest = ns;
    }
    pthread_mutex_lock(&asking);
    if (any) __atomic_store_n(&chooses, true, __ATOMIC_RELAXED);
    if (shortest && (!asked_ns || shortest < asked_ns)) __atomic_store_n(&asked_ns, shortest, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&asking);
    return any || shortest;
}

uint64_t ch_period(void) {
    uint64_t asked = __atomic_load_n(&asked_ns, __ATOMIC_RELAXED), own = __atomic_load_n(&bearable, __ATOMIC_RELAXED);
    return __atomic_load_n(&chooses, __ATOMIC_RELAXED) && (!asked || own < asked) ? own : asked;
}

void ch_period_learn(uint64_t own_ns) {
    uint64_t ns = own_ns * WHOLE * 100 / PERCENT;
    __atomic_store_n(&bearable, ns < SHORTEST ? SHORTEST : ns < LONGEST ? ns : LONGEST, __ATOMIC_RELAXED);
}
