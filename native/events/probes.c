/* The natives that probes of `event` call (native/building/tracker.py): at the entry of a method, and where it ends. */
#include "../base/clock.h"
#include "events.h"

static void tell(const struct ch_probed *p, bool exit, struct ch_call *call) {
    for (uint32_t i = 0; i < p->n; i++) {
        struct ch_handler *h = &ch_handlers[p->told[i].handler];
        if (p->told[i].exit == exit && h->on && h->event == (exit ? CH_EVENT_METHOD_EXIT : CH_EVENT_METHOD_ENTRY)) ch_tell(h, call);
    }
}

static const struct ch_probed *noted(jint slot) {
    if (!ch_events_on || ch_self.silent || ch_call_is_running()) return NULL;
    const struct ch_probed *p = ch_probed((uint32_t)slot);
    if (p) ch_block_add(ch_block_for_count(), slot, 0, 1);
    return p;
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_entered(JNIEnv *env, jclass c, jint slot, jobject this_object, jobject args) {
    (void)c;
    const struct ch_probed *p = noted(slot);
    if (!p) return;
    struct ch_call call = {.record = {.time = ch_now(), .site = (uint32_t)slot}, .env = env, .this_object = this_object, .args = args};
    tell(p, false, &call);
}

static void ended(JNIEnv *env, jobject value, bool threw, jint slot, jlong start, jobject this_object, jobject args) {
    const struct ch_probed *p = noted(slot);
    if (!p) return;
    struct ch_call call = {.record = {.time = ch_now(), .site = (uint32_t)slot, .threw = threw, .ns = (int64_t)ch_monotonic_ns() - start},
                           .env = env, .this_object = this_object, .args = args, .value = value};
    if (threw && value) call.record.name = ch_name_of_type(env, value);
    tell(p, true, &call);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_left(JNIEnv *env, jclass c, jobject value, jint slot, jlong start, jobject this_object, jobject args) {
    (void)c;
    ended(env, value, false, slot, start, this_object, args);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_threw(JNIEnv *env, jclass c, jobject value, jint slot, jlong start, jobject this_object, jobject args) {
    (void)c;
    ended(env, value, true, slot, start, this_object, args);
}
