/* One thread that drains the queues and runs the timers; it is there only if there is a script.
 *
 * It looks at the queues often while something comes, and more and more rarely when nothing does. A queue that fills up
 * wakes it.
 */
#include "../base/clock.h"
#include "../base/waiting.h"
#include "events.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { BATCH = 512, SOONEST_MS = 2, LATEST_MS = 64 };
enum { PATIENCE_MS = 6000 /* longer than a handler may take */, END_MS = 60000, LAST_MS = 1000, LOOK_MS = 50 };
static const uint64_t STUCK_NS = 1000000000, MOST_NS = 4000000000; /* less than the handler that waits may take */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended;
static bool runs;
static bool stopping, abandoned; /* it ends when the queues are empty; what is left in them is lost */
static jobject own;
static uint64_t complete; /* events until then have been handled */
void (*ch_worker_transforms)(JNIEnv *env);
static bool transforms_changed; /* by a handler, in which no transformer would be called */

struct work {
    JNIEnv *env;
    struct ch_noted *batch;
    uint32_t n;
    int64_t next_ms;
};

static void drain(void *argument) {
    struct work *w = argument;
    ch_python_bridge()->drain(w->batch, w->n, w->env);
}

static void tick(void *argument) {
    struct work *w = argument;
    w->next_ms = ch_python_bridge()->tick(w->env);
}

/* Runs with a frame for local references, and no exception after it. */
static void run(JNIEnv *env, void (*work)(void *), struct work *w) {
    if (!ch_local_frame(env, 32)) return;
    ch_call_python(work, w);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
}

static void lose(const struct work *w) {
    for (uint32_t i = 0; i < w->n; i++) ch_add_relaxed(&ch_handlers[w->batch[i].handler].lost, 1);
}

/* The number of events that there were; BATCH: maybe there are more. */
static uint32_t drain_some(struct work *w) {
    uint64_t until;
    w->n = ch_queues_take(w->batch, BATCH, &until);
    if (w->n && ch_load_relaxed(&abandoned))
        lose(w);
    else if (w->n)
        run(w->env, drain, w);
    ch_store_release(&complete, until);
    return w->n;
}

static void work(JNIEnv *env) {
    static struct ch_noted batch[BATCH];
    struct work w = {.env = env, .batch = batch, .next_ms = 0};
    int pause = SOONEST_MS;
    uint64_t count, due = 0; /* when the next timer is, ns */
    while (!ch_load_relaxed(&stopping)) {
        if (ch_load_acquire(&transforms_changed)) {
            ch_store_release(&transforms_changed, false);
            ch_worker_transforms(env);
        }
        uint32_t found = drain_some(&w);
        uint64_t now = ch_monotonic_ns();
        if (w.next_ms >= 0 && now >= due) {
            run(env, tick, &w);
            now = ch_monotonic_ns();
            due = now + (uint64_t)(w.next_ms < 0 ? 0 : w.next_ms) * 1000000;
        }
        pause = found == BATCH ? 0 : found ? SOONEST_MS : pause < LATEST_MS ? pause * 2 + 1 : LATEST_MS;
        int64_t until = w.next_ms < 0 ? pause : (int64_t)((due > now ? due - now : 0) / 1000000) + 1;
        struct pollfd wake = {.fd = ch_queues_wake, .events = POLLIN};
        if (poll(&wake, 1, until < pause ? (int)until : pause) > 0) (void)!read(ch_queues_wake, &count, sizeof count);
    }
    while (drain_some(&w) || drain_some(&w)) {}
}

static void JNICALL begin(jvmtiEnv *jvmti, JNIEnv *env, void *unused) {
    (void)jvmti, (void)unused;
    ch_thread_ended(env, own); /* it needs no counters */
    ch_java_thread_ended(); /* nor samples: it is not the program's */
    prctl(PR_SET_NAME, "classhook agent");
    ch_queues_drain_here(own);
    work(env);
    pthread_mutex_lock(&lock);
    runs = false;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

void ch_worker_transform(void) {
    const uint64_t one = 1;
    ch_store_release(&transforms_changed, true);
    if (ch_queues_wake >= 0) (void)!write(ch_queues_wake, &one, sizeof one);
}

void ch_worker_start(JNIEnv *env, struct ch_error *error) {
    if (ch_queues_wake < 0) {
        ch_condition_init(&ended);
        ch_queues_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    own = ch_new_thread(env, "classhook agent");
    if (!own) {
        ch_warn(error, "no memory for the agent's thread: queued events are not delivered, and timers do not run");
        return;
    }
    ch_queues_open();
    ch_store_relaxed(&stopping, false);
    ch_store_relaxed(&abandoned, false);
    runs = ch_check(error, (*ch_jvmti)->RunAgentThread(ch_jvmti, own, begin, NULL, JVMTI_THREAD_NORM_PRIORITY),
                    "a thread for the agent");
}

/* Until it has ended, or has handled nothing for a while, or takes too long altogether. */
static void await_end(uint64_t most_ms) {
    uint64_t began = ch_monotonic_ns(), since = began, handled = ch_load_relaxed(&ch_events_handled);
    pthread_mutex_lock(&lock);
    while (runs) {
        uint64_t now = ch_monotonic_ns(), before = handled;
        const struct timespec next = ch_moment(now + LOOK_MS * 1000000);
        handled = ch_load_relaxed(&ch_events_handled);
        if (handled != before) since = now;
        if (now - since > PATIENCE_MS * UINT64_C(1000000) || now - began > most_ms * 1000000) break;
        pthread_cond_timedwait(&ended, &lock, &next);
    }
    pthread_mutex_unlock(&lock);
}

static void wake(void) { (void)!write(ch_queues_wake, &(uint64_t){1}, sizeof(uint64_t)); }

static bool has_ended(void) {
    pthread_mutex_lock(&lock);
    bool there = runs;
    pthread_mutex_unlock(&lock);
    return !there;
}

void ch_worker_await(bool (*in_vain)(void)) {
    uint64_t wanted = ch_now(), began = ch_monotonic_ns(), since = began, handled = ch_load_relaxed(&ch_events_handled);
    if (ch_queues_drains()) return;
    for (wake(); ch_load_acquire(&complete) < wanted && !has_ended(); nanosleep(&(struct timespec){0, 100000}, NULL)) {
        uint64_t now = ch_monotonic_ns(), before = handled;
        handled = ch_load_relaxed(&ch_events_handled);
        if (handled != before) since = now;
        if (now - since > STUCK_NS || now - began > MOST_NS) return;
        if (now - since > CH_SOON_NS && (in_vain() || ch_queues_drainer_is_blocked())) return;
    }
}

void ch_worker_stop(void) {
    if (!runs) return;
    ch_store_relaxed(&stopping, true);
    wake();
    uint64_t limit = ch_end_limit_ms(END_MS);
    await_end(limit ? limit : UINT32_MAX);
    ch_store_relaxed(&abandoned, true);
    await_end(LAST_MS);
}
