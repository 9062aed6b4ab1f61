/* The natives that probes of `event` call (native/tracker/Events.java): at the entry of a method, and where it
 * ends.
 *
 * A class may have to keep probes whose handlers are off, since it waits for a loop that runs. So a native that finds
 * no handler on says so in the tracker's array, and is not called again. A thread that turns a handler on exchanges the
 * array after that: a native takes the array before it looks at the handlers, so a premature result is written into an
 * array that nobody reads any more. */
#include "../base/clock.h"
#include "events.h"
#include "tracker_natives.h"

/* ---- probes that nobody listens to */

enum { LEAST_SLOTS = 1 << 10, MOST_SLOTS = 1 << 24 };
static jfieldID silent_field;
static jclass tracker;

static jbyteArray silent_now(JNIEnv *env, jclass c) {
    if (!silent_field) silent_field = (*env)->GetStaticFieldID(env, c, "SILENT", "[B");
    if (!tracker) ch_store_release(&tracker, (jclass)(*env)->NewGlobalRef(env, c)); /* one more of them does no harm */
    return silent_field ? (*env)->GetStaticObjectField(env, c, silent_field) : NULL;
}

/* `before`: the array, taken before nobody was found. */
static void be_silent(JNIEnv *env, jclass c, jint slot, jbyteArray before) {
    static const jbyte yes = 1;
    jsize n = before ? (*env)->GetArrayLength(env, before) : 0, wanted = n > LEAST_SLOTS ? n : LEAST_SLOTS;
    if (slot < n) {
        (*env)->SetByteArrayRegion(env, before, slot, 1, &yes);
        return;
    }
    while (wanted <= slot && wanted < MOST_SLOTS) wanted *= 2;
    /* a new one is empty: others say it again */
    jbyteArray more = wanted > slot ? (*env)->NewByteArray(env, wanted) : NULL;
    if (more) (*env)->SetStaticObjectField(env, c, silent_field, more);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
}

void ch_probes_listen(void) {
    JNIEnv *env = NULL;
    jclass c = ch_load_acquire(&tracker);
    if (c && !(*ch_vm)->GetEnv(ch_vm, (void **)&env, JNI_VERSION_1_8))
        (*env)->SetStaticObjectField(env, c, silent_field, NULL);
}

/* ---- */

static bool is_told(const struct ch_probe_handler *t, bool exit) {
    const struct ch_handler *h = &ch_handlers[t->handler];
    return t->exit == exit && ch_load_relaxed(&h->on) &&
           h->event == (exit ? CH_EVENT_METHOD_EXIT : CH_EVENT_METHOD_ENTRY);
}

/* Apart, since a queued event needs no room for all this. */
static __attribute__((noinline)) void tell_at_once(struct ch_handler *h, const struct ch_noted *noted, JNIEnv *env,
                                                   jobject this_object, jobject args, jobject value) {
    struct ch_call call;
    call.record = *noted;
    call.env = env;
    call.this_object = this_object;
    call.args = args;
    call.value = value;
    call.subject = NULL;
    call.text = NULL;
    call.data = NULL;
    call.bytes = call.answer_bytes = 0;
    call.answer = NULL;
    call.other_shape = false;
    ch_handler_notify(h, &call);
}

static void look_again(JNIEnv *env, jclass c, jint slot, const struct ch_probed *p) {
    jbyteArray before = silent_now(env, c);
    uint32_t i = 0;
    ch_fence_acquire();
    while (i < p->n && !is_told(&p->told[i], false) && !is_told(&p->told[i], true)) i++;
    if (i == p->n && silent_field) be_silent(env, c, slot, before);
}

/* Most of the time is that of the JVM's call of a native; what no handler asks for is not done. */
static void tell(JNIEnv *env, jclass c, jint slot, bool exit, bool threw, jlong start, jobject this_object,
                 jobject args, jobject value) {
    if (!ch_load_acquire(&ch_events_on) || ch_self.silent || ch_call_is_running()) return;
    if (exit && !start) return; /* a suspend function's call that began before there was a probe */
    const struct ch_probed *p = ch_probed((uint32_t)slot);
    uint32_t i = 0;
    if (!p) return;
    ch_block_add(ch_block_for_count(), slot, 0, 1);
    while (i < p->n && !is_told(&p->told[i], exit)) i++;
    if (i == p->n) {
        look_again(env, c, slot, p);
        return;
    }
    struct ch_noted noted = {.time = ch_about_now(),
                             .site = (uint32_t)slot,
                             .threw = threw,
                             .event = exit ? CH_EVENT_METHOD_EXIT : CH_EVENT_METHOD_ENTRY};
    if (exit) noted.took = (int64_t)noted.time - start;
    if (threw && value) noted.name = ch_name_of_type(env, value);
    for (; i < p->n; i++) {
        if (!is_told(&p->told[i], exit)) continue;
        struct ch_handler *h = &ch_handlers[p->told[i].handler];
        if (noted.took < h->least) continue;
        uint32_t stack = ch_load_relaxed(&h->frames) ? ch_stack_taken(h->frames) : 0;
        struct ch_noted *place = h->sync ? NULL : ch_queue_place(h, true);
        if (place) {
            *place = (struct ch_noted){.time = noted.time,
                                       .took = noted.took,
                                       .handler = p->told[i].handler,
                                       .event = noted.event,
                                       .site = noted.site,
                                       .name = noted.name,
                                       .threw = noted.threw,
                                       .stack = stack & CH_STACK_BITS};
            ch_queue_filled(place);
        } else if (h->sync) {
            noted.handler = p->told[i].handler;
            tell_at_once(h, &noted, env, this_object, args, value);
        }
    }
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_now(JNIEnv *env, jclass c) {
    (void)env, (void)c;
    return (jlong)ch_about_now();
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_entered0(JNIEnv *env, jclass c, jint slot, jobject this_object,
                                                                jobject args) {
    if (slot < 0)
        ch_boot_class_called(env);
    else
        tell(env, c, slot, false, false, 0, this_object, args, NULL);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_left0(JNIEnv *env, jclass c, jobject value, jint slot,
                                                             jlong start, jobject this_object, jobject args) {
    tell(env, c, slot, true, false, start, this_object, args, value);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_threw0(JNIEnv *env, jclass c, jobject value, jint slot,
                                                              jlong start, jobject this_object, jobject args) {
    tell(env, c, slot, true, true, start, this_object, args, value);
}
