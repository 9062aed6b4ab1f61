/* Ticks of threads' CPU time: at each, a thread stores the instruction at which it is.
 *
 * 1. Each thread has a timer of the kernel's that runs by its CPU time and sends it a signal. The signal's value is the
 *    number of the thread's record here, so that the handler needs no memory of the thread's own.
 * 2. The handler stores the program counter, the topmost words of the stack and how many periods went by, puts the
 *    record on a list and wakes who waits for it. It takes no lock, allocates nothing and touches no memory of the
 *    JVM's. The kernel copies the words (process_vm_readv), since the stack may end before.
 * 3. The signal is SIGSTKFLT, which Linux never sends, or else a real-time one that nobody handles. SIGPROF is that of
 *    other profilers, of JFR's on JDK 25, too. Timers of both expire at the same moment, and the kernel then delivers
 *    the signal with the smaller number first: this one, whose handler blocks all others, so that neither is found in
 *    the other's handler. If somebody takes the signal later, there are no ticks any more (ch_ticks_come).
 * 4. Linux looks for expired timers when a thread returns from the kernel (CONFIG_POSIX_CPU_TIMERS_TASK_WORK, since
 *    5.9), so that no call of the program's is interrupted. Calls that an older kernel would interrupt begin again
 *    where it can do that (SA_RESTART).
 * 5. Threads of languages whose stacks are small, such as Go's, have a stack for signals (SA_ONSTACK).
 */
#include "cpu_ticks.h"
#include "../base/base.h"
#include "../base/sync.h"
#include "../base/waiting.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id /* glibc has no name for it */
#define sigev_notify_thread_id _sigev_un._tid
#endif
/* Numbers of futex(2), whose header a compiler for musl need not have. */
enum { WAKE_PRIVATE = 1 | 128, WAIT_BITSET_PRIVATE = 9 | 128, MATCH_ANY = -1 };
enum { AT_ONCE = 256 /* records */, CHUNKS = 256, PER_THREAD_SCHEDULED = 6 /* CPU clocks, as the kernel says */ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of records that begin and end; no handler takes it */
static struct ch_ticked *chunks[CHUNKS], *unused, *fresh; /* fresh: with new ticks; pushed by handlers */
static uint32_t records, wakes; /* wakes: a futex */
static uint64_t period_ns;
static bool on;
static int number; /* the signal's */
static pid_t process;

/* ---- on the thread that ticks */

/* The record that the signal's value names. */
static struct ch_ticked *record(uint32_t n) {
    if (!ch_load_relaxed(&on) || n >= ch_load_acquire(&records)) return NULL;
    return &chunks[n / AT_ONCE][n % AT_ONCE];
}

static void store(struct ch_tick *tick, const ucontext_t *context, int overrun) {
    const mcontext_t *at = &context->uc_mcontext;
#if defined __x86_64__
    uint64_t pc = (uint64_t)at->gregs[REG_RIP], sp = (uint64_t)at->gregs[REG_RSP];
#elif defined __aarch64__
    uint64_t pc = at->pc, sp = at->sp;
#endif
    struct iovec to = {tick->stack, sizeof tick->stack}, from = {(void *)(uintptr_t)sp, sizeof tick->stack};
    ssize_t bytes = process_vm_readv(process, &to, 1, &from, 1, 0);
    tick->pc = pc;
    tick->periods = 1 + (uint32_t)overrun;
    tick->words = bytes > 0 ? (uint32_t)((size_t)bytes / sizeof *tick->stack) : 0;
}

static void add(struct ch_ticked *t, const void *context, int overrun) {
    uint32_t n = t->written;
    if (n - ch_load_acquire(&t->read) < CH_TICKS_KEPT) {
        store(&t->ticks[n % CH_TICKS_KEPT], context, overrun);
        ch_store_release(&t->written, n + 1);
    }
    if (!ch_exchange_acquire(&t->listed, true)) ch_push(&fresh, t, next);
    ch_ticks_wake();
}

static void on_tick(int signal, siginfo_t *info, void *context) {
    int before = errno;
    struct ch_ticked *t = info->si_code == SI_TIMER ? record((uint32_t)info->si_int) : NULL;
    (void)signal;
    if (!t) return;
    ch_add(&t->inside, 1);
    if (ch_load(&t->tid) == (uint32_t)syscall(SYS_gettid)) add(t, context, info->si_overrun);
    ch_sub(&t->inside, 1);
    errno = before;
}

/* ---- the signal */

static bool is_ours(void) {
    struct sigaction now;
    return number && !sigaction(number, NULL, &now) && now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_tick;
}

static bool take(int wanted) {
    struct sigaction now, ours = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigfillset(&ours.sa_mask);
    if (sigaction(wanted, NULL, &now) || now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL) return false;
    number = wanted;
    return !sigaction(wanted, &ours, NULL);
}

static bool take_signal(void) {
    bool taken = take(SIGSTKFLT);
    for (int wanted = SIGRTMAX; !taken && wanted > SIGRTMIN; wanted--) taken = take(wanted);
    return taken;
}

static bool take_signal_once(void) {
    static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&taking);
    process = getpid();
    bool taken = is_ours() || take_signal();
    pthread_mutex_unlock(&taking);
    return taken;
}

