/* The module `classhook_events`, and what the agent calls (events/bridge.h). */
#define PY_SSIZE_T_CLEAN
#include "embedded.h"
#include <stdlib.h>
#include <string.h>

static PyObject *handlers[CH_MOST_HANDLERS], *failed,
    *due; /* functions: a handler, what notes that one has raised, what says which timers are due */

static uint64_t told_lost[CH_MOST_HANDLERS]; /* events that are lost, as far as the handler has been told */

/* ---- called by the agent */

static void report(uint32_t handler) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace) PyException_SetTraceback(value, trace);
    PyObject *done = failed && value ? PyObject_CallFunction(failed, "IO", handler, value) : NULL;
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

static char *copied(PyObject *text) {
    const char *words = PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : NULL;
    return words ? strdup(words) : NULL;
}

/* A transformer's: the class file, and whether its shape is another. */
static void give(struct ch_call *call, PyObject *both) {
    const char *data;
    Py_ssize_t n;
    int other;
    if (!PyArg_ParseTuple(both, "y#p", &data, &n, &other) || !(call->answer = malloc(n ? (size_t)n : 1))) {
        PyErr_Clear();
        return;
    }
    memcpy(call->answer, data, (size_t)n);
    call->answer_bytes = (uint32_t)n;
    call->other_shape = other;
}

/* Handlers that failed too often, and are off: their queued events are not delivered any more. (Those of disabled
 * handlers are.) */
static bool given_up[CH_MOST_HANDLERS];

static void run(const struct ch_noted *record, struct ch_call *call) {
    if (record->handler < CH_MOST_HANDLERS && given_up[record->handler]) return;
    /* NULL: it was removed */
    PyObject *handler = record->handler < CH_MOST_HANDLERS ? handlers[record->handler] : NULL;
    Event *e = handler ? ch_event_new(record, call) : NULL;
    if (!e) return;
    Py_INCREF(handler); /* another thread may remove it meanwhile */
    uint64_t all_lost = ch_hub->lost(record->handler);
    e->missed = all_lost - told_lost[record->handler];
    told_lost[record->handler] = all_lost;
    ch_event_now = e;
    ch_watch_begin(record->handler);
    PyObject *result = PyObject_CallOneArg(handler, (PyObject *)e);
    ch_watch_end();
    ch_event_now = NULL;
    e->call = NULL; /* a handler may have kept it */
    Py_DECREF(e);
    Py_DECREF(handler);
    if (!result)
        report(record->handler);
    else if (call && record->event == CH_EVENT_COMMAND)
        call->answer = copied(result);
    else if (call && (record->event == CH_EVENT_TRANSFORM || record->event == CH_EVENT_JVMPI) && PyTuple_Check(result))
        give(call, result);
    Py_XDECREF(result);
}

static void call(void *argument) {
    struct ch_call *c = argument;
    ch_gil_take();
    run(&c->record, c);
    ch_gil_release();
}

static void drain(const struct ch_noted *records, uint32_t n, JNIEnv *env) {
    (void)env;
    ch_gil_take();
    for (uint32_t i = 0; i < n; i++) {
        run(&records[i], NULL);
        ch_add_relaxed(ch_hub->handled, 1);
    }
    ch_gil_release();
}

/* `due` returns how many ms there are until the next timer, or -1, and the handlers that are due now. */
static int64_t tick(JNIEnv *env) {
    int64_t ms = -1;
    ch_gil_take();
    PyObject *answer = due ? PyObject_CallNoArgs(due) : NULL;
    if (answer && PyTuple_Check(answer) && PyTuple_GET_SIZE(answer)) {
        ms = PyLong_AsLongLong(PyTuple_GET_ITEM(answer, 0));
        for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(answer); i++) {
            struct ch_call c = {.record = {.handler = (uint32_t)PyLong_AsUnsignedLong(PyTuple_GET_ITEM(answer, i)),
                                           .event = CH_EVENT_TIMER},
                                .env = env};
            run(&c.record, &c);
        }
    }
    if (PyErr_Occurred()) PyErr_Clear();
    Py_XDECREF(answer);
    ch_gil_release();
    return ms;
}

/* ---- called by Python */

static PyObject *ways(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
#define WAYS(event, name, ways) #name, ways,
    static const char *const all[] = {CH_EVENT_NAMES(WAYS) NULL};
    PyObject *found = PyDict_New();
    for (int i = 0; found && all[i]; i += 2) {
        PyObject *entry = Py_BuildValue("(is)", i / 2, all[i + 1]);
        if (!entry || PyDict_SetItemString(found, all[i], entry)) Py_CLEAR(found);
        Py_XDECREF(entry);
    }
    return found;
}

