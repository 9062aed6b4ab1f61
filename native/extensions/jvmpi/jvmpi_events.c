/* JVMPI's events that are the JVM's own: a table of which are sent by which of JVMTI's, and their callbacks.
 *
 * 1. EnableEvent turns on what the table says; one of JVMTI's may serve several, and stays on until the last one is
 *    disabled. Objects that are freed are always told by the agent (objects/weak_references.c), since their ids lead
 *    nowhere.
 * 2. A callback finds the ids, on its thread, and tells the hub: the handler runs there at once, or the record is
 *    queued. It is if the thread may not wait (a garbage collection), must not use JNI (a free object), or must not be
 *    held up (allocations, references).
 * 3. An object's id is all that an event needs: what else there is, Python asks for by it.
 */
#include "../../base/waiting.h"
#include "jvmpi.h"
#include <stdlib.h>
#include <string.h>

/* ---- numbers of the specification */
enum {
    METHOD_ENTRY = 1,
    METHOD_ENTRY2 = 2,
    METHOD_EXIT = 3,
    OBJECT_ALLOC = 4,
    OBJECT_FREE = 5,
    COMPILED_METHOD_LOAD = 7,
    COMPILED_METHOD_UNLOAD = 8,
    INSTRUCTION_START = 9,
    THREAD_START = 33,
    THREAD_END = 34,
    CLASS_LOAD_HOOK = 35,
    GLOBALREF_ALLOC = 38,
    GLOBALREF_FREE = 39,
    WEAK_ALLOC = 40,
    WEAK_FREE = 41,
    CLASS_LOAD = 42,
    CLASS_UNLOAD = 43,
    DATA_DUMP_REQUEST = 44,
    CONTENDED_ENTER = 54,
    CONTENDED_ENTERED = 55,
    CONTENDED_EXIT = 56,
    MONITOR_WAIT = 57,
    MONITOR_WAITED = 58,
    GC_START = 60,
    GC_FINISH = 61,
};
static bool on[CH_JVMPI_TYPES];

static bool tell(JNIEnv *env, uint32_t type, char way, uint64_t thread, uint64_t a, uint64_t b, int64_t took) {
    struct ch_call call = {.record = {.took = took, .more = {a, b, thread}}, .env = env};
    return ch_load_relaxed(&on[type]) && ch_jvmpi_tell(&call, type, way);
}

/* ---- classes */

static void JNICALL class_prepare(jvmtiEnv *e, JNIEnv *env, jthread thread, jclass c) {
    (void)e;
    uint64_t id = ch_id(env, c); /* also for CLASS_UNLOAD */
    tell(env, CLASS_LOAD, 'S', ch_id_thread(env, thread), id, 0, 0);
}

static void JNICALL class_file(jvmtiEnv *e, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                               jobject domain, jint bytes, const unsigned char *data, jint *new_bytes,
                               unsigned char **new_data) {
    (void)loader, (void)domain;
    if (ch_class_file_asked(e, env, redefined, name, data, bytes, new_data, new_bytes)) return;
    struct ch_call call = {.record = {.more = {0}}, .env = env, .data = data, .bytes = (uint32_t)bytes};
    if (!env || !ch_load_relaxed(&on[CLASS_LOAD_HOOK]) || (name && !strcmp(name, "java/lang/ClasshookTracker"))) return;
    call.record.more[CH_ENV] = ch_id_own_thread();
    ch_jvmpi_tell(&call, CLASS_LOAD_HOOK, 'S');
    ch_class_file_give(e, call.answer, call.answer_bytes, new_data, new_bytes);
    free(call.answer);
}

void ch_jvmpi_freed(uint64_t id) {
    ch_id_freed(id);
    tell(NULL, ch_id_is_class(id) ? CLASS_UNLOAD : OBJECT_FREE, 'R', 0, id, 0, 0);
}

/* ---- threads */

static void JNICALL thread_start(jvmtiEnv *e, JNIEnv *env, jthread thread) {
    (void)e;
    uint64_t id = ch_id_thread(env, thread);
    tell(env, THREAD_START, 'S', id, id, 0, 0);
}

