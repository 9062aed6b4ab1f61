/* The JVM's own events, in an environment apart from the agent's: only those that a handler asked for are enabled, and
 * get their capability.
 *
 * Events of garbage collections come on the JVM's own thread while all others stand still: there is no JNI then, and
 * the thread may not wait for Python. They are queued, and never wait for room.
 */
#include "../moments/moments.h"
#include "../base/clock.h"
#include "events.h"
#include <pthread.h>
#include <stdint.h>

static jvmtiEnv *jvmti;
static uint64_t sampled_bytes; /* 0: as the JVM does by itself */

static void JNICALL class_prepare(jvmtiEnv *e, JNIEnv *env, jthread thread, jclass c) {
    char name[1024];
    (void)e, (void)thread;
    if (!ch_load_acquire(&ch_events_on) || ch_introducing || !ch_name_of_class(c, name, sizeof name)) return;
    ch_transform_prepared(env, c, name);
    if (ch_call_is_running()) return;
    struct ch_handler *h = ch_handlers_of(CH_EVENT_CLASS_LOAD);
    while (h && h->glob && !ch_glob(h->glob, name)) h = h->next;
    if (!h || ch_is_tracker(NULL, name)) return;
    struct ch_call call = {.record = {.time = ch_about_now(), .name = ch_class_number(name)}, .env = env, .subject = c};
    ch_handlers_notify(CH_EVENT_CLASS_LOAD, &call, name);
}

static void thread_event(uint32_t event, JNIEnv *env, jthread thread) {
    struct ch_call call = {
        .record = {.time = ch_about_now(), .name = ch_handler_exists(event) ? ch_own_thread_name() : 0},
        .env = env,
        .subject = thread};
    ch_handlers_notify(event, &call, NULL);
}

static void JNICALL thread_start(jvmtiEnv *e, JNIEnv *env, jthread thread) {
    (void)e;
    thread_event(CH_EVENT_THREAD_START, env, thread);
}

static void JNICALL thread_end(jvmtiEnv *e, JNIEnv *env, jthread thread) {
    (void)e;
    thread_event(CH_EVENT_THREAD_END, env, thread);
    ch_queue_leave();
    const struct ch_bridge *python = ch_python_bridge();
    if (python) python->thread_ends();
    ch_calls_leave();
}

static __thread uint64_t blocked_since;

static void JNICALL contended_enter(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor) {
    (void)e, (void)env, (void)thread, (void)monitor;
    blocked_since = ch_about_now();
}

static void JNICALL contended_entered(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor) {
    char name[1024];
    uint64_t now = ch_about_now(), since = blocked_since;
    jclass c = (*env)->GetObjectClass(env, monitor);
    (void)e, (void)thread;
    blocked_since = 0;
    if (since && ch_type_name(c, name, sizeof name)) { /* else it began before anybody asked */
        struct ch_call call = {.record = {.time = now, .took = (int64_t)(now - since), .name = ch_class_number(name)},
                               .env = env,
                               .this_object = monitor};
        ch_handlers_notify(CH_EVENT_MONITOR_CONTENDED, &call, name);
    }
    (*env)->DeleteLocalRef(env, c);
}

void ch_allocations_sample(uint64_t bytes) { sampled_bytes = bytes; }

static uint64_t sampling_interval(void) { return sampled_bytes ? sampled_bytes : CH_USUAL_INTERVAL; }

static void object_alloc(JNIEnv *env, jthread thread, jobject object, jclass c, jlong bytes) {
    char name[1024];
    (void)thread;
    if (!ch_load_acquire(&ch_events_on) || ch_introducing || ch_call_is_running() || ch_self.silent ||
        ch_self.measuring)
        return;
    if (!ch_type_name(c, name, sizeof name)) return;
    struct ch_call call = {.record = {.time = ch_about_now(), .name = ch_class_number(name), .more = {(uint64_t)bytes}},
                           .env = env,
                           .this_object = object};
    ch_handlers_notify(CH_EVENT_OBJECT_ALLOC, &call, name);
}

static struct ch_sample_taker samples = {.take = object_alloc};

static void JNICALL data_dump(jvmtiEnv *e) {
    JNIEnv *env = NULL;
    (void)e;
    if ((*ch_vm)->GetEnv(ch_vm, (void **)&env, JNI_VERSION_1_8)) return;
    struct ch_call call = {.record = {.time = ch_about_now()}, .env = env};
    ch_handlers_notify(CH_EVENT_DATA_DUMP, &call, NULL);
}

static uint64_t collection_began;

static void JNICALL gc_start(jvmtiEnv *e) {
    (void)e;
    collection_began = ch_about_now();
    struct ch_call call = {.record = {.time = ch_about_now()}};
    ch_handlers_notify(CH_EVENT_GC_START, &call, NULL);
}

static void JNICALL gc_finish(jvmtiEnv *e) {
    (void)e;
    struct ch_call call = {.record = {.time = ch_about_now(), .took = (int64_t)(ch_about_now() - collection_began)}};
    ch_heap_figures(&call.record.more[0], &call.record.more[1]);
    ch_handlers_notify(CH_EVENT_GC_FINISH, &call, NULL);
}

/* ---- the table */

