/* The natives of `watch`: where a call begins that may have to be shown, and where it ends. They run no Java, unless it
 * is shown (current_span.c).
 *
 * 1. The part of the condition that the method's own code has not decided is decided when the call begins; if it is
 *    about the result, too, when it ends.
 * 2. A slowest call is shown if it is slower than one of those shown before. Reports keep the slowest.
 * 3. Calls may also be counted, timed, or give a number, and are not shown then.
 * 4. A rule that has shown all it may is over: its probes are told, and cost as much as an array's element from then
 *    on.
 */
#include "../timing/timing_records.h"
#include "watch.h"
#include "tracker_natives.h"
#include <pthread.h>

enum {
    OVER = -1,
    LOOKED_UP = 64 /* classes, and their names */,
    MOST_REFERENCES = 1024 /* that a call's values need: the JVM deletes them when the native returns */
};

static bool started;

/* Before the first class with such a probe. */
static void start_watching(JNIEnv *env, struct ch_error *error) {
    const jvmtiCapabilities lines = {.can_get_source_file_name = 1, .can_get_line_numbers = 1};
    if (!ch_wanted.watch) return;
    if (!started) (*ch_jvmti)->AddCapabilities(ch_jvmti, &lines); /* without them, callers have no lines */
    if (!started && ch_local_frame(env, LOOKED_UP)) {
        started = ch_fields_prepare(env) && ch_released_start(env) && ch_traces_start(env) && ch_records_start();
        (*env)->PopLocalFrame(env, NULL);
    }
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    if (started)
        ch_spans_start(env);
    else
        ch_warn(error, "this JVM does not let its objects be seen; rules `watch` show nothing");
}

static uint64_t ns_of(uint64_t took) {
    static uint64_t second;
    if (!ch_clock_ticks) return took;
    if (!second) second = ch_clock_ticks_of(1000000000);
    return second ? (uint64_t)((double)took * 1e9 / (double)second) : took;
}

static bool is_too_soon(const struct ch_watch *w) {
    uint64_t last = ch_load_relaxed(&w->limit->last_ns);
    return w->every_ns && last && ch_monotonic_ns() - last < w->every_ns;
}

static bool is_slow(const struct ch_watch *w, uint64_t took_ns) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct ch_limit *l = w->limit;
    uint32_t least = 0;
    pthread_mutex_lock(&lock);
    bool slow = l->slow < w->slowest;
    if (slow) {
        l->slowest[l->slow++] = took_ns;
    } else {
        for (uint32_t i = 1; i < w->slowest; i++)
            if (l->slowest[i] < l->slowest[least]) least = i;
        slow = took_ns > l->slowest[least];
        if (slow) l->slowest[least] = took_ns;
    }
    if (slow && l->slow == w->slowest) {
        for (uint32_t i = least = 0; i < w->slowest; i++)
            if (l->slowest[i] < l->slowest[least]) least = i;
        ch_store_relaxed(&l->least_slow_ns, l->slowest[least]);
    }
    pthread_mutex_unlock(&lock);
    return slow;
}

/* True if this call is one of those that the rule shows. */
static bool takes_place(const struct ch_watch *w, uint64_t took_ns) {
    struct ch_limit *l = w->limit;
    if (w->slowest) return is_slow(w, took_ns);
    if (w->every_ns) {
        uint64_t last = ch_load_relaxed(&l->last_ns), now = ch_monotonic_ns();
        return (!last || now - last >= w->every_ns) && ch_replace_relaxed(&l->last_ns, &last, now);
    }
    uint64_t n = ch_add_relaxed(&l->shown, 1);
    if (n + 1 >= w->first) ch_store_relaxed(&l->over, true);
    return n < w->first;
}

static void note_value(const struct ch_activation *a, jint slot) {
    ch_value_note(a->env, slot + CH_WHEN_RECORD, ch_operand_value(a, &a->watch->number));
}

static void add_to_met(jint slot) { ch_block_add(ch_block_for_count(), slot, CH_WATCH_MET, 1); }

/* The program does not learn that there was no memory for references. */
static bool has_room(JNIEnv *env) {
    bool there = ch_local_room(env, MOST_REFERENCES);
    if (!there) ch_no_memory();
    return there;
}

