/* Reading the clock, inlined into the probes. */
#ifndef CLASSHOOK_CLOCK_H
#define CLASSHOOK_CLOCK_H
#include "base.h"
#include "waiting.h"
#if defined __x86_64__
#include <x86intrin.h>
#endif

extern bool ch_clock_ticks;
bool ch_clock_ns(clockid_t clock, uint64_t *ns); /* false: there is no such clock */

/* The processor's counter, which is the clock if ch_clock_ticks; else 0. */
static inline uint64_t ch_ticks(void) {
#if defined __x86_64__
    return __rdtsc();
#elif defined __aarch64__
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    return 0;
#endif
}

/* The clock, but a few instructions before or behind: half the cost. */
static inline uint64_t ch_about_now(void) {
    return __builtin_expect(ch_clock_ticks, 1) ? ch_ticks() : ch_monotonic_ns();
}

static inline uint64_t
ch_now(void) { /* what the program began before is waited for, or its time would be the callee's */
    if (__builtin_expect(ch_clock_ticks, 1)) {
#if defined __x86_64__
        _mm_lfence();
#elif defined __aarch64__
        __asm__ volatile("isb");
#endif
    }
    return ch_about_now();
}

static inline int64_t ch_unix_ns(void) { return (int64_t)ch_ns_of(CLOCK_REALTIME); } /* the time of day */
#endif
