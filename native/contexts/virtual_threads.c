/* Virtual threads: what moves from carrier to carrier with them.
 *
 * VirtualThread.mount and unmount call these (instrument/weaving/class_weaver.py). While an AOT cache is recorded,
 * VirtualThread cannot be changed, and in a bundle nobody weaves it: then two events that only HotSpot has say the
 * same, at some microseconds each.
 */
#include "../base/jdk_members.h"
#include "attribution.h"
#include "../timing/shadow_stacks.h"
#include "tracker_natives.h"
#include <string.h>

static void has_mounted(JNIEnv *env, jthread carrier, int64_t id) {
    if (ch_self.virtual_id) ch_scopes_end(env, carrier); /* VirtualThread was not woven when that one unmounted */
    ch_stack_mounted(id);
    if (id) ch_scopes_mounted(env, carrier, id);
}

static void is_unmounting(JNIEnv *env, jthread carrier) {
    int64_t id = ch_stack_leaves();
    if (id) ch_scopes_unmounting(env, carrier, id);
    ch_stack_unmounting(id);
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_mountedOn(JNIEnv *env, jclass c, jlong id, jthread carrier) {
    (void)c;
    ch_may_move();
    has_mounted(env, carrier, id);
    return ch_moved(0);
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_unmountingFrom(JNIEnv *env, jclass c, jthread carrier) {
    (void)c;
    ch_may_move();
    is_unmounting(env, carrier);
    return ch_moved(0);
}

/* ---- those that were mounted before that was seen */

static uint32_t begun; /* how often that began */
static jclass thread_class;
static jmethodID current; /* also a virtual one */
static jfieldID id_of, carrier_of;

static void look(JNIEnv *env, jthread carrier) {
    if (ch_self.mounts == ch_load_acquire(&begun) || (*env)->ExceptionCheck(env)) return;
    ch_self.mounts = ch_load_acquire(&begun);
    if (ch_self.virtual_id > 0 && ch_stack_is_of(ch_self.virtual_id)) return; /* it was seen */
    jthread now = (*env)->CallStaticObjectMethod(env, thread_class, current);
    if (!now || (*env)->ExceptionCheck(env)) return; /* it throws nothing */
    int64_t id = (*env)->IsSameObject(env, now, carrier) ? 0 : (*env)->GetLongField(env, now, id_of);
    (*env)->DeleteLocalRef(env, now);
    if (!ch_stack_is_of(id)) has_mounted(env, carrier, id);
}

void ch_mounts_look(JNIEnv *env) {
    jclass thread = !current ? ch_boot_class(env, "java.lang.Thread") : NULL;
    if (thread) {
        id_of = ch_jdk_field(env, CH_JDK_THREAD_ID, NULL);
        thread_class = (*env)->NewGlobalRef(env, thread);
        current = (*env)->GetStaticMethodID(env, thread, "currentThread", "()Ljava/lang/Thread;");
    }
    if (!current || !thread_class || !id_of) return;
    ch_store_release(&begun, begun + 1);
    ch_threads_look_first(env, look);
}

/* ---- by events, which the JVM sends on the thread itself, when its carrier is known */

static void JNICALL by_event_mounted(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    (void)jvmti;
    jthread carrier = (*env)->GetObjectField(env, thread, carrier_of);
    has_mounted(env, carrier, (*env)->GetLongField(env, thread, id_of));
    (*env)->DeleteLocalRef(env, carrier);
}

static void JNICALL by_event_unmounting(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    (void)jvmti;
    jthread carrier = (*env)->GetObjectField(env, thread, carrier_of);
    is_unmounting(env, carrier);
    (*env)->DeleteLocalRef(env, carrier);
}

typedef void JNICALL handler(jvmtiEnv *, JNIEnv *, jthread);
static const struct {
    const char *id;
    handler *handler;
} handlers[] = {{"com.sun.hotspot.events.VirtualThreadMount", by_event_mounted},
                {"com.sun.hotspot.events.VirtualThreadUnmount", by_event_unmounting}};

static bool listen(const jvmtiExtensionEventInfo *event, handler *to) {
    return !(*ch_jvmti)->SetExtensionEventCallback(ch_jvmti, event->extension_event_index,
                                                   (jvmtiExtensionEvent)(void (*)(void))to) &&
           !(*ch_jvmti)->SetEventNotificationMode(ch_jvmti, JVMTI_ENABLE, (jvmtiEvent)event->extension_event_index,
                                                  NULL);
}

static void free_text(void *text) { (*ch_jvmti)->Deallocate(ch_jvmti, text); }

static void free_event(jvmtiExtensionEventInfo *event) {
    for (jint i = 0; i < event->param_count; i++) free_text(event->params[i].name);
    free_text(event->params);
    free_text(event->short_description);
    free_text(event->id);
}

bool ch_virtual_threads_by_events(JNIEnv *env) {
    jvmtiExtensionEventInfo *events = NULL;
    jint n = 0;
    size_t heard = 0;
    id_of = ch_jdk_field(env, CH_JDK_THREAD_ID, NULL);
    carrier_of = ch_jdk_field(env, CH_JDK_VIRTUAL_THREAD_CARRIER, NULL);
    if (!id_of || !carrier_of || (*ch_jvmti)->GetExtensionEvents(ch_jvmti, &n, &events)) return false;
    for (jint i = 0; i < n; i++) {
        for (size_t k = 0; k < sizeof handlers / sizeof *handlers; k++)
            heard += !strcmp(events[i].id, handlers[k].id) && listen(&events[i], handlers[k].handler);
        free_event(&events[i]);
    }
    free_text(events);
    return heard == sizeof handlers / sizeof *handlers;
}
