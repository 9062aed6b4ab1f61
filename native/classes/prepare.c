/* A class is prepared: none of its code has run, and all its supertypes are loaded. It is retransformed if the hook could not weave it as it
 * should be: its loader had not answered yet (loaders.c), or its supertypes are not those that the hook expected (supertypes.c).
 */
#include "classes.h"
#include <string.h>

/* The class's description is written anew when it is retransformed. */
static void withdraw(const struct ch_done *done) {
    if (done->description && (!done->has_slots || ch_copies_drop(done->copy))) ch_meta_void(done->description);
    __atomic_fetch_sub(&ch_header->matched, done->matched, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&ch_header->woven, done->woven, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&ch_header->cached, done->cached, __ATOMIC_RELAXED);
}

/* Whether other rules than the hook thought apply to the class. */
static bool surprises(JNIEnv *env, jobject loader, jclass c, const char *name) {
    bool in_jdk;
    if (!ch_has_subtypes || strchr(name, '.')) return false; /* a hidden class; its name has a dot */
    struct ch_prepared p = ch_supertypes_prepared(env, loader, c, name);
    if (p.expected == p.supertypes || ch_is_untouchable(loader, name)) return false;
    if (!p.supertypes) {
        ch_skip(name, "supertypes-unknown", "there is no memory for the names of its supertypes");
        return false;
    }
    if (ch_aot_recording && !loader) {
        ch_leave(name, "aot-recording", "it was loaded before the agent");
        return false;
    }
    bool yes = !p.expected || ch_filter_match(env, loader, name, p.expected, &in_jdk) || ch_filter_match(env, loader, name, p.supertypes, &in_jdk);
    if (yes && p.guessed) ch_supertypes_remember(name, p.supertypes);
    if (yes) withdraw(&p.done);
    return yes;
}

void JNICALL ch_class_prepare(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jclass c) {
    jobject loader = NULL;
    char name[1024];
    (void)thread;
    if (!ch_hook_on || (*jvmti)->GetClassLoader(jvmti, c, &loader) || !ch_name_of_class(c, name, sizeof name)) return;
    bool surprise = surprises(env, loader, c, name);
    enum ch_linked linked = ch_loader_linked(env, loader, c, name);
    if (linked == CH_TO_RETRANSFORM || (linked == CH_NOT_WAITING && surprise)) ch_retransform(env, 1, &c);
    if (loader) (*env)->DeleteLocalRef(env, loader);
}
