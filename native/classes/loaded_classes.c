/* Classes that are already loaded: woven by retransforming them, and listed for the report.
 *
 * At the start, all that match are retransformed together. If the JVM refuses, they are retransformed one by one, so that the report can
 * name the class it refuses.
 */
#include "classes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ch_aot_recording;

/* Whether the class cannot be woven; if a rule matches it, the reason is recorded. */
static bool stays(JNIEnv *env, jclass c, jobject loader, const char *name) {
    static const unsigned char no_bytes[1]; /* no rule names a supertype of such classes */
    jboolean modifiable = JNI_FALSE;
    bool untouchable = ch_is_untouchable(loader, name), recorded = ch_aot_recording && !loader, in_jdk;
    if (!untouchable && !recorded && !(*ch_jvmti)->IsModifiableClass(ch_jvmti, c, &modifiable) && modifiable) return false;
    if (ch_is_tracker(loader, name) || !ch_filter_match(env, loader, name, no_bytes, 0, &in_jdk)) return true;
    if (untouchable)
        ch_leave(name, "tracker-stands-on-it", "the probes themselves run through it");
    else if (recorded)
        ch_leave(name, "aot-recording", "it was loaded before the agent");
    else
        ch_leave(name, "refused-by-jvm", "the class is not modifiable");
    return true;
}

static bool wanted(JNIEnv *env, jclass c) {
    char *signature = NULL;
    jobject loader = NULL;
    bool yes = false, in_jdk;
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL) || !signature) return false;
    size_t n = strlen(signature);
    if (signature[0] == 'L' && !strchr(signature, '.') && n > 2) { /* a hidden class's signature has a dot */
        signature[n - 1] = 0;
        if (!(*ch_jvmti)->GetClassLoader(ch_jvmti, c, &loader))
            yes = ch_may_match(env, loader, signature + 1, NULL, 0, &in_jdk) && !stays(env, c, loader, signature + 1);
        if (loader) (*env)->DeleteLocalRef(env, loader);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    return yes;
}

void ch_loaded_start(JNIEnv *env) {
    jclass *classes = NULL;
    jint n = 0, chosen = 0;
    if (!ch_ok((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &classes), "GetLoadedClasses")) return;
    __atomic_fetch_add(&ch_header->seen, (uint64_t)n, __ATOMIC_RELAXED);
    (*env)->EnsureLocalCapacity(env, n + 64);
    for (jint i = 0; i < n; i++) {
        if (wanted(env, classes[i]))
            classes[chosen++] = classes[i];
        else
            (*env)->DeleteLocalRef(env, classes[i]);
    }
    ch_retransform(env, chosen, classes);
    for (jint i = 0; i < chosen; i++) (*env)->DeleteLocalRef(env, classes[i]);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)classes);
}

/* ---- rules that are exchanged */

/* Whether the class, by its name, is not as the rules in force want it. What the last exchange does not concern is as it should be if it was before. */
static bool differs_by_name(JNIEnv *env, jclass c, jobject loader, const char *name, bool linking) {
    struct ch_class_state s = ch_class_state(loader, name);
    uint32_t rules = ch_rules_number();
    bool in_jdk;
    if (!ch_hook_on) return s.woven;
    if (s.known && s.rules == rules) return false;
    bool wanted = ch_may_match(env, loader, name, NULL, 0, &in_jdk);
    bool was_right = s.known ? s.rules == rules - 2 : !linking; /* an unknown class that is linked only now is older than all rules */
    bool concerned = !loader && !strcmp(name, "java/lang/VirtualThread") ? wanted != s.woven : linking || !was_right || ch_filter_concerns(env, loader, name);
    if (concerned && (s.woven || (wanted && !stays(env, c, loader, name)))) return true;
    if (s.known) ch_class_note(loader, name, rules, s.woven);
    return false;
}

/* Whether it is to be retransformed now. That would link a class, with loaders' code: one that is not linked is looked at when it is. */
static bool differs(JNIEnv *env, jclass c, bool linking) {
    char name[1024];
    jobject loader = NULL;
    jint status = 0;
    if ((*ch_jvmti)->GetClassStatus(ch_jvmti, c, &status) || status & (JVMTI_CLASS_STATUS_ARRAY | JVMTI_CLASS_STATUS_PRIMITIVE)) return false;
    if (!ch_name_of_class(c, name, sizeof name) || strchr(name, '.') || (*ch_jvmti)->GetClassLoader(ch_jvmti, c, &loader)) return false;
    bool yes = differs_by_name(env, c, loader, name, linking) && (linking || status & JVMTI_CLASS_STATUS_PREPARED);
    if (yes && ch_hook_on && !linking) ch_loader_ask_now(env, loader);
    if (yes && !ch_hook_on) ch_class_note(loader, name, ch_rules_number(), false);
    if (loader) (*env)->DeleteLocalRef(env, loader);
    return yes;
}

