/* Classes that are gone. JVMTI has no event for that, and HotSpot's own extension is silent in newer JVMs; but a
 * class's object is freed with it.
 *
 * Each class whose unloading a handler may ask for gets a weak reference when it is prepared, with the number of its
 * name. A tag, in an environment of its own, marks the classes that have one.
 */
#include "../base/waiting.h"
#include "../base/clock.h"
#include "events.h"
#include <pthread.h>

enum { PATIENCE_MS = 2 };

static jvmtiEnv *jvmti;
/* held while a class gets its reference; taken with a timeout */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void freed(uint64_t number) {
    char name[1024]; /* internal, as patterns are */
    size_t n = 0;
    for (const char *p = ch_name_of((uint32_t)number); *p && n < sizeof name - 1; p++) name[n++] = *p == '.' ? '/' : *p;
    name[n] = 0;
    struct ch_call call = {.record = {.time = ch_about_now(), .name = (uint32_t)number}};
    ch_handlers_notify(CH_EVENT_CLASS_UNLOAD, &call, name);
    ch_queue_wait();
}

static struct ch_weak_set classes_there = {.freed = freed};

/* Gives a class its reference, only once, even if the class is found among the loaded ones and prepared at the same
 * time. */
static void refer(JNIEnv *env, jclass c, uint32_t number) {
    const struct timespec end = ch_in_ms(CLOCK_REALTIME, PATIENCE_MS);
    jlong tag = 0;
    bool alone = !pthread_mutex_timedlock(&lock, &end); /* not for ever: the thread that holds it may be suspended */
    if (!(*jvmti)->GetTag(jvmti, c, &tag) && !tag && !(*jvmti)->SetTag(jvmti, c, number))
        (void)ch_weak_add(&classes_there, env, c, number);
    if (alone) pthread_mutex_unlock(&lock);
}

static void mark(JNIEnv *env, jclass c) {
    char name[1024];
    if (!ch_name_of_class(c, name, sizeof name)) return;
    struct ch_handler *h = ch_handlers_of(CH_EVENT_CLASS_UNLOAD);
    while (h && h->glob && !ch_glob(h->glob, name)) h = h->next;
    uint32_t number = h ? ch_class_number(name) : 0;
    if (number) refer(env, c, number);
}

static void JNICALL prepared(jvmtiEnv *e, JNIEnv *env, jthread thread, jclass c) {
    (void)e, (void)thread;
    if (!ch_introducing) mark(env, c);
}

static void mark_loaded(JNIEnv *env) {
    jclass *classes = NULL;
    jint n = 0, status;
    if ((*jvmti)->GetLoadedClasses(jvmti, &n, &classes)) return;
    (void)ch_local_room(env, n + 16);
    for (jint i = 0; i < n; i++) {
        if (!(*jvmti)->GetClassStatus(jvmti, classes[i], &status) && (status & JVMTI_CLASS_STATUS_PREPARED))
            mark(env, classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}

static bool listen(jvmtiEventMode mode) {
    return !(*jvmti)->SetEventNotificationMode(jvmti, mode, JVMTI_EVENT_CLASS_PREPARE, NULL);
}

bool ch_unloads_start(JNIEnv *env) {
    static const jvmtiEventCallbacks callbacks = {.ClassPrepare = prepared};
    if (!ch_handler_exists(CH_EVENT_CLASS_UNLOAD)) return true;
    if (!jvmti && !(jvmti = ch_tags_environment(&callbacks))) return false;
    if (!ch_weak_open(&classes_there, env) || !listen(JVMTI_ENABLE)) return false;
    mark_loaded(env);
    return true;
}

void ch_unloads_stop(JNIEnv *env) {
    if (jvmti) listen(JVMTI_DISABLE);
    ch_weak_close(&classes_there, env);
}
