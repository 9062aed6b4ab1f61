/* Classes that are already loaded: woven by retransforming them, and listed for the report.
 *
 * At the start, all that match are retransformed together. With an AOT cache, classes of the program are among them.
 * Some of those may not be linked: they name classes that the program does not have, say. To retransform one would link
 * it, with loaders' code, so it is looked at when it is linked.
 */
#include "classes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ch_aot_recording;

/* Reports the loss without a class that the agent itself wants woven (eligible_classes.c). */
static void say_without(const char *name) {
    if (ch_stacks_travel && !strcmp(name, "java/lang/VirtualThread"))
        ch_skip(name, "aot-recording", "times of virtual threads that wait are wrong");
    else
        ch_skip(name, "aot-recording", "what it starts or runs later does not go on in its context");
}

/* True if the class cannot be woven; if a rule matches it, the reason is recorded. */
static bool stays(JNIEnv *env, jclass c, jobject loader, const char *name, uint32_t supertypes, struct ch_pool *pool) {
    jboolean modifiable = JNI_FALSE;
    bool untouchable = ch_is_untouchable(loader, name), recorded = ch_aot_recording && !loader, in_jdk;
    if (!untouchable && !recorded && !(*ch_jvmti)->IsModifiableClass(ch_jvmti, c, &modifiable) && modifiable)
        return false;
    if (ch_is_tracker(loader, name)) return true;
    if (!ch_filter_match(env, loader, name, supertypes, pool, &in_jdk)) {
        if (recorded) say_without(name);
        return true;
    }
    if (untouchable)
        ch_skip_matched(name, "tracker-stands-on-it", "the probes themselves run through it");
    else if (recorded)
        ch_skip_matched(name, "aot-recording", "it was loaded before the agent");
    else
        ch_skip_matched(name, "refused-by-jvm", "the class is not modifiable");
    return true;
}

/* One that is not prepared yet is looked at again when it is (class_prepare.c). */
static bool may_match(JNIEnv *env, jclass c, jobject loader, const char *name, uint32_t *supertypes,
                      struct ch_pool *pool) {
    bool in_jdk;
    *supertypes = ch_wanted.subtypes ? ch_supertypes_prepared(env, loader, c, name).supertypes : CH_NO_NAMES;
    return ch_may_match(env, loader, name, *supertypes, pool, &in_jdk);
}

bool ch_loaded_unlinked;

static bool is_linked(jclass c) {
    jint status = 0;
    return !(*ch_jvmti)->GetClassStatus(ch_jvmti, c, &status) && status & JVMTI_CLASS_STATUS_PREPARED;
}

static bool wanted(JNIEnv *env, jclass c) {
    char *signature = NULL;
    jobject loader = NULL;
    uint32_t supertypes;
    bool yes = false;
    struct ch_pool pool = ch_pool_of(c);
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL) || !signature) return false;
    size_t n = strlen(signature);
    if (signature[0] == 'L' && !strchr(signature, '.') && n > 2) { /* a hidden class's signature has a dot */
        signature[n - 1] = 0;
        if (!(*ch_jvmti)->GetClassLoader(ch_jvmti, c, &loader))
            yes = may_match(env, c, loader, signature + 1, &supertypes, &pool) &&
                  !stays(env, c, loader, signature + 1, supertypes, &pool);
        if (yes && loader && !is_linked(c)) {
            ch_loaded_unlinked = true;
            yes = false;
        }
        if (loader) (*env)->DeleteLocalRef(env, loader);
    }
    ch_pool_free(&pool);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    return yes;
}

void ch_loaded_start(JNIEnv *env) {
    jclass *classes = NULL;
    jint n = 0, chosen = 0;
    if (!ch_ok((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &classes), "GetLoadedClasses")) return;
    ch_add_relaxed(&ch_header->seen, (uint64_t)n);
    (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        if (wanted(env, classes[i]))
            classes[chosen++] = classes[i];
        else
            (*env)->DeleteLocalRef(env, classes[i]);
    }
    if (ch_loaded_unlinked) ch_watch_linking();
    ch_retransform(env, chosen, classes);
    for (jint i = 0; i < chosen; i++) (*env)->DeleteLocalRef(env, classes[i]);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)classes);
}

/* ---- rules that are exchanged */