static PyObject *handle(PyObject *self, PyObject *args) {
    unsigned event;
    int sync;
    const char *glob;
    PyObject *function;
    double limit;
    unsigned long long least;
    (void)self;
    if (!PyArg_ParseTuple(args, "IpzOdK", &event, &sync, &glob, &function, &limit, &least)) return NULL;
    uint32_t number = ch_hub->handler(event, sync, glob, least);
    if (!number) {
        PyErr_Format(PyExc_ValueError, "there were too many handlers in the life of this JVM: %d is the most",
                     CH_MOST_HANDLERS - 1);
        return NULL;
    }
    handlers[number] = Py_NewRef(function);
    ch_watch_limit(number, limit);
    return PyLong_FromUnsignedLong(number);
}

static PyObject *enable(PyObject *self, PyObject *args) {
    unsigned number;
    int on;
    (void)self;
    if (!PyArg_ParseTuple(args, "Ip", &number, &on)) return NULL;
    ch_hub->enable(number, on);
    Py_RETURN_NONE;
}

static PyObject *options(PyObject *self, PyObject *args) {
    unsigned number, frames;
    int lossy;
    (void)self;
    if (!PyArg_ParseTuple(args, "IpI", &number, &lossy, &frames)) return NULL;
    if (number < CH_MOST_HANDLERS) ch_event_frames[number] = frames;
    ch_hub->options(number, lossy, frames);
    Py_RETURN_NONE;
}

static PyObject *leave(PyObject *self, PyObject *number) {
    unsigned long handler = PyLong_AsUnsignedLong(number);
    (void)self;
    if (PyErr_Occurred()) return NULL;
    ch_hub->leave((uint32_t)handler);
    Py_RETURN_NONE;
}

static PyObject *removed(PyObject *self, PyObject *number) {
    unsigned long handler = PyLong_AsUnsignedLong(number);
    (void)self;
    if (PyErr_Occurred() || handler >= CH_MOST_HANDLERS) return NULL;
    ch_hub->remove((uint32_t)handler);
    Py_CLEAR(handlers[handler]);
    Py_RETURN_NONE;
}

static void do_follow(void *env) { ch_hub->follow(env); }

static PyObject *follow(PyObject *self, PyObject *unused) {
    JNIEnv *env = ch_env();
    (void)self, (void)unused;
    if (!env) return NULL;
    ch_without_gil(do_follow, env);
    Py_RETURN_NONE;
}

/* give_up(handler, on): whether it is called no more, not even for what is queued. */
static PyObject *give_up(PyObject *self, PyObject *args) {
    unsigned number;
    int on;
    (void)self;
    if (!PyArg_ParseTuple(args, "Ip", &number, &on)) return NULL;
    if (number < CH_MOST_HANDLERS) given_up[number] = on;
    Py_RETURN_NONE;
}

static PyObject *lost(PyObject *self, PyObject *number) {
    unsigned long handler = PyLong_AsUnsignedLong(number);
    (void)self;
    return PyErr_Occurred() ? NULL : PyLong_FromUnsignedLongLong(ch_hub->lost((uint32_t)handler));
}

static PyObject *note(PyObject *self, PyObject *text) {
    const char *words = PyUnicode_AsUTF8(text);
    (void)self;
    if (!words) return NULL;
    return PyBool_FromLong(ch_hub->note(words));
}

static PyObject *sample_every(PyObject *self, PyObject *bytes) {
    unsigned long long n = PyLong_AsUnsignedLongLong(bytes);
    (void)self;
    if (PyErr_Occurred()) return NULL;
    ch_hub->sample_every(n);
    Py_RETURN_NONE;
}

static PyObject *counter(PyObject *self, PyObject *unused) {
    uint32_t slot = ch_hub->counter();
    (void)self, (void)unused;
    if (slot == UINT32_MAX) Py_RETURN_NONE;
    return PyLong_FromUnsignedLong(slot);
}

static PyObject *counted(PyObject *self, PyObject *slot) {
    unsigned long n = PyLong_AsUnsignedLong(slot);
    (void)self;
    return PyErr_Occurred() ? NULL : PyLong_FromUnsignedLongLong(ch_hub->counted((uint32_t)n));
}

struct asked {
    JNIEnv *env;
    const char *line;
    char *answer;
};

static void do_ask(void *argument) {
    struct asked *a = argument;
    a->answer = ch_hub->ask(a->env, a->line);
}

static PyObject *ask(PyObject *self, PyObject *text) {
    struct asked a = {ch_env(), PyUnicode_AsUTF8(text), NULL};
    (void)self;
    if (!a.env || !a.line) return NULL;
    ch_without_gil(do_ask, &a);
    PyObject *answer = a.answer ? PyUnicode_DecodeUTF8(a.answer, (Py_ssize_t)strlen(a.answer), "replace")
                                : PyUnicode_FromString("{\"error\": \"no answer\"}\n");
    free(a.answer);
    return answer;
}