static void JNICALL thread_end(jvmtiEnv *e, JNIEnv *env, jthread thread) {
    (void)e;
    tell(env, THREAD_END, 'S', ch_id_thread(env, thread), 0, 0, 0);
}

/* The begin or end of a virtual thread, which has events of its own. */
static void virtual_thread(JNIEnv *env, jthread thread, bool ends) {
    uint64_t id = ch_id_thread(env, thread);
    tell(env, ends ? THREAD_END : THREAD_START, 'S', id, ends ? 0 : id, 0, 0);
}

/* ---- objects */

static void object_alloc(JNIEnv *env, jthread thread, jobject object, jclass c, jlong size) {
    if (ch_jvmpi_quiet) return;
    uint64_t class_id = ch_id(env, c);
    tell(env, OBJECT_ALLOC, 'R', ch_id_thread(env, thread), ch_id_new(env, object), class_id, size);
}

/* ---- instructions */

static void step(JNIEnv *env, jthread thread, jmethodID method, jlocation at) {
    if (!ch_method_is_ours(method))
        tell(env, INSTRUCTION_START, 'S', ch_id_thread(env, thread), ch_method_newest(method), (uint64_t)at, 0);
}

/* ---- monitors */

static __thread uint64_t owner_before; /* of the monitor that this thread waits for, as it was then */
static __thread int64_t waits_since;

static int64_t now_ns(void) { return (int64_t)ch_ns_of(CLOCK_MONOTONIC); }

static uint64_t owner_of(JNIEnv *env, jobject monitor) {
    jvmtiMonitorUsage u = {0};
    if (ch_hub->monitor_usage(ch_jvmpi, monitor, &u)) return 0;
    uint64_t id = ch_id_thread(env, u.owner);
    if (u.owner) (*env)->DeleteLocalRef(env, u.owner);
    for (jint i = 0; i < u.waiter_count; i++) (*env)->DeleteLocalRef(env, u.waiters[i]);
    for (jint i = 0; i < u.notify_waiter_count; i++) (*env)->DeleteLocalRef(env, u.notify_waiters[i]);
    ch_free(u.waiters);
    ch_free(u.notify_waiters);
    return id;
}

static void JNICALL contended_enter(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor) {
    (void)e;
    waits_since = now_ns();
    owner_before = ch_load_relaxed(&on[CONTENDED_EXIT]) ? owner_of(env, monitor) : 0;
    tell(env, CONTENDED_ENTER, 'S', ch_id_thread(env, thread), ch_id(env, monitor), 0, 0);
}

static void JNICALL contended_entered(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor) {
    uint64_t id = ch_id(env, monitor), owner = owner_before;
    int64_t waited = now_ns() - waits_since;
    (void)e;
    owner_before = 0;
    tell(env, CONTENDED_EXIT, 'S', owner, id, 0, 0);
    tell(env, CONTENDED_ENTERED, 'S', ch_id_thread(env, thread), id, 0, waited);
}

static __thread int64_t notified_since;

static void JNICALL monitor_wait(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor, jlong timeout) {
    (void)e;
    notified_since = now_ns();
    tell(env, MONITOR_WAIT, 'S', ch_id_thread(env, thread), ch_id(env, monitor), (uint64_t)timeout, 0);
}

/* The wait in ms; the lowest bit says whether nobody ended it. */
static uint64_t waited(int64_t took, bool timed_out) { return (uint64_t)(took / 1000000) << 1 | timed_out; }

static void JNICALL monitor_waited(jvmtiEnv *e, JNIEnv *env, jthread thread, jobject monitor, jboolean timed_out) {
    (void)e;
    int64_t took = now_ns() - notified_since;
    tell(env, MONITOR_WAITED, 'S', ch_id_thread(env, thread), ch_id(env, monitor), waited(took, timed_out), took);
}

/* A sleep is a wait without an object. */
static void slept(JNIEnv *env, bool ended, jlong ms) {
    if (!ch_load_relaxed(&on[ended ? MONITOR_WAITED : MONITOR_WAIT]) &&
        !(!ended && ch_load_relaxed(&on[MONITOR_WAITED])))
        return;
    int64_t now = now_ns(), took = ended ? now - notified_since : 0;
    if (!ended) notified_since = now;
    tell(env, ended ? MONITOR_WAITED : MONITOR_WAIT, 'S', ch_id_own_thread(), 0,
         ended ? waited(took, true) : (uint64_t)ms, took);
}

