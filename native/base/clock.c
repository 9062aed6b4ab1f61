/* The clock used for timing: the processor's counter if its rate is constant, else clock_gettime. */
#include "base.h"
#include "clock.h"
#include <stdlib.h>
#include <time.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

bool ch_clock_ticks;

bool ch_clock_ns(clockid_t clock, uint64_t *ns) {
    struct timespec t;
    if (clock_gettime(clock, &t)) return false;
    *ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    return true;
}

uint64_t ch_monotonic_ns(void) { return ch_ns_of(CLOCK_MONOTONIC); }
uint64_t ch_thread_cpu_ns(void) { return ch_ns_of(CLOCK_THREAD_CPUTIME_ID); }

static bool counter_is_even(void) {
#if defined __x86_64__
    unsigned a, b, c, d;
    /* "invariant TSC": constant rate in all power states; Linux calls it constant_tsc and nonstop_tsc */
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#elif defined __aarch64__
    return true; /* the generic timer's rate is constant by definition */
#else
    return false;
#endif
}

/* Reads both clocks at the same moment: of a few tries, keeps the one with the least time between the readings. */
static void read_both(uint64_t *ticks, uint64_t *ns) {
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = ch_now(), now = ch_monotonic_ns(), after = ch_now();
        if (after - before < best) {
            best = after - before;
            *ticks = before + best / 2;
            *ns = now;
        }
    }
}

void ch_clock_start(void) {
    ch_clock_ticks = counter_is_even() && !getenv("CLASSHOOK_NO_TSC");
    ch_header->clock = ch_clock_ticks ? CH_CLOCK_TICKS : CH_CLOCK_NS;
    read_both(&ch_header->first_ticks, &ch_header->first_ns);
    ch_header->last_ticks = ch_header->first_ticks;
    ch_header->last_ns = ch_header->first_ns;
}

uint64_t ch_clock_ticks_of(uint64_t time) {
    uint64_t ticks = 0, now = 0;
    read_both(&ticks, &now);
    double gone = (double)(now - ch_header->first_ns);
    return ch_clock_ticks && gone > 0 ? (uint64_t)((double)time * (double)(ticks - ch_header->first_ticks) / gone)
                                      : time;
}

void ch_clock_mark(void) {
    uint64_t ticks, ns;
    read_both(&ticks, &ns);
    /* a reader that sees only one of the new values is off by the time between these stores */
    ch_header->last_ticks = ticks;
    ch_header->last_ns = ns;
}
