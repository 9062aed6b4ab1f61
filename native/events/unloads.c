/* Classes that are gone. JVMTI has no event for that, and HotSpot's own extension is silent in newer JVMs; but a class's object is freed with it.
 *
 * Each class that a handler may be told of gets its name's number as a tag when it is prepared, in an environment of its own. When the object is
 * freed, the JVM tells that on a thread of its own: into the ring.
 */
#include "../base/clock.h"
#include "events.h"

static jvmtiEnv *jvmti;

static void JNICALL freed(jvmtiEnv *e, jlong tag) {
    char name[1024]; /* internal, as patterns are */
    size_t n = 0;
    (void)e;
    for (const char *p = ch_name_of((uint32_t)tag); *p && n < sizeof name - 1; p++) name[n++] = *p == '.' ? '/' : *p;
    name[n] = 0;
    struct ch_call call = {.record = {.time = ch_about_now(), .name = (uint32_t)tag}};
    ch_events_tell(CH_EVENT_CLASS_UNLOAD, &call, name);
}

static void mark(jclass c) {
    char name[1024];
    if (!ch_name_of_class(c, name, sizeof name)) return;
    struct ch_handler *h = ch_handlers_of(CH_EVENT_CLASS_UNLOAD);
    while (h && h->glob && !ch_glob(h->glob, name)) h = h->next;
    uint32_t number = h ? ch_class_number(name) : 0;
    if (number) (void)(*jvmti)->SetTag(jvmti, c, number);
}

static void JNICALL prepared(jvmtiEnv *e, JNIEnv *env, jthread thread, jclass c) {
    (void)e, (void)env, (void)thread;
    if (!ch_introducing) mark(c);
}

static void mark_loaded(JNIEnv *env) {
    jclass *classes = NULL;
    jint n = 0, status;
    if ((*jvmti)->GetLoadedClasses(jvmti, &n, &classes)) return;
    (*env)->EnsureLocalCapacity(env, n + 16);
    for (jint i = 0; i < n; i++) {
        if (!(*jvmti)->GetClassStatus(jvmti, classes[i], &status) && (status & JVMTI_CLASS_STATUS_PREPARED)) mark(classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)classes);
}

static bool listen(jvmtiEventMode mode) {
    return !(*jvmti)->SetEventNotificationMode(jvmti, mode, JVMTI_EVENT_CLASS_PREPARE, NULL) &&
           !(*jvmti)->SetEventNotificationMode(jvmti, mode, JVMTI_EVENT_OBJECT_FREE, NULL);
}

bool ch_unloads_start(JNIEnv *env) {
    static const jvmtiEventCallbacks callbacks = {.ObjectFree = freed, .ClassPrepare = prepared};
    if (!ch_handler_exists(CH_EVENT_CLASS_UNLOAD)) return true;
    if (!jvmti && !(jvmti = ch_tags_apart(&callbacks))) return false;
    if (!listen(JVMTI_ENABLE)) return false;
    mark_loaded(env);
    return true;
}

void ch_unloads_stop(void) {
    if (jvmti) listen(JVMTI_DISABLE);
}