bool ch_ticks_start(uint64_t wanted_ns) {
    if (!take_signal_once()) return false;
    period_ns = wanted_ns;
    ch_store_relaxed(&on, true);
    return true;
}

/* The handler stays: a tick may still be on its way. */
void ch_ticks_stop(void) {
    pthread_mutex_lock(&lock);
    ch_store_relaxed(&on, false);
    pthread_mutex_unlock(&lock);
    (void)ch_ticked_now(); /* so that their records can be used again */
}

bool ch_ticks_come(void) { return is_ours(); }

/* ---- threads */

static struct ch_ticked *new_record(void) {
    struct ch_ticked *t;
    for (struct ch_ticked **at = &unused; (t = *at); at = &t->then)
        if (!ch_load(&t->inside) && !ch_load(&t->listed)) {
            *at = t->then;
            return t;
        }
    uint32_t n = records;
    if (n >= CHUNKS * AT_ONCE) return NULL;
    struct ch_ticked *chunk = chunks[n / AT_ONCE];
    if (!chunk && !(chunk = chunks[n / AT_ONCE] = calloc(AT_ONCE, sizeof *chunk))) return NULL;
    t = &chunk[n % AT_ONCE];
    t->number = n;
    ch_store_release(&records, n + 1);
    return t;
}

static void give_back(struct ch_ticked *t) {
    t->then = unused;
    unused = t;
}

static struct ch_ticked *begin(uint32_t tid, void *thread, bool java) {
    struct ch_ticked *t = new_record();
    if (!t) return NULL;
    struct sigevent to = {
        .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number, .sigev_value.sival_int = (int)t->number};
    const struct timespec period = ch_moment(period_ns);
    const struct itimerspec times = {period, period};
    to.sigev_notify_thread_id = (pid_t)tid;
    ch_store(&t->tid, tid);
    t->java = java;
    t->read = t->written;
    ch_store_release(&t->thread, thread);
    if (!timer_create((clockid_t)(~tid << 3 | PER_THREAD_SCHEDULED), &to, &t->timer)) {
        if (!timer_settime(t->timer, 0, &times, NULL)) return t;
        timer_delete(t->timer);
    }
    t->thread = NULL;
    give_back(t);
    return NULL;
}

void ch_ticked_begin(struct ch_ticked **to, uint32_t tid, void *thread, bool java) {
    pthread_mutex_lock(&lock);
    if (!*to && on) *to = begin(tid, thread, java);
    pthread_mutex_unlock(&lock);
}

/* A handler may still be at work with the record, or a tick on its way: it is used again when it is quiet, and then
 * only takes ticks of the thread that it belongs to. */
void ch_ticked_end(struct ch_ticked *t) {
    timer_delete(t->timer);
    pthread_mutex_lock(&lock);
    t->thread = NULL;
    ch_store(&t->tid, 0);
    give_back(t);
    pthread_mutex_unlock(&lock);
}

/* ---- on the thread that listens */

void ch_ticks_wake(void) {
    ch_add_relaxed(&wakes, 1);
    (void)syscall(SYS_futex, &wakes, WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void ch_ticks_wait(uint64_t until_ns) {
    const struct timespec until = ch_moment(until_ns);
    uint32_t seen = ch_load_relaxed(&wakes);
    if (ch_load_relaxed(&on) && ch_load_acquire(&fresh)) return; /* else nobody takes them */
    (void)syscall(SYS_futex, &wakes, WAIT_BITSET_PRIVATE, seen, &until, NULL, MATCH_ANY);
}

struct ch_ticked *ch_ticked_now(void) {
    struct ch_ticked *all = ch_exchange_acquire(&fresh, NULL), *now = NULL;
    pthread_mutex_lock(&lock);
    while (all) {
        struct ch_ticked *t = all;
        all = t->next; /* before a handler may push it again */
        ch_store_release(&t->listed, false);
        if (!t->thread) continue;
        t->then = now;
        now = t;
    }
    pthread_mutex_unlock(&lock);
    return now;
}

uint32_t ch_ticks_take(struct ch_ticked *t, struct ch_tick to[CH_TICKS_KEPT]) {
    uint32_t n = 0, written = ch_load_acquire(&t->written);
    for (; t->read != written; ch_store_release(&t->read, t->read + 1)) to[n++] = t->ticks[t->read % CH_TICKS_KEPT];
    return n;
}
