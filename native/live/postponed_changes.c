/* Changes classes whose change was postponed (classes/postponed_classes.c): a thread of the agent looks again at
 * growing intervals whether their loops have ended. It is there only while there are such classes, after `detach`, too,
 * and takes the session's turn only if nobody has it. */
#include "../base/waiting.h"
#include "live.h"
#include "../contexts/attribution.h"
#include <pthread.h>
#include <sys/prctl.h>

enum { FIRST_MS = 50, LAST_MS = 2000, PATIENCE_MS = 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told; /* by CLOCK_MONOTONIC: other classes, or none; and the thread has ended */
static bool runs, stopping, sooner;
static jobject own;
static bool (*look_again)(JNIEnv *env);

/* Until it is time to look again; false: the thread has to end. */
static bool wait(uint64_t *ms) {
    const struct timespec until = ch_in_ms(CLOCK_MONOTONIC, *ms);
    pthread_mutex_lock(&lock);
    while (!stopping && !sooner && !pthread_cond_timedwait(&told, &lock, &until)) {}
    *ms = sooner ? FIRST_MS : *ms * 2 < LAST_MS ? *ms * 2 : LAST_MS;
    sooner = false;
    bool go_on = !stopping;
    pthread_mutex_unlock(&lock);
    return go_on;
}

/* `none`: no class is postponed any more; false: there are others meanwhile. */
static bool end(JNIEnv *env, bool none) {
    pthread_mutex_lock(&lock);
    bool ends = stopping || (none && !sooner);
    if (ends) {
        (*env)->DeleteGlobalRef(env, own);
        own = NULL;
        runs = false;
        pthread_cond_broadcast(&told);
    }
    pthread_mutex_unlock(&lock);
    return ends;
}

static void JNICALL work(jvmtiEnv *jvmti, JNIEnv *env, void *unused) {
    uint64_t ms = FIRST_MS;
    (void)jvmti, (void)unused;
    ch_thread_ended(env, own); /* it needs no counters */
    ch_java_thread_ended(); /* nor samples: it is not the program's */
    prctl(PR_SET_NAME, "classhook later");
    for (bool none = false; !end(env, none);) {
        if (!wait(&ms) || !ch_local_frame(env, 64)) continue;
        none = look_again(env);
        (*env)->PopLocalFrame(env, NULL);
    }
}

static void start(JNIEnv *env, struct ch_error *error) {
    static bool prepared;
    if (!prepared) {
        ch_condition_init(&told);
        prepared = true;
    }
    stopping = false;
    own = ch_new_thread(env, "classhook later");
    runs = own && ch_check(error, (*ch_jvmti)->RunAgentThread(ch_jvmti, own, work, NULL, JVMTI_THREAD_NORM_PRIORITY),
                           "a thread that changes classes when their loops have ended");
    if (!runs && own) (*env)->DeleteGlobalRef(env, own);
}

/* Lock held. It may be changing classes: that is not waited for long. */
static void stop(void) {
    const struct timespec until = ch_in_ms(CLOCK_MONOTONIC, PATIENCE_MS);
    stopping = true;
    pthread_cond_broadcast(&told);
    while (runs && !pthread_cond_timedwait(&told, &lock, &until)) {}
}

void ch_postponed_settle(JNIEnv *env, bool (*look)(JNIEnv *env), struct ch_error *error) {
    pthread_mutex_lock(&lock);
    look_again = look;
    if (ch_postponed() && runs && !stopping) {
        sooner = true;
        pthread_cond_broadcast(&told);
    } else if (ch_postponed()) {
        if (runs) stop();
        if (!runs) start(env, error);
    } else if (runs) {
        stop();
    }
    pthread_mutex_unlock(&lock);
}

void ch_postponed_stop(void) {
    pthread_mutex_lock(&lock);
    if (runs) stop();
    pthread_mutex_unlock(&lock);
}
