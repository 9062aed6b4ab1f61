/* The argument of a handler. Its attributes are found when they are read: most handlers look at one or two. */
#include "../base/jvm_facts.h"
#include "embedded.h"
#include <string.h>

static const char *const names[] = {
#define NAME(event, name, ways) #name,
    CH_EVENT_NAMES(NAME)};

__thread Event *ch_event_now;
uint32_t ch_event_frames[CH_MOST_HANDLERS];

Event *ch_event_new(const struct ch_noted *record, struct ch_call *call) {
    Event *e = PyObject_New(Event, &ch_event_type);
    if (!e) return NULL;
    e->record = *record;
    e->call = call;
    e->thread = PyThread_get_thread_ident();
    e->missed = 0;
    return e;
}

uint32_t ch_event_depth(const Event *e) { return e->record.stack ? ch_event_frames[e->record.handler] : 0; }

static void dealloc(PyObject *self) { PyObject_Free(self); }

static struct ch_call *live(Event *e, const char *what) {
    if (!e->call)
        PyErr_Format(
            PyExc_RuntimeError,
            "e.%s is there only while a handler with sync=True runs: `%s` was queued, or its handler has returned",
            what, names[e->record.event]);
    else if (!ch_event_is_here(e))
        PyErr_Format(PyExc_RuntimeError, "e.%s can be used only on the thread that runs the handler of `%s`", what,
                     names[e->record.event]);
    return ch_event_is_here(e) ? e->call : NULL;
}

static PyObject *none(void) { return Py_NewRef(Py_None); }

/* ---- what is always known */

static PyObject *get_kind(PyObject *self, void *unused) {
    (void)unused;
    return ch_utf8(names[((Event *)self)->record.event]);
}

static PyObject *get_name(PyObject *self, void *unused) {
    (void)unused;
    return ch_utf8(ch_hub->name(((Event *)self)->record.name));
}

static PyObject *get_ns(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromLongLong(ch_hub->span(((Event *)self)->record.took));
}

static PyObject *get_time(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(ch_hub->when(((Event *)self)->record.time));
}

static PyObject *get_thread(PyObject *self, void *unused) {
    Event *e = (Event *)self;
    (void)unused;
    if (!e->call) return ch_utf8(ch_hub->name(e->record.thread));
    if (!live(e, "thread")) return NULL;
    jvmtiThreadInfo info = {0};
    if ((*ch_hub->jvmti)->GetThreadInfo(ch_hub->jvmti, NULL, &info)) return none();
    PyObject *name = info.name ? ch_utf8(info.name) : none();
    if (info.name) (*ch_hub->jvmti)->Deallocate(ch_hub->jvmti, (unsigned char *)info.name);
    if (info.thread_group) (*e->call->env)->DeleteLocalRef(e->call->env, info.thread_group);
    if (info.context_class_loader) (*e->call->env)->DeleteLocalRef(e->call->env, info.context_class_loader);
    return name;
}

/* ---- of a method */

static bool site(Event *e, struct ch_site *s) {
    if (ch_hub->site(e->record.site, s)) return true;
    PyErr_Format(PyExc_AttributeError, "an event `%s` is about no method", names[e->record.event]);
    return false;
}

static PyObject *get_method(PyObject *self, void *unused) {
    struct ch_site s;
    (void)unused;
    return site((Event *)self, &s) ? PyUnicode_FromFormat("%s::%s", s.class_name, s.method) : NULL;
}

static PyObject *get_descriptor(PyObject *self, void *unused) {
    struct ch_site s;
    (void)unused;
    return site((Event *)self, &s) ? ch_utf8(s.descriptor) : NULL;
}

static PyObject *get_this(PyObject *self, void *unused) {
    struct ch_call *c = live((Event *)self, "this");
    (void)unused;
    return c ? ch_to_python((Event *)self, c->this_object,
                            ((Event *)self)->record.event == CH_EVENT_OBJECT_ALLOC ? 'O' : 'L')
             : NULL;
}

/* A program may call the tracker with more arguments than the method has. */
static const char *after_type(const char *type) {
    if (*type == ')' || !*type) return type;
    while (*type == '[') type++;
    if (*type != 'L') return type + 1;
    const char *end = strchr(type, ';');
    return end ? end + 1 : "";
}

