/* Threads, by the ids of their objects: names, states, stacks; suspending them. What may wait for another thread waits without the GIL. */
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
    if (!group || (*ch_jvmpi)->GetThreadGroupInfo(ch_jvmpi, group, &info)) return *parent = PyUnicode_FromString(""), PyUnicode_FromString("");
    *parent = info.parent && !(*ch_jvmpi)->GetThreadGroupInfo(ch_jvmpi, info.parent, &above) ? ch_text(above.name) : PyUnicode_FromString("");
    if (above.parent) (*env)->DeleteLocalRef(env, above.parent);
    if (info.parent) (*env)->DeleteLocalRef(env, info.parent);
    return ch_text(info.name);
}

/* thread_facts(id): name, its group's name, that group's parent's; None: there is no such thread. */
PyObject *ch_thread_facts(PyObject *self, PyObject *number) {
    unsigned long long id = PyLong_AsUnsignedLongLong(number);
    JNIEnv *env = ch_here();
    jvmtiThreadInfo info = {0};
    (void)self;
    if (PyErr_Occurred()) return NULL;
    jthread thread = env ? ch_id_object(env, id) : NULL;
    if (!thread || (*ch_jvmpi)->GetThreadInfo(ch_jvmpi, thread, &info)) Py_RETURN_NONE;
    PyObject *parent, *group = group_name(env, info.thread_group, &parent);
    jobject references[] = {thread, info.thread_group, info.context_class_loader};
    for (int i = 0; i < 3; i++)
        if (references[i]) (*env)->DeleteLocalRef(env, references[i]);
    return Py_BuildValue("(NNN)", ch_text(info.name), group, parent);
}

/* array_type(class): JVMPI's number for the elements of an array's class, 0 for another one. */
PyObject *ch_array_type(PyObject *self, PyObject *number) {
    static const char letters[] = "ZCFDBSIJ"; /* from 4 on */
    unsigned long long id = PyLong_AsUnsignedLongLong(number);
    JNIEnv *env = ch_here();
    char *signature = NULL;
    long type = 0;
    (void)self;
    if (PyErr_Occurred()) return NULL;
    jclass c = env && ch_id_is_class(id) ? ch_id_object(env, id) : NULL;
    if (c && !(*ch_jvmpi)->GetClassSignature(ch_jvmpi, c, &signature, NULL) && *signature == '[') {
        const char *found = strchr(letters, signature[1]);
        type = found ? found - letters + 4 : 2;
    }
    ch_free(signature);
    if (c) (*env)->DeleteLocalRef(env, c);
    return PyLong_FromLong(type);
}

/* ---- what they do */

/* The thread, a local reference; NULL without an exception if there is none, with one if the argument is no number. */
static jthread given(PyObject *number, JNIEnv **env) {
    unsigned long long id = PyLong_AsUnsignedLongLong(number);
    *env = ch_here();
    if (PyErr_Occurred() || !*env) return NULL;
    return ch_id_is_thread(id) ? ch_id_object(*env, id) : NULL;
}

