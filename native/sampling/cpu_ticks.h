/* Ticks of threads' CPU time: at which instruction a thread was. See cpu_ticks.c. */
#ifndef CLASSHOOK_CPU_TICKS_H
#define CLASSHOOK_CPU_TICKS_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { CH_TICKS_KEPT = 8, CH_TICK_WORDS = 128, CH_TICK_FRAMES = 256, CH_TICK_CHUNKS = 256 };
struct ch_tick {
    uint64_t pc;
    uint32_t periods; /* that went by since the last one */
    uint32_t words; /* so many of the topmost ones of its stack */
    uint64_t stack[CH_TICK_WORDS];
    struct ch_tick_path { /* of profiled threads (path_ticks.c) */
        uint64_t owner, cpu_ns, apart_ns; /* of the block: who has it, and what of its CPU time is the agent's */
        uint32_t depth, frames; /* of the path's frames, so many innermost ones are here */
        uint32_t slots[CH_TICK_FRAMES];
    } path;
};
struct ch_ticked { /* a thread that is listened to; its memory is never given back */
    struct ch_ticks *by;
    void *thread; /* the listener's; NULL: nobody listens any more */
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

struct ch_ticks { /* a listener */
    uint32_t number; /* of the listener: 0 or 1 */
    /* Stores what else the listener wants, on the thread that ticks, in the handler. NULL: only the program counter and
     * the stack. */
    void (*store)(const void *thread, struct ch_tick *tick);
    bool is_woken; /* by each tick */
    /* the rest is cpu_ticks.c's */
    pthread_mutex_t lock; /* of records that begin and end; no handler takes it */
    struct ch_ticked *chunks[CH_TICK_CHUNKS];
    uint32_t records;
    struct ch_ticked *unused, *fresh; /* fresh: with new ticks; pushed by handlers */
    uint32_t wakes; /* a futex */
    uint64_t period_ns;
    bool on;
};
extern struct ch_ticks ch_ticks_of_cpu, ch_ticks_of_paths;

bool ch_ticks_start(struct ch_ticks *to, uint64_t period_ns); /* false: this process has no signal for them */
void ch_ticks_stop(struct ch_ticks *to);
bool ch_ticks_come(void); /* false: the program has taken the signal for itself */
/* Notes in the data why there are none, and what comes of it. */
void ch_ticks_say_none(const char *why, const char *result);
/* Listens to a thread of this process, if the listener does not yet; `*to` stays NULL if it has ended, or if the kernel
 * has no timer for it. Any thread may call this. */
void ch_ticked_begin(struct ch_ticks *by, struct ch_ticked **to, uint32_t tid, void *thread, bool java);
/* One thread calls these. */
void ch_ticked_end(struct ch_ticked *t);
/* Waits until a tick comes, or until this moment of CLOCK_MONOTONIC. */
void ch_ticks_wait(struct ch_ticks *to, uint64_t until_ns);
void ch_ticks_wake(struct ch_ticks *to); /* any thread: it waits no longer */
struct ch_ticked *ch_ticked_now(struct ch_ticks *to); /* those with new ticks, a list by `then` */
uint32_t ch_ticks_take(struct ch_ticked *t, struct ch_tick to[CH_TICKS_KEPT]); /* how many there are */
#endif
