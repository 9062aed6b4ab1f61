/* Waiting for something until a moment: which clock, and the moment as the functions of POSIX take it. Inlined, for
 * each library has its own. */
#ifndef CLASSHOOK_WAITING_H
#define CLASSHOOK_WAITING_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* A condition variable whose waits end by CLOCK_MONOTONIC, which nobody sets. False: no memory. */
static inline bool ch_condition_init(pthread_cond_t *condition) {
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic)) return false;
    bool done = !pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) && !pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return done;
}

/* The moment when a clock has this many nanoseconds. */
static inline struct timespec ch_moment(uint64_t ns) {
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

/* The nanoseconds that a clock has now; 0: there is no such clock. */
static inline uint64_t ch_ns_of(clockid_t clock) {
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* So many milliseconds from now, at most a hundred years. `clock`: CLOCK_MONOTONIC for conditions made by
 * ch_condition_init, CLOCK_REALTIME for other ones, mutexes and semaphores. */
static inline struct timespec ch_in_ms(clockid_t clock, uint64_t ms) {
    static const uint64_t most = UINT64_C(3155760000000);
    return ch_moment(ch_ns_of(clock) + (ms < most ? ms : most) * 1000000);
}
#endif
