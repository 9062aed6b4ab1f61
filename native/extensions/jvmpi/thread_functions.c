/* Threads, by the ids of their objects: names, states, stacks; suspending them. Functions that may wait for another
 * thread do so without the GIL. */
#include "jvmpi.h"
#include <stdlib.h>
#include <string.h>

/* own_thread(): the id of this thread, 0: none of Java's. */
PyObject *ch_own_thread(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return PyLong_FromUnsignedLongLong(ch_id_own_thread());
}

/* ---- names */

static PyObject *group_name(JNIEnv *env, jthreadGroup group, PyObject **parent) {
    jvmtiThreadGroupInfo info = {0}, above = {0};
    if (!group || (*ch_jvmpi)->GetThreadGroupInfo(ch_jvmpi, group, &info))
        return *parent = PyUnicode_FromString(""), PyUnicode_FromString("");
    *parent = info.parent && !(*ch_jvmpi)->GetThreadGroupInfo(ch_jvmpi, info.parent, &above) ? ch_text(above.name)
                                                                                             : PyUnicode_FromString("");
    if (above.parent) (*env)->DeleteLocalRef(env, above.parent);
    if (info.parent) (*env)->DeleteLocalRef(env, info.parent);
    return ch_text(info.name);
}

/* thread_facts(id): name, its group's name, that group's parent's; None: there is no such thread. */
PyObject *ch_thread_facts(PyObject *self, PyObject *number) {
    uint64_t id = ch_id_given(number);
    JNIEnv *env = ch_here();
    jvmtiThreadInfo info = {0};
    (void)self;
    jthread thread = env ? ch_id_object(env, id) : NULL;
    if (!thread || (*ch_jvmpi)->GetThreadInfo(ch_jvmpi, thread, &info)) Py_RETURN_NONE;
    PyObject *parent, *group = group_name(env, info.thread_group, &parent);
    jobject references[] = {thread, info.thread_group, info.context_class_loader};
    for (int i = 0; i < 3; i++)
        if (references[i]) (*env)->DeleteLocalRef(env, references[i]);
    return Py_BuildValue("(NNN)", ch_text(info.name), group, parent);
}

/* ---- what they do */

/* The thread, a local reference; NULL: there is none. */
static jthread given(PyObject *number, JNIEnv **env) {
    uint64_t id = ch_id_given(number);
    *env = ch_here();
    return *env && ch_id_is_thread(id) ? ch_id_object(*env, id) : NULL;
}