static PyObject *get_args(PyObject *self, void *unused) {
    Event *e = (Event *)self;
    struct ch_call *c = live(e, "args");
    struct ch_site s;
    (void)unused;
    if (!c || !site(e, &s)) return NULL;
    if (!c->args) {
        PyErr_SetString(PyExc_RuntimeError, "e.args is there if the handler asks for it: args=True");
        return NULL;
    }
    jsize n = (*c->env)->GetArrayLength(c->env, c->args);
    PyObject *all = PyTuple_New(n);
    const char *type = s.descriptor + 1;
    for (jsize i = 0; all && i < n; i++, type = after_type(type)) {
        jobject object = (*c->env)->GetObjectArrayElement(c->env, c->args, i);
        PyObject *one = ch_to_python(e, object, *type);
        if (object && (!one || Py_TYPE(one) != &ch_object_type)) (*c->env)->DeleteLocalRef(c->env, object);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

static PyObject *get_value(PyObject *self, void *unused) {
    Event *e = (Event *)self;
    struct ch_call *c = live(e, "value");
    struct ch_site s;
    (void)unused;
    if (!c || !site(e, &s)) return NULL;
    const char *type = strrchr(s.descriptor, ')');
    return e->record.threw || !type ? none() : ch_to_python(e, c->value, type[1]);
}

static PyObject *get_exception(PyObject *self, void *unused) {
    Event *e = (Event *)self;
    (void)unused;
    if (!e->record.threw) return none();
    if (!e->call) return ch_utf8(ch_hub->name(e->record.name));
    return live(e, "exception") ? ch_to_python(e, e->call->value, 'L') : NULL;
}

/* `Class.method(Source.java:12)`, the innermost first, without the agent's own. */
static PyObject *frame_text(jvmtiEnv *jvmti, JNIEnv *env, const jvmtiFrameInfo *f) {
    char *method = NULL, *source = NULL, *signature = NULL;
    jvmtiLineNumberEntry *lines = NULL;
    jclass c = NULL;
    jint n = 0, line = -1;
    PyObject *made = NULL;
    if (!(*jvmti)->GetMethodName(jvmti, f->method, &method, NULL, NULL) &&
        !(*jvmti)->GetMethodDeclaringClass(jvmti, f->method, &c) &&
        !(*jvmti)->GetClassSignature(jvmti, c, &signature, NULL) && strcmp(signature, "Ljava/lang/ClasshookTracker;")) {
        if ((*jvmti)->GetSourceFileName(jvmti, c, &source)) source = NULL;
        if (!(*jvmti)->GetLineNumberTable(jvmti, f->method, &n, &lines)) line = ch_line_at(lines, n, f->location);
        for (char *p = signature; *p; p++)
            if (*p == '/') *p = '.';
        signature[strlen(signature) - 1] = 0;
        if (line > 0)
            made = PyUnicode_FromFormat("%s.%s(%s:%d)", signature + 1, method, source ? source : "?", (int)line);
        else
            made = PyUnicode_FromFormat("%s.%s(%s)", signature + 1, method, source ? source : "native");
    }
    if (!method) made = ch_utf8("(unloaded)");
    char *texts[] = {method, source, signature, (char *)lines};
    for (int i = 0; i < 4; i++)
        if (texts[i]) (*jvmti)->Deallocate(jvmti, (unsigned char *)texts[i]);
    if (c) (*env)->DeleteLocalRef(env, c);
    return made;
}

/* The stack that was taken with a queued event. Most of them have been read before. */
static PyObject *queued_stack(Event *e, int depth) {
    static PyObject *known; /* by number: lists of texts */
    JNIEnv *env = ch_env();
    PyObject *number = env ? PyLong_FromUnsignedLong(e->record.stack) : NULL, *all = NULL;
    jint n = 0;
    if (!number || (!known && !(known = PyDict_New()))) return NULL;
    const jvmtiFrameInfo *frames = ch_hub->stack(e->record.stack, &n);
    if ((all = PyDict_GetItemWithError(known, number))) {
        Py_INCREF(all);
    } else if ((all = PyList_New(0))) {
        for (jint i = 0; i < n; i++) {
            PyObject *one = frame_text(ch_hub->jvmti, env, &frames[i]);
            if (one) PyList_Append(all, one);
            Py_XDECREF(one);
        }
        if (PyDict_SetItem(known, number, all)) PyErr_Clear();
    }
    Py_DECREF(number);
    uint32_t there = ch_event_depth(e);
    PyObject *some = all ? PyList_GetSlice(all, 0, depth < 0 ? 0 : (uint32_t)depth < there ? depth : (int)there) : NULL;
    Py_XDECREF(all);
    return some;
}

static PyObject *stack(PyObject *self, PyObject *args, PyObject *named) {
    static char *words[] = {(char *)(uintptr_t)"depth", NULL};
    enum { MOST = 1024, OURS = 2 };
    Event *e = (Event *)self;
    int depth = 16;
    jint n = 0;
    jvmtiEnv *jvmti = ch_hub->jvmti;
    if (!PyArg_ParseTupleAndKeywords(args, named, "|i", words, &depth)) return NULL;
    if (e->record.stack) return queued_stack(e, depth);
    if (!e->call && !ch_event_frames[e->record.handler])
        return PyErr_Format(PyExc_RuntimeError,
                            "e.stack() was not taken: a queued handler asks for it, as in stack=16");
    if (!e->call && ch_event_frames[e->record.handler])
        return PyErr_Format(PyExc_RuntimeError, "e.stack() was not kept: there was no memory for it");
    if (!live(e, "stack()")) return NULL;
    depth = depth < 0 ? 0 : depth > MOST - OURS ? MOST - OURS : depth;
    jvmtiFrameInfo *frames = PyMem_Malloc(MOST * sizeof *frames);
    PyObject *all = frames ? PyList_New(0) : PyErr_NoMemory();
    if (all && (*jvmti)->GetStackTrace(jvmti, NULL, 0, depth + OURS, frames, &n)) n = 0;
    for (jint i = 0; all && i < n && PyList_GET_SIZE(all) < depth; i++) {
        PyObject *one = frame_text(jvmti, e->call->env, &frames[i]);
        if (one) PyList_Append(all, one);
        Py_XDECREF(one);
    }
    PyMem_Free(frames);
    return all;
}

/* ---- of objects that are allocated and freed */

static PyObject *get_bytes(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(((Event *)self)->record.more[0]);
}

static PyObject *get_missed(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(((Event *)self)->missed);
}

static PyObject *get_tag(PyObject *self, void *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(((Event *)self)->record.more[1]);
}

/* ---- of the heap, when the collection ended; if the JVM does not say it, when it is asked for */

static PyObject *get_memory(PyObject *self, void *which) {
    const struct ch_noted *r = &((Event *)self)->record;
    if (r->event == CH_EVENT_GC_FINISH && r->more[0]) return PyLong_FromUnsignedLongLong(r->more[which != NULL]);
    PyObject *both = ch_memory(NULL, NULL), *one = both ? Py_NewRef(PyTuple_GET_ITEM(both, which != NULL)) : NULL;
    Py_XDECREF(both);
    return one;
}

/* ---- of commands and transformers */

static PyObject *get_text(PyObject *self, void *unused) {
    Event *e = (Event *)self;
    (void)unused;
    return e->call && e->call->text ? ch_utf8(e->call->text) : none();
}

static PyObject *get_data(PyObject *self, void *unused) {
    struct ch_call *c = live((Event *)self, "data");
    (void)unused;
    return c ? PyBytes_FromStringAndSize((const char *)c->data, (Py_ssize_t)(c->data ? c->bytes : 0)) : NULL;
}

static PyObject *repr(PyObject *self) {
    Event *e = (Event *)self;
    struct ch_site s;
    if (ch_hub->site(e->record.site, &s))
        return PyUnicode_FromFormat("<%s %s::%s>", names[e->record.event], s.class_name, s.method);
    return PyUnicode_FromFormat("<%s %s>", names[e->record.event], ch_hub->name(e->record.name));
}

static PyGetSetDef attributes[] = {
    {"kind", get_kind, NULL, "the event's name", NULL},
    {"name", get_name, NULL, "of the class or thread that it is about", NULL},
    {"time", get_time, NULL, "when it was, in ns of the monotonic clock", NULL},
    {"thread", get_thread, NULL, "the name of the thread that it was on; empty: none of Java's", NULL},
    {"ns", get_ns, NULL, "how long the activation or the pause took", NULL},
    {"pause_ns", get_ns, NULL, "how long the collection's pause took", NULL},
    {"method", get_method, NULL, "class::method", NULL},
    {"descriptor", get_descriptor, NULL, "the method's descriptor", NULL},
    {"this", get_this, NULL, "the object; None in static methods, and at the entry of constructors", NULL},
    {"args", get_args, NULL, "the arguments", NULL},
    {"value", get_value, NULL, "the result", NULL},
    {"exception", get_exception, NULL, "what was thrown; queued, the name of its class; None if nothing was", NULL},
    {"used", get_memory, NULL, "bytes of the heap that were used after the collection", NULL},
    {"total", get_memory, NULL, "bytes of the heap", (void *)(uintptr_t)""},
    {"bytes", get_bytes, NULL, "the size of the object that was allocated", NULL},
    {"tag", get_tag, NULL, "what o.tag() returned for the object that was freed", NULL},
    {"missed", get_missed, NULL, "how many events of this handler were lost since the one before", NULL},
    {"data", get_data, NULL, "a class file", NULL},
    {"text", get_text, NULL, "the words of a command", NULL},
    {"source", (getter)(void (*)(void))ch_class_attribute, NULL, "the source file of a class", (void *)(uintptr_t)"s"},
    {"methods", (getter)(void (*)(void))ch_class_attribute, NULL, "the names of its methods", (void *)(uintptr_t)"m"},
    {"fields", (getter)(void (*)(void))ch_class_attribute, NULL, "the names of its fields", (void *)(uintptr_t)"f"},
    {"interfaces", (getter)(void (*)(void))ch_class_attribute, NULL, "the names of its interfaces",
     (void *)(uintptr_t)"i"},
    {"loader", (getter)(void (*)(void))ch_class_attribute, NULL, "its loader; None: the JVM itself",
     (void *)(uintptr_t)"l"},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"stack", (PyCFunction)(void (*)(void))stack, METH_VARARGS | METH_KEYWORDS,
     "stack($self, depth=16)\n--\n\nthe frames, innermost first"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject ch_event_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "classhook_events.Event",
    .tp_basicsize = sizeof(Event),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = dealloc,
    .tp_repr = repr,
    .tp_getset = attributes,
    .tp_methods = methods,
};