/* A session begins: what the JIT compiled of classes woven ahead of time leaves out probes of coverage that were hit
 * before. */
static bool anew;

void ch_loaded_anew(bool yes) { anew = yes; }

/* True if the class, by its name, is not as the rules in force want it. Classes that the last exchange does not concern
 * are as it should be if it was before. */
static bool differs_by_name(JNIEnv *env, jclass c, jobject loader, const char *name, bool linking,
                            struct ch_pool *pool) {
    struct ch_class_state s = ch_class_state(loader, name);
    uint32_t rules = ch_rules_number();
    bool in_jdk;
    if (!ch_load_acquire(&ch_hook_on)) return s.woven;
    if (anew && s.covered_ahead) return true;
    uint32_t supertypes = ch_wanted.subtypes ? ch_supertypes_again(env, c, name) : CH_NO_NAMES;
    if (s.known && s.rules == rules) return false;
    bool wanted = ch_may_match(env, loader, name, supertypes, pool, &in_jdk);
    bool was_right = s.known ? s.rules == rules - 2
                             : !linking; /* an unknown class that is linked only now is older than all rules */
    bool support = ch_is_support(loader, name) && (ch_support_changes || wanted != s.woven);
    bool concerned = support || linking || !was_right || ch_filter_concerns(env, loader, name, supertypes, pool);
    if (concerned && (s.woven || (wanted && !stays(env, c, loader, name, supertypes, pool)))) return true;
    if (s.known) ch_class_note(env, loader, name, rules, s.woven, NULL);
    return false;
}

static bool differs(JNIEnv *env, jclass c, jobject loader, const char *name, bool linking) {
    struct ch_pool pool = ch_pool_of(c);
    bool yes = differs_by_name(env, c, loader, name, linking, &pool);
    ch_pool_free(&pool);
    if (yes && ch_load_acquire(&ch_hook_on) && !linking) ch_loader_ask_now(env, loader);
    if (yes && !ch_load_acquire(&ch_hook_on) && linking)
        ch_class_note(env, loader, name, ch_rules_number(), false, NULL);
    return yes;
}

bool ch_loaded_name(jclass c, char *name, size_t room, jobject *loader) {
    return ch_name_of_class(c, name, room) && !strchr(name, '.') && !(*ch_jvmti)->GetClassLoader(ch_jvmti, c, loader);
}

/* True if the class is to be retransformed now. That would link a class, with loaders' code: one that is not linked is
 * looked at when it is, but then its loader cannot be asked. Its supertypes are not known yet. */
bool ch_loaded_differs_now(JNIEnv *env, jclass c) {
    char name[1024];
    jobject loader = NULL;
    jint status = 0;
    bool yes = false, in_jdk;
    if ((*ch_jvmti)->GetClassStatus(ch_jvmti, c, &status) ||
        status & (JVMTI_CLASS_STATUS_ARRAY | JVMTI_CLASS_STATUS_PRIMITIVE))
        return false;
    if (!ch_loaded_name(c, name, sizeof name, &loader)) return false;
    if (status & JVMTI_CLASS_STATUS_PREPARED)
        yes = differs(env, c, loader, name, false);
    else if (ch_load_acquire(&ch_hook_on) && loader &&
             (ch_wanted.subtypes || ch_may_match(env, loader, name, CH_NO_NAMES, NULL, &in_jdk)))
        ch_loader_ask_now(env, loader);
    if (loader) (*env)->DeleteLocalRef(env, loader);
    return yes;
}

bool ch_loaded_differs(JNIEnv *env, jclass c, jobject loader, const char *name) {
    return !strchr(name, '.') && differs(env, c, loader, name, true);
}

/* True if a class's constant pool names the tracker and has probe numbers as the weaver leaves them (JVMS 4.4). */
static bool is_unnumbered(const unsigned char *pool, jint bytes) {
    enum { INTEGER = 3 };
    static const unsigned char number[] = {INTEGER, CH_UNNUMBERED >> 24, CH_UNNUMBERED >> 16 & 0xFF};
    return memmem(pool, (size_t)bytes, CH_TRACKER, sizeof CH_TRACKER - 1) &&
           memmem(pool, (size_t)bytes, number, sizeof number);
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
            ch_skip(signature + 1, "probes-not-numbered",
                    "it was woven ahead of time, and the agent has not numbered its probes");
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
