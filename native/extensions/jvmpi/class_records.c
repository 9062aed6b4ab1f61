/* The data of classes and methods in JVMPI's records. */
#include "jvmpi.h"
#include <string.h>

/* Appends what may be NULL, after an exception; the list, or NULL. */
static PyObject *with(PyObject *list, PyObject *one) {
    if (list && (!one || PyList_Append(list, one))) Py_CLEAR(list);
    Py_XDECREF(one);
    return list;
}

static PyObject *method(jmethodID id) {
    char *name = NULL, *signature = NULL;
    jvmtiLineNumberEntry *lines = NULL;
    jint n = 0, first = -1, last = -1;
    if ((*ch_jvmpi)->GetMethodName(ch_jvmpi, id, &name, &signature, NULL)) name = signature = NULL;
    if ((*ch_jvmpi)->GetLineNumberTable(ch_jvmpi, id, &n, &lines)) n = 0;
    for (jint i = 0; i < n; i++) {
        if (first < 0 || lines[i].line_number < first) first = lines[i].line_number;
        if (lines[i].line_number > last) last = lines[i].line_number;
    }
    ch_free(lines);
    return Py_BuildValue("(NNiiK)", ch_text(name), ch_text(signature), (int)first, (int)last,
                         (unsigned long long)ch_method(id));
}

static PyObject *methods(jclass c) {
    jint n = 0;
    jmethodID *ids = NULL;
    PyObject *all = PyList_New(0);
    if ((*ch_jvmpi)->GetClassMethods(ch_jvmpi, c, &n, &ids)) n = 0;
    for (jint i = 0; all && i < n; i++) all = with(all, method(ids[i]));
    ch_free(ids);
    return all;
}

static PyObject *fields(jclass c, bool of_class) {
    enum { STATIC = 8 };
    jint n = 0, modifiers;
    jfieldID *ids = NULL;
    PyObject *all = PyList_New(0);
    if ((*ch_jvmpi)->GetClassFields(ch_jvmpi, c, &n, &ids)) n = 0;
    for (jint i = 0; all && i < n; i++) {
        char *name = NULL, *signature = NULL;
        if ((*ch_jvmpi)->GetFieldModifiers(ch_jvmpi, c, ids[i], &modifiers) || !(modifiers & STATIC) == of_class)
            continue;
        if ((*ch_jvmpi)->GetFieldName(ch_jvmpi, c, ids[i], &name, &signature, NULL)) continue;
        all = with(all, Py_BuildValue("(NN)", ch_text(name), ch_text(signature)));
    }
    ch_free(ids);
    return all;
}

static PyObject *interfaces(JNIEnv *env, jclass c) {
    jint n = 0;
    jclass *all = NULL;
    if ((*ch_jvmpi)->GetImplementedInterfaces(ch_jvmpi, c, &n, &all)) n = 0;
    for (jint i = 0; i < n; i++) (*env)->DeleteLocalRef(env, all[i]);
    ch_free(all);
    return PyLong_FromLong(n);
}

static PyObject *source(jclass c) {
    char *name = NULL;
    if ((*ch_jvmpi)->GetSourceFileName(ch_jvmpi, c, &name)) name = NULL;
    return ch_text(name);
}

/* True if its members are there, or it is an array's class. */
static bool is_linked(jclass c) {
    jint status = 0;
    return !(*ch_jvmpi)->GetClassStatus(ch_jvmpi, c, &status) &&
           status & (JVMTI_CLASS_STATUS_PREPARED | JVMTI_CLASS_STATUS_ARRAY);
}

/* The part of a class for a letter: l whether it is linked, n its name, s its source, i how many interfaces, m methods,
 * f static and F other fields. */
static PyObject *part(JNIEnv *env, jclass c, char which) {
    switch (which) {
    case 'l': return PyBool_FromLong(is_linked(c));
    case 'n': return ch_class_name(c);
    case 's': return source(c);
    case 'i': return interfaces(env, c);
    case 'm': return methods(c);
    case 'f': return fields(c, true);
    case 'F': return fields(c, false);
    default: return PyErr_Format(PyExc_ValueError, "`%c` is no part of a class", which);
    }
}

/* class_parts(id, letters): a list; None: it is no class, or unloaded. */
PyObject *ch_class_parts(PyObject *self, PyObject *args) {
    PyObject *number;
    const char *letters;
    JNIEnv *env = ch_here();
    (void)self;
    if (!PyArg_ParseTuple(args, "Os", &number, &letters)) return NULL;
    uint64_t id = ch_id_given(number);
    jclass c = env && ch_id_is_class(id) ? ch_id_object(env, id) : NULL;
    if (!c) Py_RETURN_NONE;
    PyObject *all = PyList_New(0);
    for (; all && *letters; letters++) all = with(all, part(env, c, *letters));
    (*env)->DeleteLocalRef(env, c);
    return all;
}

