/* Ticks of threads' CPU time: at which instruction a thread was. See cpu_ticks.c. */
#ifndef CLASSHOOK_CPU_TICKS_H
#define CLASSHOOK_CPU_TICKS_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { CH_TICKS_KEPT = 8, CH_TICK_WORDS = 128 };
struct ch_tick {
    uint64_t pc;
    uint32_t periods; /* that went by since the last one */
    uint32_t words; /* so many of the topmost ones of its stack */
    uint64_t stack[CH_TICK_WORDS];
};
struct ch_ticked { /* a thread that is listened to; its memory is never given back */
    void *thread; /* the sampler's; NULL: nobody listens any more */
    bool java;    /* what kind of thread that is */
    struct ch_ticked *next; /* of those with new ticks, which handlers push */
    struct ch_ticked *then; /* of those that the listener has taken, or that are unused */
    bool listed;
    uint32_t number, tid; /* tid: 0 if nobody listens */
    uint32_t inside;      /* handlers at work with it */
    timer_t timer;
    uint32_t written, read; /* so many ticks */
    struct ch_tick ticks[CH_TICKS_KEPT];
};

bool ch_ticks_start(uint64_t period_ns); /* false: this process has no signal for them */
void ch_ticks_stop(void);
bool ch_ticks_come(void); /* false: the program has taken the signal for itself */
/* Listens to a thread of this process, if the listener does not yet; `*to` stays NULL if it has ended, or if the kernel
 * has no timer for it. Any thread may call this. */
void ch_ticked_begin(struct ch_ticked **to, uint32_t tid, void *thread, bool java);
/* One thread calls these. */
void ch_ticked_end(struct ch_ticked *t);
/* Waits until a tick comes, or until this moment of CLOCK_MONOTONIC. */
void ch_ticks_wait(uint64_t until_ns);
void ch_ticks_wake(void); /* any thread: it waits no longer */
struct ch_ticked *ch_ticked_now(void); /* those with new ticks, a list by `then` */
uint32_t ch_ticks_take(struct ch_ticked *t, struct ch_tick to[CH_TICKS_KEPT]); /* how many there are */
#endif