PyObject *ch_threads(PyObject *self, PyObject *unused) {
    jthread *threads = NULL;
    jint n = 0;
    JNIEnv *env = ch_here();
    PyObject *all = PyList_New(0);
    (void)self, (void)unused;
    if (env && (*ch_jvmpi)->GetAllThreads(ch_jvmpi, &n, &threads)) n = 0;
    if (n) (*env)->EnsureLocalCapacity(env, n + 64);
    for (jint i = 0; i < n; i++) {
        PyObject *one = PyLong_FromUnsignedLongLong(ch_id_thread(env, threads[i]));
        if (all && one) PyList_Append(all, one);
        Py_XDECREF(one);
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    if (threads) ch_free(threads);
    return all;
}

long ch_status_of(jint state) {
    enum { RUNNABLE = 1, MONITOR_WAIT, CONDVAR_WAIT, SUSPENDED = 0x8000, INTERRUPTED = 0x4000 };
    if (!(state & JVMTI_THREAD_STATE_ALIVE)) return 0;
    long status = state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER ? MONITOR_WAIT
                  : state & (JVMTI_THREAD_STATE_WAITING | JVMTI_THREAD_STATE_SLEEPING | JVMTI_THREAD_STATE_PARKED) ? CONDVAR_WAIT
                                                                                                                    : RUNNABLE;
    return status | (state & JVMTI_THREAD_STATE_SUSPENDED ? SUSPENDED : 0) | (state & JVMTI_THREAD_STATE_INTERRUPTED ? INTERRUPTED : 0);
}

PyObject *ch_thread_status(PyObject *self, PyObject *number) {
    JNIEnv *env;
    jint state = 0;
    jthread thread = given(number, &env);
    (void)self;
    if (PyErr_Occurred()) return NULL;
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

/* trace(id, depth): [(line, method)], innermost first; None: there is no such thread. */
PyObject *ch_trace(PyObject *self, PyObject *args) {
    enum { OURS = 4, MOST = 1 << 16 };
    PyObject *number, *all = NULL;
    JNIEnv *env;
    int depth;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oi", &number, &depth)) return NULL;
    depth = depth < 0 ? 0 : depth > MOST ? MOST : depth;
    struct trace t = {.thread = given(number, &env), .depth = depth + OURS};
    if (PyErr_Occurred()) return NULL;
    if (!t.thread) Py_RETURN_NONE;
    t.frames = PyMem_Malloc((size_t)t.depth * sizeof *t.frames);
    if (!t.frames) return PyErr_NoMemory();
    ch_in_jvm(take, &t);
    (*env)->DeleteLocalRef(env, t.thread);
    if (!t.error) all = PyList_New(0);
    for (jint i = 0; all && i < t.n && PyList_GET_SIZE(all) < depth; i++) {
        jmethodID m = (jmethodID)(uintptr_t)ch_method(t.frames[i].method);
        if (!m || (i < OURS && ch_method_is_ours(m))) continue;
        PyObject *one = Py_BuildValue("(iK)", (int)ch_method_line(m, t.frames[i].location), (unsigned long long)(uintptr_t)m);
        if (one) PyList_Append(all, one);
        Py_XDECREF(one);
    }
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
    s->well = !ch_is_inside(s->id) && !(*ch_jvmpi)->SuspendThread(ch_jvmpi, s->thread);
    if (s->well && ch_is_inside(s->id)) s->well = (*ch_jvmpi)->ResumeThread(ch_jvmpi, s->thread) && false;
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

static PyObject *with_thread(PyObject *number, void (*work)(void *)) {
    struct suspended s = {.well = false};
    s.thread = given(number, &s.env);
    if (PyErr_Occurred()) return NULL;
    if (!s.thread) Py_RETURN_FALSE;
    s.id = PyLong_AsUnsignedLongLong(number);
    ch_in_jvm(work, &s);
    (*s.env)->DeleteLocalRef(s.env, s.thread);
    return PyBool_FromLong(s.well);
}

PyObject *ch_suspend(PyObject *self, PyObject *number) {
    (void)self;
    return with_thread(number, suspend);
}

PyObject *ch_resume(PyObject *self, PyObject *number) {
    (void)self;
    return with_thread(number, resume);
}

/* Since it was suspended last; while it is suspended, since the time before. */
PyObject *ch_has_run(PyObject *self, PyObject *number) {
    struct ch_ran ran = {0};
    JNIEnv *env;
    jlong now = 0;
    jthread thread = given(number, &env);
    (void)self;
    if (PyErr_Occurred()) return NULL;
    if (!thread) Py_RETURN_FALSE;
    bool known = ch_id_ran(PyLong_AsUnsignedLongLong(number), &ran, false) && !(*ch_jvmpi)->GetThreadCpuTime(ch_jvmpi, thread, &now);
    (*env)->DeleteLocalRef(env, thread);
    return PyBool_FromLong(known && now > (ran.suspended ? ran.before : ran.now));
}
