/* A session: from when until when classes are woven and counted, and by which rules.
 *
 * 1. The first one begins at VMInit, or when the agent is attached. Its requirements stay: the tracker, its
 *    natives, the data file, the threads' blocks. Frames of woven methods may go on after a session's end.
 * 2. Rules are exchanged as a whole (classes/active_rules.c). Then the loaded classes that the exchange concerns are
 *    retransformed, in batches.
 * 3. Classes that are not linked are not touched, since linking runs code of class loaders: they are looked at in their
 *    ClassPrepare event, before any of their code runs. So are those that were being defined meanwhile.
 * 4. At a session's end the hook is off, and everything woven is retransformed, which makes it what it was.
 */
#include "../base/jdk_members.h"
#include "../base/waiting.h"
#include "live.h"
#include "../contexts/attribution.h"
#include <pthread.h>
#include <stdlib.h>

enum { TRAVELLING_STACKS = 21, PATIENCE_MS = 2000, TURN_MS = 10000 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static bool is_on, counts, weaves, live;
static bool looks_again; /* has the turn, or is about to take it */
static char *rules_text; /* of the session, unless it has those of the JVM's start */

static void nap(long ms) { nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL); }

bool ch_session_is_on(void) { return is_on; }

/* The agent's own thread has the turn for some ms at a time, unless it weaves a class. */
bool ch_session_take(void) {
    for (int i = 0; i < PATIENCE_MS && ch_load_acquire(&looks_again); i++) {
        if (!pthread_mutex_trylock(&turn)) return true;
        nap(1);
    }
    return !pthread_mutex_trylock(&turn);
}

/* `detach` may arrive while the rule of a client is being added or removed, which takes some milliseconds. */
bool ch_session_wait(void) {
    const struct timespec until = ch_in_ms(CLOCK_REALTIME, TURN_MS);
    return !pthread_mutex_timedlock(&turn, &until);
}

void ch_session_give(void) { pthread_mutex_unlock(&turn); }

static bool records_for_aot(JNIEnv *env) {
    jclass c = NULL;
    jmethodID asked = ch_jdk_method(env, CH_JDK_RECORDS_FOR_AOT, &c);
    bool yes = asked && (*env)->CallStaticBooleanMethod(env, c, asked);
    (*env)->ExceptionClear(env);
    return yes;
}

/* Once: what counting needs of the JVM. */
static bool prepare_counting(JNIEnv *env, jthread thread) {
    if (!counts) counts = ch_threads_find(env, thread) && ch_tracker_link(env);
    return counts;
}

bool ch_session_may_weave(struct ch_error *error) {
    static const jvmtiCapabilities wanted = {
        .can_generate_all_class_hook_events = 1,
        .can_retransform_classes = 1,
        .can_retransform_any_class = 1,
        .can_tag_objects = 1, /* class loaders and protection domains only */
    };
    return ch_check(error, (*ch_jvmti)->AddCapabilities(ch_jvmti, &wanted),
                    "the capabilities to retransform classes and to tag loaders");
}

/* Once: what weaving needs. */
static bool prepare_weaving(JNIEnv *env, struct ch_error *error) {
    if (weaves) return true;
    if (!ch_session_may_weave(error)) return false;
    if (!ch_filter_start(env) || !ch_loaders_start(env)) return false;
    ch_aot_recording = records_for_aot(env);
    bool unchanged = ch_aot_recording || (ch_is_bundle() && (ch_wanted.time || ch_wanted.contexts)); /* VirtualThread */
    ch_stacks_travel = ch_jvm_version >= TRAVELLING_STACKS && !(unchanged && ch_virtual_threads_by_events(env));
    return weaves = true;
}

static bool prepare(JNIEnv *env, jthread thread, struct ch_error *error) {
    ch_allocation_start(env);
    if ((ch_wanted.only_sampling || prepare_weaving(env, error)) && prepare_counting(env, thread)) {
        ch_measures_prepare(env, error);
        if (ch_wanted.sources && !ch_source_start(env))
            ch_warn(error, "this JVM does not say which jars classes come from; rules with `from` match nothing");
        return true;
    }
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionDescribe(env);
    (*env)->ExceptionClear(env);
    return ch_fail(error, "the tracker class does not work in this JVM; it is not instrumented");
}

static bool listen(jvmtiEvent event, bool on) {
    return ch_ok((*ch_jvmti)->SetEventNotificationMode(ch_jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE, event, NULL),
                 "an event");
}

static void begin_weaving(JNIEnv *env) {
    ch_store_release(&ch_hook_on, true);
    if (!listen(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, true)) return;
    ch_supertypes_start();
    ch_loaded_start(env);
}

void ch_session_at_init(JNIEnv *env, jthread thread, struct ch_error *error) {
    is_on = prepare(env, thread, error);
    if (is_on && !ch_wanted.only_sampling) begin_weaving(env);
    if (is_on) ch_measures_start(env, thread, error);
}

/* ---- in a JVM that runs */

/* Until no thread looks at the rules that were in force, or weaves by them: for a while, since one may wait for a class
 * loader. */
static void let_others_finish(void) {
    for (int i = 0; i < PATIENCE_MS && !ch_rules_are_unused(); i++) nap(1);
    if (ch_rules_are_unused()) ch_filter_forget_older();
}

