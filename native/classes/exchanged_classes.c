/* Exchanges loaded classes when other rules come into force, or none.
 *
 * 1. The classes by which contexts and stacks follow virtual threads and tasks (eligible_classes.c) are there before
 *    any other class is woven, and go after all others: between the two, probes would take one virtual thread for
 *    another. Until they are there, no new class is woven (ch_support_first): it is among the loaded ones then.
 * 2. A virtual thread that runs at that moment was mounted unseen. Its carrier looks which one it is before it counts
 *    again (ch_mounts_look).
 * 3. Classes that are woven already come before those that are not.
 */
#include "../sampling/sampling.h"
#include "classes.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum turn { VIRTUAL_THREADS, SUPPORT, WOVEN, OTHERS, SUPPORT_THAT_GOES, TURNS };

static enum turn turn_of(JNIEnv *env, jclass c) {
    char name[1024];
    jobject loader = NULL;
    bool on = ch_load_acquire(&ch_hook_on);
    if (!ch_loaded_name(c, name, sizeof name, &loader)) return OTHERS;
    enum turn turn = ch_class_state(loader, name).woven ? WOVEN : OTHERS;
    if (ch_is_support(loader, name))
        turn = !on || !ch_is_wanted_support(loader, name) ? SUPPORT_THAT_GOES
               : strcmp(name, "java/lang/VirtualThread")  ? SUPPORT
                                                          : VIRTUAL_THREADS;
    if (loader) (*env)->DeleteLocalRef(env, loader);
    return turn;
}

static bool is_woven(JNIEnv *env, jclass c) {
    char name[1024];
    jobject loader = NULL;
    if (!ch_loaded_name(c, name, sizeof name, &loader)) return false;
    bool yes = ch_class_state(loader, name).woven;
    if (loader) (*env)->DeleteLocalRef(env, loader);
    return yes;
}

/* Puts those whose turn it is before the others; how many they are. */
static jint to_front(JNIEnv *env, enum turn turn, jint n, jclass *classes) {
    jint passed = 0;
    for (jint i = 0; i < n; i++) {
        jclass c = classes[i];
        if (turn_of(env, c) != turn) continue;
        classes[i] = classes[passed];
        classes[passed++] = c;
    }
    return passed;
}

/* Before it is retransformed by no rules; or when that is postponed: then it stays concerned, whatever rules are in
 * force next. */
static void note(JNIEnv *env, jclass c, bool postponed) {
    char name[1024];
    jobject loader = NULL;
    bool on = ch_load_acquire(&ch_hook_on);
    if (on == !postponed || !ch_loaded_name(c, name, sizeof name, &loader)) return;
    if (on)
        ch_class_due(loader, name);
    else
        ch_class_note(env, loader, name, ch_rules_number(), false, NULL);
    if (loader) (*env)->DeleteLocalRef(env, loader);
}

/* Changes the classes that are not as the rules want them; frees the references. */
static void change(JNIEnv *env, jint chosen, jclass *classes, uint64_t looks_ns, struct ch_stops *stops) {
    jint now = ch_postpone(env, chosen, classes, stops->at_once ? 0 : looks_ns), of_turn[TURNS], at = 0;
    for (jint i = 0; i < chosen; i++) note(env, classes[i], i >= now);
    for (enum turn t = 0; t < TURNS; at += of_turn[t++]) of_turn[t] = to_front(env, t, now - at, classes + at);
    stops->due += (uint32_t)now;
    jint mounting = of_turn[VIRTUAL_THREADS], support = mounting + of_turn[SUPPORT],
         rest = now - of_turn[SUPPORT_THAT_GOES];
    ch_retransform_in_batches(env, mounting, classes, stops);
    if (mounting && ch_stacks_travel) ch_mounts_look(env);
    ch_retransform_in_batches(env, support - mounting, classes + mounting, stops);
    ch_retransform_in_batches(env, rest - support, classes + support, stops);
    ch_retransform_in_batches(env, now - rest, classes + rest, stops);
    if (ch_load_acquire(&ch_hook_on)) /* some wait for their loaders, or have no such method */
        for (jint i = support + of_turn[WOVEN]; i < rest; i++) stops->classes -= !is_woven(env, classes[i]);
    for (jint i = 0; i < chosen; i++) (*env)->DeleteLocalRef(env, classes[i]);
}

/* The loaded classes that are looked at. */
enum which { ALL, WANTED_SUPPORT, ALL_BUT_SUPPORT };

static bool is_looked_at(JNIEnv *env, jclass c, enum which which) {
    enum turn turn = which == ALL ? OTHERS : turn_of(env, c);
    return which == ALL || (which == WANTED_SUPPORT ? turn <= SUPPORT : turn != SUPPORT_THAT_GOES);
}

static void look(JNIEnv *env, enum which which, struct ch_stops *stops) {
    const uint64_t looks_ns = 20000000; /* somebody waits for it */
    jclass *classes = NULL;
    jint n = 0, chosen = 0;
    if (!ch_ok((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &classes), "GetLoadedClasses")) return;
    if (!ch_header->seen) ch_header->seen = (uint64_t)n;
    (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        if (is_looked_at(env, classes[i], which) && ch_loaded_differs_now(env, classes[i]))
            classes[chosen++] = classes[i];
        else
            (*env)->DeleteLocalRef(env, classes[i]);
    }
    if (which == ALL && ch_load_acquire(&ch_hook_on)) ch_loaded_anew(false);
    if (which == ALL) ch_supertypes_all_reported(ch_load_acquire(&ch_hook_on));
    change(env, chosen, classes, looks_ns, stops);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)classes);
}

void ch_loaded_by_rules(JNIEnv *env, struct ch_stops *stops) {
    look(env, WANTED_SUPPORT, stops);
    ch_store_release(&ch_support_first, false);
    if (stops->end == CH_STOPS_ALL) look(env, ALL, stops);
}

void ch_loaded_by_no_rules(JNIEnv *env, struct ch_stops *stops) {
    const struct timespec while_defined = {0, 20000000};
    look(env, ALL_BUT_SUPPORT, stops);
    nanosleep(&while_defined, NULL);
    look(env, ALL, stops); /* also what was being defined when the hook went off; and later ones when they are linked */
}

void ch_loaded_again(JNIEnv *env, struct ch_stops *stops) {
    const uint64_t looks_ns = 40000000;
    jclass *classes = NULL;
    jint n = ch_postponed_classes(env, &classes), chosen = 0;
    for (jint i = 0; i < n; i++) {
        if (ch_loaded_differs_now(env, classes[i]))
            classes[chosen++] = classes[i];
        else
            (*env)->DeleteLocalRef(env, classes[i]);
    }
    change(env, chosen, classes, looks_ns, stops);
    free(classes);
}
