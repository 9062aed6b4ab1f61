/* Contexts that scripts begin and end by name, on the thread whose handler runs, such as those of tests. */
#include "../contexts/attribution.h"
#include "events.h"
#include <string.h>

static struct ch_context_entered *named(const char *name) {
    return ch_context_of(CH_NO_PROBE, name, (uint32_t)strlen(name));
}

bool ch_named_context_begins(JNIEnv *env, const char *name) {
    jthread carrier = *name && !ch_self.silent ? ch_thread_current(env) : NULL;
    if (!carrier) return false;
    bool begun = ch_scope_begin(env, carrier, CH_NO_PROBE, name, (uint32_t)strlen(name));
    (*env)->DeleteLocalRef(env, carrier);
    return begun;
}

bool ch_named_context_ends(JNIEnv *env, const char *name) {
    jthread carrier = *name ? ch_thread_current(env) : NULL;
    if (!carrier) return false;
    bool ended = ch_scope_end(env, carrier, named(name));
    (*env)->DeleteLocalRef(env, carrier);
    return ended;
}

bool ch_named_context_ambient(JNIEnv *env, const char *name) {
    ch_ambient(env, *name ? named(name) : ch_started_by());
    return true;
}

void ch_test_note(uint32_t number, const char *text, size_t bytes) {
    ch_meta_add(CH_META_TEST, number, 0, text, bytes);
}

void ch_state_note(uint32_t what, const char *text) { ch_meta_add(CH_META_STATE, what, 0, text, strlen(text)); }