#define CAPABILITY(name) &(const jvmtiCapabilities){.name = 1}

static const struct {
    uint32_t event; /* CH_EVENTS: the hub itself needs it, as long as there are threads that have called Python */
    jvmtiEvent its;
    const jvmtiCapabilities *capability;
} events[] = {
    {CH_EVENT_CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE, NULL},
    {CH_EVENT_TRANSFORM, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
     CAPABILITY(can_retransform_classes)}, /* else its hook would come first */
    {CH_EVENT_TRANSFORM, JVMTI_EVENT_CLASS_PREPARE, CAPABILITY(can_tag_objects)},
    {CH_EVENT_THREAD_START, JVMTI_EVENT_THREAD_START, NULL},
    {CH_EVENTS, JVMTI_EVENT_THREAD_END, NULL},
    {CH_EVENT_MONITOR_CONTENDED, JVMTI_EVENT_MONITOR_CONTENDED_ENTER, CAPABILITY(can_generate_monitor_events)},
    {CH_EVENT_MONITOR_CONTENDED, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, CAPABILITY(can_generate_monitor_events)},
    {CH_EVENT_DATA_DUMP, JVMTI_EVENT_DATA_DUMP_REQUEST, NULL},
    {CH_EVENT_GC_START, JVMTI_EVENT_GARBAGE_COLLECTION_START, CAPABILITY(can_generate_garbage_collection_events)},
    {CH_EVENT_GC_FINISH, JVMTI_EVENT_GARBAGE_COLLECTION_START, CAPABILITY(can_generate_garbage_collection_events)},
    {CH_EVENT_GC_FINISH, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, CAPABILITY(can_generate_garbage_collection_events)},
};

static const jvmtiEventCallbacks callbacks = {
    .ClassPrepare = class_prepare,
    .ClassFileLoadHook = ch_transform_class,
    .ThreadStart = thread_start,
    .ThreadEnd = thread_end,
    .MonitorContendedEnter = contended_enter,
    .MonitorContendedEntered = contended_entered,
    .DataDumpRequest = data_dump,
    .GarbageCollectionStart = gc_start,
    .GarbageCollectionFinish = gc_finish,
};

enum { ROWS = sizeof events / sizeof *events };
static bool enabled[ROWS];

static bool switch_event(jvmtiEventMode mode, jvmtiEvent its, struct ch_error *error) {
    return ch_check(error, (*jvmti)->SetEventNotificationMode(jvmti, mode, its, NULL), "an event");
}

static bool disable(size_t row, struct ch_error *error) {
    enabled[row] = false;
    for (size_t i = 0; i < ROWS; i++)
        if (enabled[i] && events[i].its == events[row].its) return true;
    return switch_event(JVMTI_DISABLE, events[row].its, error);
}

static bool enable(size_t row, struct ch_error *error) {
    bool well = !events[row].capability ||
                ch_check(error, (*jvmti)->AddCapabilities(jvmti, events[row].capability), "a capability for events");
    enabled[row] = true;
    return well & switch_event(JVMTI_ENABLE, events[row].its, error);
}

/* Sets the events that have handlers; without `on`: none, except the hub's own. */
static bool set(bool on, struct ch_error *error) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    bool well = true;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < ROWS; i++) {
        bool wanted = events[i].event == CH_EVENTS || (on && ch_handler_exists(events[i].event));
        if (wanted != enabled[i]) well &= wanted ? enable(i, error) : disable(i, error);
    }
    pthread_mutex_unlock(&lock);
    return well;
}

void ch_jvm_events_early(void) {
    if (ch_handler_exists(CH_EVENT_OBJECT_ALLOC)) (void)ch_samples_plan(&samples, sampling_interval());
}

bool ch_jvm_events_start(JNIEnv *env, struct ch_error *error) {
    if (!jvmti && ((*ch_vm)->GetEnv(ch_vm, (void **)&jvmti, JVMTI_VERSION_1_2) ||
                   (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks)))
        return false;
    static const jvmtiCapabilities names = {.can_get_source_file_name = 1,
                                            .can_get_line_numbers = 1}; /* for what Python asks of classes and stacks */
    (void)(*ch_jvmti)->AddCapabilities(ch_jvmti, &names);
    if (ch_handler_exists(CH_EVENT_GC_FINISH)) ch_heap_figures_find();
    if (!ch_tags_start(env) || !ch_unloads_start(env))
        ch_warn(error,
                "this JVM does not report freed objects: object_free and class_unload handlers will not be called");
    if (!ch_handler_exists(CH_EVENT_OBJECT_ALLOC))
        ch_samples_stop(&samples);
    else if (!ch_samples_start(&samples, sampling_interval(), env))
        ch_warn(error, "this JVM samples no allocations, or another agent has these samples: object_alloc handlers "
                       "will not be called");
    return set(true, error);
}

jvmtiEnv *ch_jvm_events_environment(void) { return jvmti; }

void ch_jvm_events_stop(JNIEnv *env) {
    if (!jvmti) return;
    set(false, &(struct ch_error){0}); /* if the JVM refuses that, handlers are still off */
    ch_samples_stop(&samples);
    ch_tags_stop(env);
    ch_unloads_stop(env);
}