PyObject *ch_threads(PyObject *self, PyObject *unused) {
    jthread *threads = NULL;
    jint n = 0;
    JNIEnv *env = ch_here();
    PyObject *all = PyList_New(0);
    (void)self, (void)unused;
    if (env && (*ch_jvmpi)->GetAllThreads(ch_jvmpi, &n, &threads)) n = 0;
    if (n) (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        PyObject *one = PyLong_FromUnsignedLongLong(ch_id_thread(env, threads[i]));
        if (all && one) PyList_Append(all, one);
        Py_XDECREF(one);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    if (threads) ch_free(threads);
    return all;
}

/* The ids of existing threads, also of virtual ones, which the JVM does not list. */
PyObject *ch_those_there(PyObject *self, PyObject *ids) {
    JNIEnv *env = ch_here();
    PyObject *there = PyList_New(0);
    (void)self;
    for (Py_ssize_t i = 0; env && there && PyList_Check(ids) && i < PyList_GET_SIZE(ids); i++) {
        PyObject *one = PyList_GET_ITEM(ids, i);
        jobject object = ch_id_object(env, ch_id_given(one));
        if (object) PyList_Append(there, one);
        if (object) (*env)->DeleteLocalRef(env, object);
    }
    return there;
}

long ch_status_of(jint state) {
    enum { RUNNABLE = 1, MONITOR_WAIT, CONDVAR_WAIT, SUSPENDED = 0x8000, INTERRUPTED = 0x4000 };
    if (!(state & JVMTI_THREAD_STATE_ALIVE)) return 0;
    long status = state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER ? MONITOR_WAIT
                  : state & (JVMTI_THREAD_STATE_WAITING | JVMTI_THREAD_STATE_SLEEPING | JVMTI_THREAD_STATE_PARKED)
                      ? CONDVAR_WAIT
                      : RUNNABLE;
    return status | (state & JVMTI_THREAD_STATE_SUSPENDED ? SUSPENDED : 0) |
           (state & JVMTI_THREAD_STATE_INTERRUPTED ? INTERRUPTED : 0);
}

PyObject *ch_thread_status(PyObject *self, PyObject *number) {
    JNIEnv *env;
    jint state = 0;
    jthread thread = given(number, &env);
    (void)self;
    if (thread && (*ch_jvmpi)->GetThreadState(ch_jvmpi, thread, &state)) state = 0;
    if (thread) (*env)->DeleteLocalRef(env, thread);
    return PyLong_FromLong(ch_status_of(state));
}

/* ---- stacks */

struct trace {
    jthread thread;
    jint depth, n;
    jvmtiFrameInfo *frames;
    jvmtiError error;
};

static void take(void *argument) {
    struct trace *t = argument;
    t->error = (*ch_jvmpi)->GetStackTrace(ch_jvmpi, t->thread, 0, t->depth, t->frames, &t->n);
}

static PyObject *frames_of(const jvmtiFrameInfo *frames, jint n, int depth) {
    enum { OURS = 4 };
    PyObject *all = PyList_New(0);
    for (jint i = 0; all && i < n && PyList_GET_SIZE(all) < depth; i++) {
        jmethodID m = (jmethodID)(uintptr_t)ch_method(frames[i].method);
        if (!m || (i < OURS && ch_method_is_ours(m))) continue;
        PyObject *one =
            Py_BuildValue("(iK)", (int)ch_method_line(m, frames[i].location), (unsigned long long)ch_method_newest(m));
        if (one) PyList_Append(all, one);
        Py_XDECREF(one);
    }
    return all;
}

/* True if a past event of this thread is delivered here, or a present one: then the stack that the thread has now is
 * another one. */
static bool is_past(const Event *e, uint64_t id) {
    return e && e->record.event == CH_EVENT_JVMPI && id && e->record.more[CH_ENV] == id &&
           (!e->call || id != ch_id_own_thread());
}

/* trace(id, depth): [(line, method)], innermost first; None: there is no such thread, False: the stack of this moment
 * was not taken. */
PyObject *ch_trace(PyObject *self, PyObject *args) {
    enum { OURS = 4, MOST = 1 << 16 };
    PyObject *number, *all = NULL;
    JNIEnv *env;
    int depth;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oi", &number, &depth)) return NULL;
    depth = depth < 0 ? 0 : depth > MOST ? MOST : depth;
    uint64_t id = ch_id_given(number);
    if (is_past(ch_event_now, id)) {
        jint n = 0;
        const jvmtiFrameInfo *frames = ch_hub->stack(ch_event_now->record.stack, &n);
        int there = (int)ch_event_depth(ch_event_now);
        return frames ? frames_of(frames, n, depth < there ? depth : there) : Py_NewRef(Py_False);
    }
    struct trace t = {.thread = given(number, &env), .depth = depth + OURS};
    if (!t.thread) Py_RETURN_NONE;
    t.frames = PyMem_Malloc((size_t)t.depth * sizeof *t.frames);
    if (!t.frames) return PyErr_NoMemory();
    ch_in_jvm(take, &t);
    (*env)->DeleteLocalRef(env, t.thread);
    if (!t.error) all = frames_of(t.frames, t.n, depth);
    PyMem_Free(t.frames);
    return all ? all : Py_NewRef(Py_None);
}

/* ---- suspending */

struct suspended {
    JNIEnv *env;
    jthread thread;
    uint64_t id;
    bool well;
};

static void suspend(void *argument) {
    struct suspended *s = argument;
    struct ch_ran ran = {0};
    jlong now = 0;
    s->well = !ch_thread_runs_handler(s->id) && !(*ch_jvmpi)->SuspendThread(ch_jvmpi, s->thread);
    if (s->well && ch_thread_runs_handler(s->id)) s->well = (*ch_jvmpi)->ResumeThread(ch_jvmpi, s->thread) && false;
    if (!s->well || !ch_id_ran(s->id, &ran, false) || (*ch_jvmpi)->GetThreadCpuTime(ch_jvmpi, s->thread, &now)) return;
    ran = (struct ch_ran){.now = now, .before = ran.now, .suspended = true};
    ch_id_ran(s->id, &ran, true);
}

static void resume(void *argument) {
    struct suspended *s = argument;
    struct ch_ran ran = {0};
    s->well = !(*ch_jvmpi)->ResumeThread(ch_jvmpi, s->thread);
    if (!ch_id_ran(s->id, &ran, false)) return;
    ran.suspended = false;
    ch_id_ran(s->id, &ran, true);
}

struct threads {
    void (*work)(void *);
    struct suspended *all;
    Py_ssize_t n;
};

static void each(void *argument) {
    const struct threads *t = argument;
    for (Py_ssize_t i = 0; i < t->n; i++)
        if (t->all[i].thread) t->work(&t->all[i]);
}

/* For each of a list of ids, whether it was done. */
static PyObject *with_threads(PyObject *ids, void (*work)(void *)) {
    Py_ssize_t n = PyList_Check(ids) ? PyList_GET_SIZE(ids) : 0;
    struct threads t = {work, PyMem_Calloc((size_t)n + 1, sizeof *t.all), n};
    PyObject *answers = t.all ? PyList_New(n) : PyErr_NoMemory();
    for (Py_ssize_t i = 0; answers && i < n; i++) {
        t.all[i].thread = given(PyList_GET_ITEM(ids, i), &t.all[i].env);
        t.all[i].id = ch_id_given(PyList_GET_ITEM(ids, i));
    }
    if (answers) ch_in_jvm(each, &t);
    for (Py_ssize_t i = 0; answers && i < n; i++) {
        if (t.all[i].thread) (*t.all[i].env)->DeleteLocalRef(t.all[i].env, t.all[i].thread);
        PyList_SET_ITEM(answers, i, PyBool_FromLong(t.all[i].well));
    }
    PyMem_Free(t.all);
    return answers;
}

PyObject *ch_suspend(PyObject *self, PyObject *ids) {
    (void)self;
    return with_threads(ids, suspend);
}

PyObject *ch_resume(PyObject *self, PyObject *ids) {
    (void)self;
    return with_threads(ids, resume);
}

/* Since it was suspended last; while it is suspended, since the time before. */
PyObject *ch_has_run(PyObject *self, PyObject *number) {
    struct ch_ran ran = {0};
    JNIEnv *env;
    jlong now = 0;
    jthread thread = given(number, &env);
    (void)self;
    if (!thread) Py_RETURN_FALSE;
    bool known = ch_id_ran(ch_id_given(number), &ran, false) && !(*ch_jvmpi)->GetThreadCpuTime(ch_jvmpi, thread, &now);
    (*env)->DeleteLocalRef(env, thread);
    return PyBool_FromLong(known && now > (ran.suspended ? ran.before : ran.now));
}