/* ---- native methods */

static bool native_method(JNIEnv *env, uint32_t type, uint64_t a, uint64_t b, int64_t more) {
    struct ch_call call = {.record = {.took = more, .more = {a, b, ch_id_own_thread()}}, .env = env};
    return ch_jvmpi_tell(&call, type, 'S');
}

static void JNICALL native_bound(jvmtiEnv *e, JNIEnv *env, jthread thread, jmethodID method, void *address,
                                 void **instead) {
    (void)e, (void)thread, (void)address;
    ch_sleep_bound(instead);
    ch_native_method_bound(env, method, instead);
}

/* ---- compiled code: on threads of the JVM */

static void JNICALL compiled(jvmtiEnv *e, jmethodID method, jint size, const void *code, jint n,
                             const jvmtiAddrLocationMap *map, const void *info) {
    (void)e;
    if (!ch_load_relaxed(&on[COMPILED_METHOD_LOAD]) || !ch_code_is_new(code)) return;
    void *copy = ch_code_copy(method, code, n, map, info);
    if (copy && tell(NULL, COMPILED_METHOD_LOAD, 'R', 0, (uint64_t)(uintptr_t)copy, 0, size)) return;
    ch_code_is_gone(code);
    free(copy);
}

static void JNICALL uncompiled(jvmtiEnv *e, jmethodID method, const void *code) {
    (void)e;
    ch_code_is_gone(code);
    tell(NULL, COMPILED_METHOD_UNLOAD, 'R', 0, ch_method(method), (uint64_t)(uintptr_t)code, 0);
}

/* ---- of the JVM */

static void JNICALL gc_start(jvmtiEnv *e) {
    (void)e;
    tell(NULL, GC_START, 'R', 0, 0, 0, 0);
}

static void JNICALL gc_finish(jvmtiEnv *e) {
    uint64_t used, total;
    (void)e;
    ch_hub->figures(&used, &total);
    tell(NULL, GC_FINISH, 'R', 0, used, total, 0);
}

static void JNICALL data_dump(jvmtiEnv *e) {
    (void)e;
    JNIEnv *env = ch_here();
    if (env) tell(env, DATA_DUMP_REQUEST, 'L', ch_id_own_thread(), 0, 0, 0);
}

/* ---- the table */

#define CAPABILITY(name) &(const jvmtiCapabilities){.name = 1}
#define MONITORS CAPABILITY(can_generate_monitor_events)
#define BINDINGS CAPABILITY(can_generate_native_method_bind_events)
#define COLLECTIONS CAPABILITY(can_generate_garbage_collection_events)
#define COMPILED CAPABILITY(can_generate_compiled_method_load_events)

static const struct {
    uint32_t type;
    jvmtiEvent its;
    const jvmtiCapabilities *capability;
} table[] = {
    {CLASS_LOAD, JVMTI_EVENT_CLASS_PREPARE, NULL},
    {CLASS_UNLOAD, JVMTI_EVENT_CLASS_PREPARE, NULL}, /* gives the class its id */
    {CLASS_LOAD_HOOK, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
     CAPABILITY(can_retransform_classes)}, /* else it would come before the weaver's */
    {THREAD_START, JVMTI_EVENT_THREAD_START, NULL},
    {THREAD_END, JVMTI_EVENT_THREAD_END, NULL},
    {CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTER, MONITORS},
    {CONTENDED_ENTERED, JVMTI_EVENT_MONITOR_CONTENDED_ENTER, MONITORS}, /* for the time */
    {CONTENDED_ENTERED, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, MONITORS},
    {CONTENDED_EXIT, JVMTI_EVENT_MONITOR_CONTENDED_ENTER, MONITORS},
    {CONTENDED_EXIT, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, MONITORS},
    {MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAIT, MONITORS},
    {MONITOR_WAIT, JVMTI_EVENT_NATIVE_METHOD_BIND, BINDINGS}, /* of Thread.sleep */
    {MONITOR_WAITED, JVMTI_EVENT_NATIVE_METHOD_BIND, BINDINGS},
    {MONITOR_WAITED, JVMTI_EVENT_MONITOR_WAIT, MONITORS},
    {MONITOR_WAITED, JVMTI_EVENT_MONITOR_WAITED, MONITORS},
    {METHOD_ENTRY, JVMTI_EVENT_NATIVE_METHOD_BIND, BINDINGS}, /* only of native ones: the others have probes */
    {METHOD_ENTRY2, JVMTI_EVENT_NATIVE_METHOD_BIND, BINDINGS},
    {METHOD_EXIT, JVMTI_EVENT_NATIVE_METHOD_BIND, BINDINGS},
    {COMPILED_METHOD_LOAD, JVMTI_EVENT_COMPILED_METHOD_LOAD, COMPILED},
    {COMPILED_METHOD_UNLOAD, JVMTI_EVENT_COMPILED_METHOD_UNLOAD, COMPILED},
    {DATA_DUMP_REQUEST, JVMTI_EVENT_DATA_DUMP_REQUEST, NULL},
    {GC_START, JVMTI_EVENT_GARBAGE_COLLECTION_START, COLLECTIONS},
    {GC_FINISH, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, COLLECTIONS},
};
enum { ROWS = sizeof table / sizeof *table };