static bool is_woven(JNIEnv *env, jclass c) {
    char name[1024];
    jobject loader = NULL;
    if (!ch_name_of_class(c, name, sizeof name) || (*ch_jvmti)->GetClassLoader(ch_jvmti, c, &loader)) return false;
    bool yes = ch_class_state(loader, name).woven;
    if (loader) (*env)->DeleteLocalRef(env, loader);
    return yes;
}

void ch_loaded_by_rules(JNIEnv *env, struct ch_stops *stops) {
    jclass *classes = NULL;
    jint n = 0, chosen = 0;
    if (!ch_ok((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &classes), "GetLoadedClasses")) return;
    if (!ch_header->seen) ch_header->seen = (uint64_t)n;
    (*env)->EnsureLocalCapacity(env, n + 64);
    for (jint i = 0; i < n; i++) {
        if (differs(env, classes[i], false))
            classes[chosen++] = classes[i];
        else
            (*env)->DeleteLocalRef(env, classes[i]);
    }
    uint32_t woven = 0, same = 0; /* of those that were not woven, how many still are not: they wait for their loaders, or have no such method */
    for (jint i = 0; ch_hook_on && i < chosen; i++) woven += is_woven(env, classes[i]);
    ch_retransform_gently(env, chosen, classes, stops);
    for (jint i = 0; ch_hook_on && i < chosen; i++) same += !is_woven(env, classes[i]);
    stops->classes -= same < (uint32_t)chosen - woven ? same : (uint32_t)chosen - woven;
    for (jint i = 0; i < chosen; i++) (*env)->DeleteLocalRef(env, classes[i]);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)classes);
}

void ch_loaded_class_linked(JNIEnv *env, jclass c) {
    ch_rules_use();
    bool yes = differs(env, c, true);
    ch_rules_used();
    if (yes) ch_retransform(env, 1, &c);
}

/* Whether a class's constant pool names the tracker and has probe numbers as the weaver leaves them (JVMS 4.4). */
static bool is_unnumbered(const unsigned char *pool, jint bytes) {
    enum { INTEGER = 3 };
    static const unsigned char number[] = {INTEGER, CH_UNNUMBERED >> 24, CH_UNNUMBERED >> 16 & 0xFF};
    return memmem(pool, (size_t)bytes, CH_TRACKER, sizeof CH_TRACKER - 1) && memmem(pool, (size_t)bytes, number, sizeof number);
}

void ch_loaded_say_unnumbered(void) {
    jvmtiCapabilities c = {.can_get_constant_pool = 1};
    jclass *classes = NULL;
    jint n = 0, count = 0, bytes = 0;
    unsigned char *pool;
    if (!ch_unnumbered_ran() || !ch_ok((*ch_jvmti)->AddCapabilities(ch_jvmti, &c), "access to constant pools")) return;
    if ((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &classes)) return;
    for (jint i = 0; i < n; i++) {
        char *signature = NULL;
        if ((*ch_jvmti)->GetConstantPool(ch_jvmti, classes[i], &count, &bytes, &pool)) continue;
        if (is_unnumbered(pool, bytes) && !(*ch_jvmti)->GetClassSignature(ch_jvmti, classes[i], &signature, NULL)) {
            signature[strlen(signature) - 1] = 0; /* L...; */
            ch_skip(signature + 1, "probes-not-numbered", "it was woven ahead of time, then changed or defined by other means");
            (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
        }
        (*ch_jvmti)->Deallocate(ch_jvmti, pool);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)classes);
}

void ch_loaded_say_names(void) {
    jclass *classes = NULL;
    jint n = 0;
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return;
    if (!(*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &classes)) {
        for (jint i = 0; i < n; i++) {
            char *signature = NULL;
            if ((*ch_jvmti)->GetClassSignature(ch_jvmti, classes[i], &signature, NULL)) continue;
            if (signature[0] == 'L') fprintf(f, "%.*s\n", (int)strlen(signature) - 2, signature + 1);
            (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
        }
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)classes);
    }
    fclose(f);
    ch_meta_add(CH_META_NAMES, 0, 0, text, bytes);
    free(text);
}
