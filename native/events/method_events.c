/* The natives that probes of `event` call (native/building/tracker/events.py): at the entry of a method, and where it ends. */
#include "../base/clock.h"
#include "events.h"
#include "tracker_natives.h"

static bool is_told(const struct ch_probe_handler *t, bool exit) {
    const struct ch_handler *h = &ch_handlers[t->handler];
    return t->exit == exit && ch_load_relaxed(&h->on) && h->event == (exit ? CH_EVENT_METHOD_EXIT : CH_EVENT_METHOD_ENTRY);
}

/* Apart, since a queued event needs no room for all this. */
static __attribute__((noinline)) void tell_at_once(struct ch_handler *h, const struct ch_noted *noted, JNIEnv *env, jobject this_object, jobject args,
                                                   jobject value) {
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

/* Most of the time is that of the JVM's call of a native; what no handler asks for is not done. */
static void tell(JNIEnv *env, jint slot, bool exit, bool threw, jlong start, jobject this_object, jobject args, jobject value) {
    if (!ch_load_acquire(&ch_events_on) || ch_self.silent || ch_call_is_running()) return;
    const struct ch_probed *p = ch_probed((uint32_t)slot);
    uint32_t i = 0;
    if (!p) return;
    ch_block_add(ch_block_for_count(), slot, 0, 1);
    while (i < p->n && !is_told(&p->told[i], exit)) i++;
    if (i == p->n) return;
    struct ch_noted noted = {
        .time = ch_about_now(), .site = (uint32_t)slot, .threw = threw, .event = exit ? CH_EVENT_METHOD_EXIT : CH_EVENT_METHOD_ENTRY};
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

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_entered(JNIEnv *env, jclass c, jint slot, jobject this_object, jobject args) {
    (void)c;
    tell(env, slot, false, false, 0, this_object, args, NULL);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_left(JNIEnv *env, jclass c, jobject value, jint slot, jlong start, jobject this_object,
                                                            jobject args) {
    (void)c;
    tell(env, slot, true, false, start, this_object, args, value);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_threw(JNIEnv *env, jclass c, jobject value, jint slot, jlong start, jobject this_object,
                                                             jobject args) {
    (void)c;
    tell(env, slot, true, true, start, this_object, args, value);
}
