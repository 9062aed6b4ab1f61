/* A class is prepared: none of its code has run, and all its supertypes are loaded. It is retransformed if the hook
 * could not weave it as it should be: its loader had not answered yet (class_loaders.c), its supertypes are not those
 * that the hook expected (supertypes.c), or the rules were exchanged after it was defined (loaded_classes.c).
 */
#include "classes.h"
#include <string.h>

/* The class's description is written anew when it is retransformed. */
static void withdraw(jobject loader, const char *name, const struct ch_done *done) {
    if (done->description && (!done->placed || ch_copies_drop(done->copy))) ch_meta_void(done->description);
    ch_class_forget(loader, name, done);
    ch_sub_relaxed(&ch_header->matched, done->matched);
    ch_sub_relaxed(&ch_header->woven, done->woven);
    ch_sub_relaxed(&ch_header->cached, done->cached);
}

/* True if other rules apply to the class than the hook assumed. */
static bool surprises(JNIEnv *env, jobject loader, jclass c, const char *name) {
    bool in_jdk;
    if (!ch_wanted.subtypes || strchr(name, '.')) return false; /* a hidden class; its name has a dot */
    struct ch_prepared p = ch_supertypes_prepared(env, loader, c, name);
    if (p.expected == p.supertypes || ch_is_untouchable(loader, name)) return false;
    if (!p.supertypes) {
        ch_skip(name, "supertypes-unknown", "there is no memory for the names of its supertypes");
        return false;
    }
    if (ch_aot_recording && !loader) {
        ch_skip_matched(name, "aot-recording", "it was loaded before the agent");
        return false;
    }
    struct ch_pool pool = ch_pool_of(c);
    bool yes = !p.expected || ch_filter_match(env, loader, name, p.expected, &pool, &in_jdk) ||
               ch_filter_match(env, loader, name, p.supertypes, &pool, &in_jdk);
    ch_pool_free(&pool);
    if (yes && p.guessed) ch_supertypes_remember(name, p.supertypes);
    if (yes) withdraw(loader, name, &p.done);
    return yes;
}

void ch_class_linked(JNIEnv *env, jclass c, bool rules_exchange) {
    jobject loader = NULL;
    char name[1024];
    if (!(ch_load_acquire(&ch_hook_on) || rules_exchange) || (*ch_jvmti)->GetClassLoader(ch_jvmti, c, &loader) ||
        !ch_name_of_class(c, name, sizeof name))
        return;
    ch_rules_use();
    bool wrong = ch_load_acquire(&ch_hook_on) && surprises(env, loader, c, name);
    wrong |= rules_exchange && ch_loaded_differs(env, c, loader, name);
    if (wrong && ch_load_acquire(&ch_support_first)) { /* it is linked: ch_loaded_by_rules sees it */
        ch_class_due(loader, name);
        wrong = false;
    }
    ch_rules_used();
    enum ch_linked linked = ch_loader_linked(env, loader, c, name);
    if (linked == CH_TO_RETRANSFORM || (linked == CH_NOT_WAITING && wrong)) ch_retransform(env, 1, &c);
    if (loader) (*env)->DeleteLocalRef(env, loader);
}