static PyObject *hooks(PyObject *self, PyObject *args) {
    PyObject *f, *d, *t;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &f, &d, &t)) return NULL;
    Py_XSETREF(failed, Py_NewRef(f));
    Py_XSETREF(due, Py_NewRef(d));
    Py_XSETREF(ch_timeout, Py_NewRef(t));
    return PyBool_FromLong(ch_watch_start());
}

static PyMethodDef functions[] = {
    {"ways", ways, METH_NOARGS, "the events: number, and ways in which handlers can get them"},
    {"handle", handle, METH_VARARGS,
     "adds a handler: event, sync, glob of class names, function, seconds that it may take, least ns of its "
     "events"},
    {"enable", enable, METH_VARARGS, "handler, on"},
    {"options", options, METH_VARARGS,
     "sets for a queued handler: whether it loses events or waits, how many frames of their stacks come with them"},
    {"leave", leave, METH_O,
     "switches a handler off for ever; one of `end` is called once more when the scripts change"},
    {"remove", removed, METH_O, "removes a handler"},
    {"follow", follow, METH_NOARGS, "has the JVM report the events that have handlers now"},
    {"give_up", give_up, METH_VARARGS, "sets whether a handler is given up"},
    {"lost", lost, METH_O, "the number of lost events of a handler"},
    {"note", note, METH_O, "adds a line to the report; whether there is still a report to add it to"},
    {"hooks", hooks, METH_VARARGS,
     "sets the functions that note failures and know timers, and the exception of timeouts"},
    {"sample_every", sample_every, METH_O, "samples one object in so many bytes"},
    {"ask", ask, METH_O, "a command of the control socket: lines of JSON"},
    {"heap_rows", ch_heap_rows_of, METH_VARARGS,
     "by tags, glob of class names: name, objects and bytes of each class or tag"},
    {"heap_find", ch_heap_objects, METH_VARARGS, "glob of class names, tag, most: handles that last"},
    {"finds", ch_finds, METH_VARARGS,
     "an event of a transformer, owner, name, descriptor: None if the class could call this method, or why not"},
    {"boot_path", ch_boot_path, METH_O, "a jar whose classes all class loaders find"},
    {"counter", counter, METH_NOARGS, "the slot of a new counter; None: there is no room"},
    {"counted", counted, METH_O, "what a slot has counted"},
    {"context_begins", ch_context_begins, METH_O,
     "this thread is in the context of this name from now on; False: there is no room"},
    {"context_ends", ch_context_ends, METH_O, "it leaves it, and all within it; False: it was in none"},
    {"context_ambient", ch_context_ambient, METH_O,
     "threads without a test of their own are in the context of this name; empty: in none"},
    {"test", ch_test, METH_VARARGS, "a record of a test: its number, the text"},
    {"versions", ch_versions, METH_NOARGS, "JVMTI's number; the JVM's version and name"},
    {"referrers", ch_referrers, METH_VARARGS,
     "handle, how many at most: (kind, index, handle) of each reference to it"},
    {"state_prepared", ch_state_prepared, METH_O,
     "watches the static fields of the class of a class_load event, if it has no initialiser"},
    {"state_initialised", ch_state_initialised, METH_NOARGS,
     "watches those of the class whose initialiser ends on this thread, and all others on, whatever it changed"},
    {"state_changed", ch_state_changed, METH_O,
     "notes the watched fields that have changed, and watches them no more; whether all have"},
    {"memory", ch_memory, METH_NOARGS, "bytes of the heap: used, in all"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "classhook_events", .m_size = -1,
                                        .m_methods = functions};

static void make_module(void) {
    PyObject *m = PyType_Ready(&ch_event_type) || PyType_Ready(&ch_object_type) ? NULL : PyModule_Create(&definition);
    if (!m || PyModule_AddObjectRef(m, "Event", (PyObject *)&ch_event_type) ||
        PyModule_AddObjectRef(m, "Object", (PyObject *)&ch_object_type) ||
        PyDict_SetItemString(PyImport_GetModuleDict(), "classhook_events", m))
        PyErr_Clear(); /* the script's import says so */
    Py_XDECREF(m);
}

/* Before the script is run; when the agent is attached, again. */
static void introduce(const struct ch_hub *hub) {
    PyGILState_STATE before = PyGILState_Ensure();
    if (!ch_hub) {
        ch_hub = hub;
        make_module();
        ch_extension->make_module();
    }
    PyGILState_Release(before);
}

static void freed(uint64_t number) { ch_extension->freed(number); }

static bool prepare(JNIEnv *env) { return ch_objects_prepare(env); }

const struct ch_bridge ch_events_bridge = {.hub = introduce,
                                           .call = call,
                                           .drain = drain,
                                           .tick = tick,
                                           .freed = freed,
                                           .thread_ends = ch_thread_ends,
                                           .prepare = prepare};