/* VirtualThread is no longer woven: its threads go on elsewhere. */
static void forget_aside(void) {
    ch_stacks_drop_unmounted();
    ch_scopes_drop_unmounted();
}

/* On the agent's thread (postponed_changes.c). */
static bool look_again(JNIEnv *env) {
    struct ch_stops stops = {0};
    bool none = false;
    ch_store_release(&looks_again, true);
    if (!pthread_mutex_trylock(&turn)) {
        ch_loaded_again(env, &stops);
        none = !ch_postponed();
        pthread_mutex_unlock(&turn);
    }
    ch_store_release(&looks_again, false);
    return none;
}

void ch_session_now(JNIEnv *env, struct ch_stops *stops, struct ch_error *error) {
    stops->at_once = true;
    ch_loaded_again(env, stops);
    ch_postponed_settle(env, look_again, error);
}

/* By the rules that are in force: weaves what they match, and undoes what they do not. */
static void apply(JNIEnv *env, struct ch_stops *stops, struct ch_error *error) {
    jthread self = NULL;
    if (!is_on) stops->since_ns = ch_monotonic_ns();
    ch_store_release(&ch_hook_on, !ch_wanted.only_sampling);
    listen(JVMTI_EVENT_THREAD_START, true);
    if (weaves) {
        ch_watch_linking();
        ch_supertypes_start();
        listen(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, ch_load_acquire(&ch_hook_on));
        ch_loaded_by_rules(env, stops);
        if (!ch_wanted.time && !ch_wanted.contexts) forget_aside();
        if (ch_loaders_waiting())
            ch_warn(error,
                    "%zu loaded classes are not counted yet: the agent must reach their class loaders first, which may "
                    "take until these load "
                    "their next class",
                    ch_loaders_waiting());
        ch_python_warn_unusable(error);
        ch_original_warn(error);
        ch_postponed_settle(env, look_again, error);
    }
    ch_store_release(&ch_support_first, false);
    if (!(*ch_jvmti)->GetCurrentThread(ch_jvmti, &self)) ch_measures_start(env, self, error);
    is_on = true;
    ch_store_end(CH_RUNNING);
    ch_clock_mark();
}

static bool begin_live(JNIEnv *env, struct ch_error *error) {
    jthread self = NULL;
    live = ch_skips_once = true;
    return !(*ch_jvmti)->GetCurrentThread(ch_jvmti, &self) && prepare(env, self, error);
}

bool ch_session_attach(JNIEnv *env, struct ch_stops *stops, struct ch_error *error) {
    ch_watch_linking();
    if (!ch_tracker_initialise(env))
        return ch_fail(error, "the tracker class cannot be initialised in this JVM; it is not instrumented");
    if (!begin_live(env, error)) return false;
    ch_support_was(0);
    apply(env, stops, error);
    return true;
}

/* From the moment on when other rules are in force, classes are woven by them: what that needs comes before. */
bool ch_session_change(JNIEnv *env, char *text, size_t bytes, struct ch_stops *stops, struct ch_error *error) {
    struct ch_filter *filter = ch_filter_read(text, bytes, error);
    if (!filter) {
        free(text);
        return false;
    }
    size_t bytes_before;
    char *before = ch_python_rules_copy(&bytes_before);
    ch_measures_pause();
    live = ch_skips_once = true;
    ch_watch_linking();
    ch_source_start(env);
    uint32_t support = is_on ? ch_wanted_support() : 0;
    ch_rules_exchange();
    ch_filter_use(filter);
    ch_support_was(support);
    ch_python_rules(text, bytes);
    free(rules_text);
    rules_text = text;
    ch_rules_exchanged(text, bytes, stops->take_back);
    ch_measures_exchanged(env, before ? before : "", text);
    free(before);
    if (!begin_live(env, error)) {
        ch_store_release(&ch_support_first, false);
        return false;
    }
    ch_support_was(support); /* only now is it known whether stacks travel */
    let_others_finish();
    apply(env, stops, error);
    return true;
}

static void leave(JNIEnv *env, struct ch_stops *stops, struct ch_error *error) {
    live = ch_skips_once = true;
    ch_store_release(&ch_hook_on, false);
    ch_rules_exchange();
    ch_rules_exchanged(NULL, 0, false);
    if (weaves) {
        ch_watch_linking();
        let_others_finish();
        ch_loaded_by_no_rules(env, stops);
        listen(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, false);
        ch_loaders_say_waiting();
        ch_postponed_settle(env, look_again, error);
    }
    listen(JVMTI_EVENT_THREAD_START, false);
    ch_measures_stop(env, false);
    forget_aside();
    is_on = false;
    ch_clock_mark();
    ch_store_end(CH_DETACHED);
}

bool ch_session_end(JNIEnv *env, struct ch_stops *stops, struct ch_error *error) {
    leave(env, stops, error);
    return ch_session_file_end(error);
}

void ch_session_undo(JNIEnv *env, struct ch_stops *stops, struct ch_error *error) {
    leave(env, stops, error);
    ch_session_file_discard();
}

bool ch_session_is_live(void) { return live; }