static const jvmtiEventCallbacks callbacks = {
    .ClassPrepare = class_prepare,
    .ClassFileLoadHook = class_file,
    .ThreadStart = thread_start,
    .ThreadEnd = thread_end,
    .MonitorContendedEnter = contended_enter,
    .MonitorContendedEntered = contended_entered,
    .MonitorWait = monitor_wait,
    .MonitorWaited = monitor_waited,
    .NativeMethodBind = native_bound,
    .CompiledMethodLoad = compiled,
    .CompiledMethodUnload = uncompiled,
    .DataDumpRequest = data_dump,
    .GarbageCollectionStart = gc_start,
    .GarbageCollectionFinish = gc_finish,
};

static bool others_need(jvmtiEvent its) {
    for (int i = 0; i < ROWS; i++)
        if (table[i].its == its && ch_load_relaxed(&on[table[i].type])) return true;
    return false;
}

/* Classes that are there already get their ids, or their end would not be reported. */
static void name_classes(void) {
    JNIEnv *env = ch_here();
    jclass *classes = NULL;
    jint n = 0;
    if (!env || (*ch_jvmpi)->GetLoadedClasses(ch_jvmpi, &n, &classes)) return;
    (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        ch_id(env, classes[i]);
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    ch_free(classes);
}

/* Delivers the events of existing code, on a separate thread, as a thread gets no events while a handler runs on it. */
static void of_compiled(JNIEnv *env, void *unused) {
    (void)env, (void)unused;
    (void)(*ch_jvmpi)->GenerateEvents(ch_jvmpi, JVMTI_EVENT_COMPILED_METHOD_LOAD);
    ch_code_catch_up(false);
}

/* A thread's buffer of memory goes on without samples until it is full: a collection takes it away. Threads that are
 * there already begin when they have allocated about as much as the interval was before, 512 KB. */
static bool sample_from_now(unsigned long long every) {
    if (!ch_hub->sample(object_alloc, every)) return false;
    return !ch_here() || !ch_hub->may_collect() || !(*ch_jvmpi)->ForceGarbageCollection(ch_jvmpi);
}

struct change {
    unsigned type;
    bool on;
    unsigned long long argument;
    bool known, well;
};

static void change(void *argument) {
    struct change *c = argument;
    if (c->type == COMPILED_METHOD_LOAD) ch_code_catch_up(c->on);
    for (int i = 0; i < ROWS; i++) {
        if (table[i].type != c->type) continue;
        c->known = true;
        if (c->on && table[i].capability && (*ch_jvmpi)->AddCapabilities(ch_jvmpi, table[i].capability))
            c->well = false;
        if (!c->on && others_need(table[i].its)) continue;
        if (c->well &&
            (*ch_jvmpi)->SetEventNotificationMode(ch_jvmpi, c->on ? JVMTI_ENABLE : JVMTI_DISABLE, table[i].its, NULL))
            c->well = false;
    }
    if (c->type >= METHOD_ENTRY && c->type <= METHOD_EXIT) ch_natives_enable(c->type, c->on && c->well);
    if (c->type == MONITOR_WAIT || c->type == MONITOR_WAITED)
        ch_sleeps_wanted(ch_load_relaxed(&on[MONITOR_WAIT]) || ch_load_relaxed(&on[MONITOR_WAITED]));
    if (c->type == OBJECT_FREE) c->known = true;
    if (c->type == GC_FINISH) ch_hub->find_figures();
    if (c->type == INSTRUCTION_START) c->known = true;
    if (c->type == INSTRUCTION_START) c->well = ch_steps(c->on, c->argument, step);
    if (c->well && (c->type == THREAD_START || c->type == THREAD_END))
        c->well = ch_virtual_threads(c->type == THREAD_END, c->on && c->argument, virtual_thread);
    if (c->type == OBJECT_ALLOC) {
        c->known = true;
        c->well = c->on ? sample_from_now(c->argument) : ch_hub->sample(NULL, 0);
    }
    if (c->on && c->well && c->type == CLASS_UNLOAD) name_classes();
    if (c->on && c->well && c->type == COMPILED_METHOD_LOAD && ch_here())
        ch_run_thread("classhook compiled", 5, of_compiled, NULL);
}

/* enable(type, on, argument): whether it worked; None: the JVM has no such event. */
PyObject *ch_jvmpi_enable(PyObject *self, PyObject *args) {
    struct change c = {.well = true};
    int wanted;
    (void)self;
    if (!PyArg_ParseTuple(args, "IpK", &c.type, &wanted, &c.argument)) return NULL;
    if (c.type >= CH_JVMPI_TYPES || !ch_jvmpi || ch_is_foreign()) Py_RETURN_FALSE;
    c.on = wanted;
    bool of_one = c.type == INSTRUCTION_START && c.argument && !wanted; /* of its threads: there may be others */
    if (!of_one) ch_store_relaxed(&on[c.type], wanted);
    if (c.type >= GLOBALREF_ALLOC && c.type <= WEAK_FREE) return PyBool_FromLong(ch_references(c.type, wanted));
    ch_in_jvm(change, &c);
    if (!c.well && !of_one) ch_store_relaxed(&on[c.type], false);
    if (!c.known) Py_RETURN_NONE;
    return PyBool_FromLong(c.well);
}

/* An event's numbers: (type, a, b, id of the thread, what took). */
PyObject *ch_jvmpi_unpack(PyObject *self, PyObject *event) {
    (void)self;
    if (Py_TYPE(event) != &ch_event_type) return PyErr_Format(PyExc_TypeError, "an event is expected");
    const struct ch_noted *r = &((Event *)event)->record;
    return Py_BuildValue("(IKKKLK)", r->site, r->more[CH_A], r->more[CH_B], r->more[CH_ENV], (long long)r->took,
                         (unsigned long long)((const Event *)event)->missed);
}

bool ch_jvmpi_start(void) {
    static const jvmtiCapabilities wanted = {
        .can_tag_objects = 1,
        .can_suspend = 1,
        .can_get_line_numbers = 1,
        .can_get_source_file_name = 1,
        .can_get_monitor_info = 1,
        .can_get_thread_cpu_time = 1,
    };
    /* those that the JVM gives only while it starts: without them there is no dump of monitors */
    static const jvmtiCapabilities early[] = {{.can_get_owned_monitor_stack_depth_info = 1},
                                              {.can_get_current_contended_monitor = 1},
                                              {.can_access_local_variables = 1}};
    if (ch_jvmpi) return true;
    if (ch_is_foreign()) return false;
    jvmtiEnv *made = NULL;
    if ((*ch_hub->vm)->GetEnv(ch_hub->vm, (void **)&made, JVMTI_VERSION_1_2)) return false;
    if ((*made)->AddCapabilities(made, &wanted) || (*made)->SetEventCallbacks(made, &callbacks, sizeof callbacks))
        return false;
    for (size_t i = 0; i < sizeof early / sizeof *early; i++) (void)(*made)->AddCapabilities(made, &early[i]);
    ch_jvmpi = made;
    ch_sleeps_tell(slept);
    ch_natives_tell(native_method);
    ch_hub->will_ask_owners();
    return true;
}