static jlong forget(JNIEnv *env) {
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
    return 0;
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_watchBegins(JNIEnv *env, jclass c, jobjectArray kept,
                                                                    jint slot) {
    (void)c;
    if (!started || !kept || ch_self.silent || ch_call_is_running()) return 0;
    const struct ch_watch *w = ch_watch_of((uint32_t)slot);
    if (!w) return 0;
    if (ch_load_relaxed(&w->limit->over)) return OVER;
    const struct ch_activation a = {.env = env, .kept = kept, .watch = w};
    if (w->condition && !w->at_end && (!has_room(env) || !ch_condition_holds(&a, w->condition))) return forget(env);
    if (w->what == CH_CALLS_SHOWN ? !w->at_end : w->at_begin) add_to_met(slot);
    if (w->what == CH_CALLS_VALUED && w->at_begin && has_room(env)) note_value(&a, slot);
    if (w->what == CH_CALLS_SHOWN ? is_too_soon(w) : w->at_begin) return forget(env);
    return (jlong)ch_about_now();
}

static bool is_result(int root) { return root == CH_ROOT_RESULT; }

static void take(const struct ch_activation *a, jint slot, uint64_t ticks, uint64_t ns) {
    switch (a->watch->what) {
    case CH_CALLS_SHOWN:
        if (takes_place(a->watch, ns)) ch_record_add(a, (uint32_t)slot, ns);
        break;
    case CH_CALLS_COUNTED:
    case CH_CALLS_ASKED: break;
    case CH_CALLS_TIMED: ch_duration_note((uint32_t)slot + CH_WHEN_RECORD, ticks, a->threw); break;
    case CH_CALLS_VALUED:
        if (!a->threw || !ch_operand_has_root(&a->watch->number, is_result))
            note_value(a, slot); /* else there is none */
        break;
    }
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_watchEnds(JNIEnv *env, jclass c, jobject value,
                                                                 jobjectArray kept, jint slot, jboolean threw,
                                                                 jlong begun) {
    uint64_t now = ch_about_now();
    (void)c;
    const struct ch_watch *w = started && kept ? ch_watch_of((uint32_t)slot) : NULL;
    uint64_t took = (int64_t)now > begun ? now - (uint64_t)begun : 0, agents = ch_agents_work_since((uint64_t)begun);
    took = took > agents ? took - agents : 0;
    uint64_t took_ns = ns_of(took);
    if (!w || took_ns < w->over_ns || took_ns < ch_load_relaxed(&w->limit->least_slow_ns) ||
        (uint32_t)(*env)->GetArrayLength(env, kept) != w->arguments + 2)
        return;
    const struct ch_activation a = {
        .env = env, .kept = kept, .value = value, .ended = true, .threw = threw, .watch = w};
    bool well = !ch_load_relaxed(&w->limit->over) && has_room(env);
    if (well && w->at_end) well = ch_condition_holds(&a, w->condition);
    if (well && (w->at_end || w->what != CH_CALLS_SHOWN)) add_to_met(slot);
    if (well) take(&a, slot, took, took_ns);
    forget(env);
}

/* The field of a write: the one that the rule names, another one of that name, or none, as of null. */
enum { WATCHED_FIELD, OTHER_FIELD, NO_OBJECT };
static int field_written(JNIEnv *env, const struct ch_watch *w, jobjectArray kept) {
    if (!w->field) return WATCHED_FIELD;
    jobject object = (*env)->GetObjectArrayElement(env, kept, 0);
    int found = !object ? NO_OBJECT : WATCHED_FIELD;
    if (object && w->declared && !(*env)->IsSameObject(env, object, kept) &&
        !ch_field_is_of(env, object, w->class_name, w->field, w->declared))
        found = OTHER_FIELD;
    if (object) (*env)->DeleteLocalRef(env, object);
    return found;
}

/* True if the rule is over: it shows no more. */
JNIEXPORT jboolean JNICALL Java_java_lang_ClasshookTracker_watchLine(JNIEnv *env, jclass c, jobjectArray kept,
                                                                     jint slot) {
    (void)c;
    if (!started || !kept || ch_self.silent || ch_call_is_running()) return JNI_FALSE;
    const struct ch_watch *w = ch_watch_of((uint32_t)slot);
    if (!w || (uint32_t)(*env)->GetArrayLength(env, kept) != w->arguments + 1) return JNI_FALSE;
    if (ch_load_relaxed(&w->limit->over)) return JNI_TRUE;
    const struct ch_activation a = {.env = env, .kept = kept, .watch = w};
    int written = field_written(env, w, kept);
    if (written != WATCHED_FIELD) {
        forget(env);
        return written == OTHER_FIELD; /* that is what this instruction writes, always */
    }
    if (has_room(env) && (!w->condition || ch_condition_holds(&a, w->condition))) {
        add_to_met(slot);
        if (!is_too_soon(w) && takes_place(w, 0)) ch_record_add(&a, (uint32_t)slot, 0);
    }
    forget(env);
    return JNI_FALSE;
}

const struct ch_measure ch_measure_watch = {
    .name = "watch", .prepare = start_watching, .on_definition = ch_span_defined};