/* classes(): the ids of all that are linked, also of arrays' classes. */
PyObject *ch_classes(PyObject *self, PyObject *unused) {
    JNIEnv *env = ch_here();
    jclass *classes = NULL;
    jint n = 0;
    PyObject *all = PyList_New(0);
    (void)self, (void)unused;
    if (!env || (*ch_jvmpi)->GetLoadedClasses(ch_jvmpi, &n, &classes)) n = 0;
    if (n) (void)ch_local_room(env, n + 64);
    for (jint i = 0; i < n; i++) {
        if (is_linked(classes[i]) && !ch_class_is_ours(classes[i]))
            all = with(all, PyLong_FromUnsignedLongLong(ch_id(env, classes[i])));
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    ch_free(classes);
    return all;
}

static PyObject *ids_of_interfaces(JNIEnv *env, jclass c) {
    jclass *interfaces = NULL;
    jint n = 0;
    PyObject *all = PyList_New(0);
    if ((*ch_jvmpi)->GetImplementedInterfaces(ch_jvmpi, c, &n, &interfaces)) n = 0;
    for (jint i = 0; i < n; i++) {
        all = with(all, PyLong_FromUnsignedLongLong(ch_id(env, interfaces[i])));
        (*env)->DeleteLocalRef(env, interfaces[i]);
    }
    ch_free(interfaces);
    return all;
}

/* interfaces(class): the ids of those that it names itself; none of a class that is gone. */
PyObject *ch_interfaces(PyObject *self, PyObject *number) {
    uint64_t id = ch_id_given(number);
    JNIEnv *env = ch_here();
    (void)self;
    jclass c = env && ch_id_is_class(id) ? ch_id_object(env, id) : NULL;
    if (!c) return PyList_New(0);
    PyObject *all = ids_of_interfaces(env, c);
    (*env)->DeleteLocalRef(env, c);
    return all;
}

/* class_of_method(method): the id of its class, 0 if no event has reported the method. */
PyObject *ch_class_of_method(PyObject *self, PyObject *number) {
    uint64_t given = ch_id_given(number);
    JNIEnv *env = ch_here();
    jclass c = NULL;
    uint64_t id = 0;
    (void)self;
    jmethodID m = env ? ch_method_of(given) : NULL;
    if (m && !(*ch_jvmpi)->GetMethodDeclaringClass(ch_jvmpi, m, &c)) {
        id = ch_id(env, c);
        (*env)->DeleteLocalRef(env, c);
    }
    return PyLong_FromUnsignedLongLong(id);
}

/* method_name(method): (class, name, signature); None: it is unloaded, or no event has reported it. */
PyObject *ch_method_name(PyObject *self, PyObject *number) {
    uint64_t given = ch_id_given(number);
    JNIEnv *env = ch_here();
    char *name = NULL, *signature = NULL;
    jclass c = NULL;
    (void)self;
    jmethodID m = env ? ch_method_of(given) : NULL;
    if (!m || (*ch_jvmpi)->GetMethodDeclaringClass(ch_jvmpi, m, &c)) Py_RETURN_NONE;
    if ((*ch_jvmpi)->GetMethodName(ch_jvmpi, m, &name, &signature, NULL)) name = signature = NULL;
    PyObject *of = ch_class_name(c);
    (*env)->DeleteLocalRef(env, c);
    return Py_BuildValue("(NNN)", of, ch_text(name), ch_text(signature));
}

/* The object of a constructor that has just been entered, which bytecode must not pass to anybody yet: the JVM reads it
 * from the frame. On the thread's own stack. */
struct receiver {
    jint depth;
    jobject found;
};

static void find_receiver(void *argument) {
    struct receiver *r = argument;
    if ((*ch_jvmpi)->GetLocalInstance(ch_jvmpi, NULL, r->depth, &r->found)) r->found = NULL;
}

static uint64_t receiver_of(JNIEnv *env, jmethodID method, jint depth) {
    enum { STATIC = 8 };
    struct receiver r = {depth, NULL};
    jint modifiers = STATIC;
    if ((*ch_jvmpi)->GetMethodModifiers(ch_jvmpi, method, &modifiers) || modifiers & STATIC) return 0;
    ch_in_jvm(find_receiver, &r);
    uint64_t id = ch_id(env, r.found);
    if (r.found) (*env)->DeleteLocalRef(env, r.found);
    return id;
}

/* sees_receivers(): whether the JVM gives the objects of constructors: not to an agent that was attached. */
PyObject *ch_sees_receivers(PyObject *self, PyObject *unused) {
    jvmtiCapabilities has = {0};
    (void)self, (void)unused;
    return PyBool_FromLong(ch_jvmpi && !(*ch_jvmpi)->GetCapabilities(ch_jvmpi, &has) && has.can_access_local_variables);
}

/* method_called(event, constructors): of an entry or exit, (thread, method, object); `constructors`: also the object
 * that one of these makes. */
PyObject *ch_method_called(PyObject *self, PyObject *args) {
    enum { OURS = 4 };
    jvmtiFrameInfo frames[OURS];
    jint n = 0, i = 0;
    PyObject *event;
    int constructors;
    if (!PyArg_ParseTuple(args, "Op", &event, &constructors)) return NULL;
    struct ch_call *call =
        Py_TYPE(event) == &ch_event_type && ch_event_is_here((Event *)event) ? ((Event *)event)->call : NULL;
    (void)self;
    if (!call) return PyErr_Format(PyExc_RuntimeError, "the call has ended, or belongs to another thread");
    if ((*ch_jvmpi)->GetStackTrace(ch_jvmpi, NULL, 0, OURS, frames, &n)) n = 0;
    while (i < n && ch_method_is_ours(frames[i].method)) i++;
    uint64_t object = call->this_object || !constructors || i == n ? ch_id(call->env, call->this_object)
                                                                   : receiver_of(call->env, frames[i].method, i);
    return Py_BuildValue("(KKK)", (unsigned long long)ch_id_own_thread(),
                         (unsigned long long)(i < n ? ch_method_newest(frames[i].method) : 0),
                         (unsigned long long)object);
}
