/* Raw monitors: JVMTI's, by number. Who waits, waits without the GIL. */
#include "jvmpi.h"

enum { MOST = 4096, ENTER = 0, EXIT, WAIT, NOTIFY_ALL, DESTROY };

static jrawMonitorID monitors[MOST]; /* NULL: destroyed */
static int count;

/* raw_create(name): its number; None: there is no room. */
PyObject *ch_raw_create(PyObject *self, PyObject *name) {
    const char *text = PyUnicode_AsUTF8(name);
    (void)self;
    if (!text) return NULL;
    if (ch_is_foreign() || count == MOST || (*ch_jvmpi)->CreateRawMonitor(ch_jvmpi, text, &monitors[count])) Py_RETURN_NONE;
    return PyLong_FromLong(count++);
}

struct act {
    jrawMonitorID monitor;
    int what;
    jlong ms;
    jvmtiError error;
};

static void act(void *argument) {
    struct act *a = argument;
    switch (a->what) {
        case ENTER: a->error = (*ch_jvmpi)->RawMonitorEnter(ch_jvmpi, a->monitor); break;
        case EXIT: a->error = (*ch_jvmpi)->RawMonitorExit(ch_jvmpi, a->monitor); break;
        case WAIT: a->error = (*ch_jvmpi)->RawMonitorWait(ch_jvmpi, a->monitor, a->ms); break;
        case NOTIFY_ALL: a->error = (*ch_jvmpi)->RawMonitorNotifyAll(ch_jvmpi, a->monitor); break;
        default: a->error = (*ch_jvmpi)->DestroyRawMonitor(ch_jvmpi, a->monitor);
    }
}

/* raw_act(number, what, ms): whether the JVM did it. */
PyObject *ch_raw_act(PyObject *self, PyObject *args) {
    struct act a = {.monitor = NULL};
    int number;
    long long ms;
    (void)self;
    if (!PyArg_ParseTuple(args, "iiL", &number, &a.what, &ms)) return NULL;
    if (ch_is_foreign() || number < 0 || number >= count || !monitors[number]) Py_RETURN_FALSE;
    a.monitor = monitors[number];
    a.ms = ms;
    if (a.what == ENTER || a.what == WAIT)
        ch_without_gil(act, &a);
    else
        act(&a);
    if (a.what == DESTROY && !a.error) monitors[number] = NULL;
    return PyBool_FromLong(!a.error || a.error == JVMTI_ERROR_INTERRUPT);
}
