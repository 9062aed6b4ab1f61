/* Work at the end of Java's shutdown, when the JVM can still do everything.
 *
 * At VMDeath it cannot: before JDK 26, ZGC and Shenandoah have stopped their threads by then, so that a collection or a
 * heap dump never ends, and not even SIGTERM ends the JVM. So the tracker class, a Runnable, is the last hook of
 * java.lang.Shutdown. It runs after the program's own hooks, both at System.exit and when the last thread that is no
 * daemon has ended. Runtime.halt runs no hooks.
 *
 * Whatever the work waits for, the JVM ends: a thread of the process's own, which needs nothing of the JVM's, ends the
 * process when the work takes too long.
 */
#include "jdk_members.h"
#include "base.h"
#include "tracker_natives.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LAST_SLOT = 9, FIRST_FREE_SLOT = 3 }; /* of java.lang.Shutdown: the JDK takes 0 to 2 */
enum { COLLECTS_AT_VM_DEATH = 26 }; /* the first JDK whose collectors stop only after VMDeath */

static void (*work)(JNIEnv *env);
static bool added, stopped_early, ends;

/* Threads of collectors that HotSpot stops before VMDeath; it cuts names off after 15 bytes. */
static bool is_no_such_collector(uint32_t tid, void *found) {
    static const char *const names[] = {"ZDirector", "ZDriver", "Shenandoah"};
    char name[CH_KERNEL_NAME];
    ch_thread_kernel_name(tid, name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i]))) *(bool *)found = true;
    return !*(bool *)found;
}

static bool collector_stops_early(void) {
    bool found = false;
    ch_each_thread(is_no_such_collector, &found);
    return found;
}

static bool add(JNIEnv *env, jobject hook) {
    jclass shutdown;
    jmethodID method = ch_jdk_method(env, CH_JDK_SHUTDOWN_ADD, &shutdown);
    for (jint slot = LAST_SLOT; method && slot >= FIRST_FREE_SLOT; slot--) {
        (*env)->CallStaticVoidMethod(env, shutdown, method, slot, JNI_FALSE, hook);
        if (!(*env)->ExceptionCheck(env)) return true;
        (*env)->ExceptionClear(env); /* somebody else has it */
    }
    return false;
}

void ch_at_shutdown(JNIEnv *env, void (*function)(JNIEnv *env)) {
    work = function;
    if (added || !ch_local_frame(env, 8)) return;
    jclass tracker = ch_boot_class(env, "java.lang.ClasshookTracker");
    jobject hook = tracker ? (*env)->AllocObject(env, tracker) : NULL;
    added = hook && add(env, hook);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    (*env)->PopLocalFrame(env, NULL);
    stopped_early = ch_jvm_version < COLLECTS_AT_VM_DEATH && collector_stops_early();
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_shutDown(JNIEnv *env, jclass c) {
    (void)c;
    if (work) work(env);
}

/* ---- how long that may take */

enum { LIMIT_S = 600, STEP_MS = 100, FORCED_STATUS = 1 };

static uint32_t phase; /* odd: while there is work */

uint64_t ch_end_limit_ms(uint64_t usual) {
    const char *text = getenv("CLASSHOOK_END_S");
    return text && *text ? strtoul(text, NULL, 10) * UINT64_C(1000) : usual;
}

static void *watch(void *number) {
    uint64_t limit = ch_end_limit_ms(LIMIT_S * 1000);
    for (uint64_t ms = 0; !limit || ms < limit; ms += STEP_MS) {
        nanosleep(&(struct timespec){0, STEP_MS * 1000000}, NULL);
        if (ch_load_acquire(&phase) != (uint32_t)(uintptr_t)number) return NULL;
    }
    ch_say("the work at the JVM's end takes more than %llu s, so the process is ended; CLASSHOOK_END_S=SECONDS gives "
           "it more, 0 any time",
           (unsigned long long)limit / 1000);
    _exit(FORCED_STATUS);
}

void ch_end_work_begins(void) {
    pthread_attr_t detached;
    pthread_t thread;
    sigset_t all, before;
    uintptr_t number = ch_add_relaxed(&phase, 1) + 1;
    sigfillset(&all);
    if (pthread_attr_init(&detached)) return;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* the program's signals are not for it */
    (void)pthread_create(&thread, &detached, watch, (void *)number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
}

void ch_end_work_done(void) { ch_add_relaxed(&phase, 1); }

void ch_jvm_ends(void) { ch_store_release(&ends, true); }

bool ch_may_collect(void) { return !stopped_early || !ch_load_acquire(&ends); }
