/* One thread that drains the rings and runs the timers; it is there only if there is a script.
 *
 * It looks at the rings often while something comes, and more and more rarely when nothing does. A ring that fills up wakes it.
 */
#include "events.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 512, SOONEST_MS = 2, LATEST_MS = 64, PATIENCE = 3 /* seconds */ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended;
static bool runs;
static volatile bool stopping;
static jobject own;

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
    if ((*env)->PushLocalFrame(env, 32)) return;
    ch_call_python(work, w);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
}

static uint32_t drain_all(struct work *w) {
    uint32_t all = 0;
    while ((w->n = ch_rings_take(w->batch, BATCH))) {
        run(w->env, drain, w);
        all += w->n;
    }
    return all;
}

static void work(JNIEnv *env) {
    static struct ch_noted batch[BATCH];
    struct work w = {.env = env, .batch = batch, .next_ms = 0};
    int pause = SOONEST_MS;
    uint64_t count, due = 0; /* when the next timer is, ns */
    while (!stopping) {
        bool found = drain_all(&w);
        uint64_t now = ch_monotonic_ns();
        if (w.next_ms >= 0 && now >= due) {
            run(env, tick, &w);
            now = ch_monotonic_ns();
            due = now + (uint64_t)(w.next_ms < 0 ? 0 : w.next_ms) * 1000000;
        }
        pause = found ? SOONEST_MS : pause < LATEST_MS ? pause * 2 : LATEST_MS;
        int64_t until = w.next_ms < 0 ? pause : (int64_t)((due > now ? due - now : 0) / 1000000) + 1;
        struct pollfd wake = {.fd = ch_rings_wake, .events = POLLIN};
        if (poll(&wake, 1, until < pause ? (int)until : pause) > 0) (void)!read(ch_rings_wake, &count, sizeof count);
    }
    drain_all(&w);
}

static void JNICALL begin(jvmtiEnv *jvmti, JNIEnv *env, void *unused) {
    (void)jvmti, (void)unused;
    ch_thread_ended(env, own); /* it needs no counters */
    ch_java_thread_ended(); /* nor samples: it is not the program's */
    prctl(PR_SET_NAME, "classhook agent");
    work(env);
    pthread_mutex_lock(&lock);
    runs = false;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

void ch_worker_start(JNIEnv *env) {
    pthread_condattr_t monotonic;
    if (ch_rings_wake < 0) {
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&ended, &monotonic);
        ch_rings_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    own = ch_new_thread(env, "classhook agent");
    if (!own) {
        ch_say("no memory for the agent's thread: handlers are not told of events that wait for it, and timers do not run");
        return;
    }
    stopping = false;
    runs = ch_ok((*ch_jvmti)->RunAgentThread(ch_jvmti, own, begin, NULL, JVMTI_THREAD_NORM_PRIORITY), "a thread for the agent");
}

void ch_worker_stop(void) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += PATIENCE;
    if (!runs) return;
    stopping = true;
    (void)!write(ch_rings_wake, &(uint64_t){1}, sizeof(uint64_t));
    pthread_mutex_lock(&lock);
    while (runs && !pthread_cond_timedwait(&ended, &lock, &end)) {}
    pthread_mutex_unlock(&lock);
}
