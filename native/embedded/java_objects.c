/* Java's objects as Python's: numbers and strings by value, all else as handles.
 *
 * 1. A handle holds a local reference, which is good on the handler's thread until the handler returns; `keep` makes
 *    one that lasts, for any thread that runs a handler. Threads that scripts start are none of the JVM's: there, each
 *    use raises RuntimeError.
 * 2. Fields and elements are read by JNI functions that run no Java. `str` runs the object's own toString: on the
 *    thread's own stack, without the GIL (python_threads.c). So does what compares value objects, which are the same if
 *    what is in them is.
 */
#include "../base/jvm_facts.h"
#include "embedded.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    PyObject_HEAD jobject reference;
    Event *event; /* while whose handler runs the reference is good; NULL: it is a global one */
} Object;

static JavaVM *vm; /* JNI_GetCreatedJavaVMs has none while VMInit's handlers run */
static jclass string_class, class_class, system_class;
static jmethodID to_string, identity_hash;
static struct ch_box boxes[CH_BOXES] = CH_UNKNOWN_BOXES;

static jclass box_class(JNIEnv *env, const char *name) {
    char whole[32];
    snprintf(whole, sizeof whole, "java/lang/%s", name);
    return (*env)->FindClass(env, whole);
}

bool ch_objects_prepare(JNIEnv *env) {
    if (to_string) return true;
    if ((*env)->GetJavaVM(env, &vm)) return false;
    if (!ch_boxes_find(env, boxes, box_class)) return false;
    jclass string = (*env)->FindClass(env, "java/lang/String"), object = (*env)->FindClass(env, "java/lang/Object");
    jclass class = (*env)->FindClass(env, "java/lang/Class"), system = (*env)->FindClass(env, "java/lang/System");
    string_class = string ? (*env)->NewGlobalRef(env, string) : NULL;
    class_class = class ? (*env)->NewGlobalRef(env, class) : NULL;
    system_class = system ? (*env)->NewGlobalRef(env, system) : NULL;
    identity_hash = system ? (*env)->GetStaticMethodID(env, system, "identityHashCode", "(Ljava/lang/Object;)I") : NULL;
    to_string = object ? (*env)->GetMethodID(env, object, "toString", "()Ljava/lang/String;") : NULL;
    return string_class && class_class && identity_hash && to_string;
}

JNIEnv *ch_env(void) {
    JNIEnv *env = NULL;
    if (ch_hub->runs_handler() && vm && !(*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8)) return env;
    PyErr_SetString(PyExc_RuntimeError, "the JVM and its objects can be used only on a thread that runs a handler");
    return NULL;
}

/* ---- global references whose handles are gone; with the GIL */

static jobject
    *left_over; /* dropped on threads that are not attached to the JVM; the next attached thread deletes them */
static size_t left, room;

static void delete_later(jobject reference) {
    if (left == room) {
        jobject *more = PyMem_Realloc(left_over, (room * 2 + 64) * sizeof *more);
        if (!more) return;
        left_over = more;
        room = room * 2 + 64;
    }
    left_over[left++] = reference;
}

static void delete_global(jobject reference) {
    JNIEnv *env = NULL;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8)) {
        delete_later(reference);
        return;
    }
    (*env)->DeleteGlobalRef(env, reference);
    while (left) (*env)->DeleteGlobalRef(env, left_over[--left]);
}

/* ---- values */

PyObject *ch_text_to_python(JNIEnv *env, jstring text) {
    jsize n = (*env)->GetStringLength(env, text);
    jchar *chars = PyMem_Malloc(((size_t)n + 1) * sizeof *chars);
    int order = 0;
    if (!chars) return PyErr_NoMemory();
    (*env)->GetStringRegion(env, text, 0, n, chars);
    PyObject *made = PyUnicode_DecodeUTF16((const char *)chars, n * (Py_ssize_t)sizeof *chars, "surrogatepass", &order);
    PyMem_Free(chars);
    return made;
}

static PyObject *number(JNIEnv *env, jobject o, char letter, jfieldID f) {
    jchar c;
    int order = 0;
    switch (letter) {
    case 'Z': return PyBool_FromLong((*env)->GetBooleanField(env, o, f));
    case 'B': return PyLong_FromLong((*env)->GetByteField(env, o, f));
    case 'C':
        c = (*env)->GetCharField(env, o, f);
        return PyUnicode_DecodeUTF16((const char *)&c, sizeof c, "surrogatepass", &order);
    case 'S': return PyLong_FromLong((*env)->GetShortField(env, o, f));
    case 'I': return PyLong_FromLong((*env)->GetIntField(env, o, f));
    case 'J': return PyLong_FromLongLong((*env)->GetLongField(env, o, f));
    case 'F': return PyFloat_FromDouble((double)(*env)->GetFloatField(env, o, f));
    default: return PyFloat_FromDouble((*env)->GetDoubleField(env, o, f));
    }
}

PyObject *ch_to_python(Event *e, jobject object, char letter) {
    JNIEnv *env = e ? e->call->env : ch_env();
    if (!env) return NULL;
    if (!object || letter == 'V') return Py_NewRef(Py_None);
    const struct ch_box *box = ch_box_of(env, boxes, object, letter);
    if (box) return number(env, object, letter, box->value);
    if (letter != 'O' && (*env)->IsInstanceOf(env, object, string_class)) return ch_text_to_python(env, object);
    Object *made = PyObject_New(Object, &ch_object_type);
    if (!made) return NULL;
    made->reference = e ? object : (*env)->NewGlobalRef(env, object);
    made->event = e;
    Py_XINCREF(e);
    return (PyObject *)made;
}

/* ---- handles */

/* The environment, if the handle is still good. */
static JNIEnv *good(Object *o) {
    if (!o->event) return ch_env();
    if (ch_event_is_here(o->event)) return o->event->call->env;
    PyErr_SetString(
        PyExc_RuntimeError,
        o->event->call
            ? "this object belongs to a handler on another thread: call o.keep() there for one that works in handlers "
              "on any thread"
            : "this object belongs to a handler that has returned: call o.keep() in the handler for one that lasts");
    return NULL;
}

jobject ch_handle_reference(PyObject *handle) {
    if (Py_TYPE(handle) == &ch_object_type) return good((Object *)handle) ? ((Object *)handle)->reference : NULL;
    PyErr_SetString(PyExc_TypeError, "a handle of an object is expected");
    return NULL;
}

static void dealloc(PyObject *self) {
    Object *o = (Object *)self;
    if (!o->event) delete_global(o->reference);
    Py_XDECREF(o->event);
    PyObject_Free(self);
}

PyObject *ch_class_name(jclass c) {
    char *signature = NULL;
    if ((*ch_hub->jvmti)->GetClassSignature(ch_hub->jvmti, c, &signature, NULL)) return Py_NewRef(Py_None);
    for (char *p = signature; *p; p++)
        if (*p == '/') *p = '.';
    size_t n = strlen(signature);
    PyObject *made = *signature == 'L' ? PyUnicode_DecodeUTF8(signature + 1, (Py_ssize_t)n - 2, "replace")
                                       : PyUnicode_DecodeUTF8(signature, (Py_ssize_t)n, "replace");
    (*ch_hub->jvmti)->Deallocate(ch_hub->jvmti, (unsigned char *)signature);
    return made;
}

static PyObject *get_class(PyObject *self, void *unused) {
    JNIEnv *env = good((Object *)self);
    (void)unused;
    if (!env) return NULL;
    jclass c = (*env)->GetObjectClass(env, ((Object *)self)->reference);
    PyObject *name = ch_class_name(c);
    (*env)->DeleteLocalRef(env, c);
    return name;
}

/* The names of the class and its superclasses. */
static PyObject *get_classes(PyObject *self, void *unused) {
    JNIEnv *env = good((Object *)self);
    PyObject *all = env ? PyList_New(0) : NULL;
    (void)unused;
    for (jclass c = all ? (*env)->GetObjectClass(env, ((Object *)self)->reference) : NULL, above; c; c = above) {
        PyObject *name = ch_class_name(c);
        if (name) PyList_Append(all, name);
        Py_XDECREF(name);
        above = (*env)->GetSuperclass(env, c);
        (*env)->DeleteLocalRef(env, c);
    }
    return all;
}

/* The name of the class that the object is; None: the object is not a class. */
static PyObject *get_named(PyObject *self, void *unused) {
    JNIEnv *env = good((Object *)self);
    (void)unused;
    if (!env) return NULL;
    jclass c = (*env)->GetObjectClass(env, ((Object *)self)->reference);
    bool is_class = (*env)->IsSameObject(env, c, class_class);
    (*env)->DeleteLocalRef(env, c);
    return is_class ? ch_class_name(((Object *)self)->reference) : Py_NewRef(Py_None);
}

struct spoken {
    JNIEnv *env;
    jobject object;
    jstring text;
    jthrowable thrown;
};

static void speak(void *argument) {
    struct spoken *s = argument;
    s->text = (*s->env)->CallObjectMethod(s->env, s->object, to_string);
    s->thrown = (*s->env)->ExceptionOccurred(s->env);
    (*s->env)->ExceptionClear(s->env);
}

static PyObject *str(PyObject *self) {
    JNIEnv *env = good((Object *)self);
    struct spoken s = {env, ((Object *)self)->reference, NULL, NULL};
    PyObject *made = NULL;
    if (!env) return NULL;
    ch_without_gil(speak, &s);
    if (s.thrown) {
        jclass c = (*env)->GetObjectClass(env, s.thrown);
        PyObject *name = ch_class_name(c);
        if (name) PyErr_Format(PyExc_RuntimeError, "toString threw %U", name);
        Py_XDECREF(name);
        (*env)->DeleteLocalRef(env, c);
        (*env)->DeleteLocalRef(env, s.thrown);
    } else {
        made = s.text ? ch_text_to_python(env, s.text) : PyUnicode_FromString("null");
    }
    if (s.text) (*env)->DeleteLocalRef(env, s.text);
    return made;
}

static PyObject *read_field(Object *o, JNIEnv *env, jfieldID f, char letter) {
    if (letter != 'L' && letter != '[') return number(env, o->reference, letter, f);
    jobject value = (*env)->GetObjectField(env, o->reference, f);
    PyObject *made = ch_to_python(o->event, value, 'L');
    if (value && (!made || !o->event || Py_TYPE(made) != &ch_object_type)) (*env)->DeleteLocalRef(env, value);
    return made;
}

static PyObject *field(PyObject *self, PyObject *argument) {
    JNIEnv *env = good((Object *)self);
    const char *name = PyUnicode_AsUTF8(argument);
    char letter = 0;
    if (!env || !name) return NULL;
    jfieldID found = ch_object_field(env, ((Object *)self)->reference, name, &letter);
    if (found) return read_field((Object *)self, env, found, letter);
    return PyErr_Format(PyExc_AttributeError, "the object has no field `%s`", name);
}

/* All fields but static ones, of the class and then of its superclasses; of two with one name the first. */
static PyObject *fields(PyObject *self, PyObject *unused) {
    JNIEnv *env = good((Object *)self);
    PyObject *all = env ? PyDict_New() : NULL;
    (void)unused;
    for (jclass c = all ? (*env)->GetObjectClass(env, ((Object *)self)->reference) : NULL, above; c; c = above) {
        PyObject *names = ch_fields_of_class(c);
        for (Py_ssize_t i = 0; names && i < PyList_GET_SIZE(names); i++) {
            PyObject *name = PyList_GET_ITEM(names, i), *value = PyDict_Contains(all, name) ? NULL : field(self, name);
            if (value) PyDict_SetItem(all, name, value);
            Py_XDECREF(value);
            PyErr_Clear(); /* a static one */
        }
        Py_XDECREF(names);
        above = (*env)->GetSuperclass(env, c);
        (*env)->DeleteLocalRef(env, c);
    }
    return all;
}

/* ---- tags and sizes */

static PyObject *tag(PyObject *self, PyObject *name) {
    JNIEnv *env = good((Object *)self);
    const char *words = name == Py_None ? NULL : PyUnicode_AsUTF8(name);
    if (!env || (!words && name != Py_None)) return NULL;
    int64_t id = ch_hub->tag(env, ((Object *)self)->reference, words);
    if (id >= 0) return words ? PyLong_FromLongLong(id) : Py_NewRef(Py_None);
    PyErr_SetString(PyExc_RuntimeError, ch_hub->is_value(env, ((Object *)self)->reference)
                                            ? "a value object cannot be tagged: it has no identity"
                                            : "the JVM does not let this object be tagged");
    return NULL;
}

static PyObject *get_tagged(PyObject *self, void *unused) {
    int64_t id = 0;
    (void)unused;
    if (!good((Object *)self)) return NULL;
    const char *name = ch_hub->tag_of(((Object *)self)->reference, &id);
    return name ? PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace") : Py_NewRef(Py_None);
}

static PyObject *get_bytes(PyObject *self, void *unused) {
    jlong bytes = 0;
    (void)unused;
    if (!good((Object *)self)) return NULL;
    (void)(*ch_hub->jvmti)->GetObjectSize(ch_hub->jvmti, ((Object *)self)->reference, &bytes);
    return PyLong_FromLongLong(bytes);
}

static PyObject *keep(PyObject *self, PyObject *unused) {
    JNIEnv *env = good((Object *)self);
    (void)unused;
    return env ? ch_to_python(NULL, ((Object *)self)->reference, 'L') : NULL;
}

/* ---- arrays */

/* The letter of an array's elements; 0, after an exception, for what is none. */
static char elements(Object *o, JNIEnv *env) {
    char *signature = NULL, letter = 0;
    jclass c = (*env)->GetObjectClass(env, o->reference);
    if (!(*ch_hub->jvmti)->GetClassSignature(ch_hub->jvmti, c, &signature, NULL)) {
        if (*signature == '[') letter = signature[1] == '[' ? 'L' : signature[1];
        (*ch_hub->jvmti)->Deallocate(ch_hub->jvmti, (unsigned char *)signature);
    }
    (*env)->DeleteLocalRef(env, c);
    if (!letter) PyErr_SetString(PyExc_TypeError, "the object is not an array");
    return letter;
}

static Py_ssize_t length(PyObject *self) {
    JNIEnv *env = good((Object *)self);
    if (!env || !elements((Object *)self, env)) return -1;
    return (*env)->GetArrayLength(env, ((Object *)self)->reference);
}

static PyObject *item(PyObject *self, Py_ssize_t i) {
    Object *o = (Object *)self;
    JNIEnv *env = good(o);
    char letter = env ? elements(o, env) : 0;
    jvalue u;
    int order = 0;
    if (!letter) return NULL;
    if (i < 0 || i >= (*env)->GetArrayLength(env, o->reference)) {
        PyErr_SetString(PyExc_IndexError, "the array has no such element");
        return NULL;
    }
    switch (letter) {
    case 'Z': (*env)->GetBooleanArrayRegion(env, o->reference, (jsize)i, 1, &u.z); return PyBool_FromLong(u.z);
    case 'B': (*env)->GetByteArrayRegion(env, o->reference, (jsize)i, 1, &u.b); return PyLong_FromLong(u.b);
    case 'C':
        (*env)->GetCharArrayRegion(env, o->reference, (jsize)i, 1, &u.c);
        return PyUnicode_DecodeUTF16((const char *)&u.c, sizeof u.c, "surrogatepass", &order);
    case 'S': (*env)->GetShortArrayRegion(env, o->reference, (jsize)i, 1, &u.s); return PyLong_FromLong(u.s);
    case 'I': (*env)->GetIntArrayRegion(env, o->reference, (jsize)i, 1, &u.i); return PyLong_FromLong(u.i);
    case 'J': (*env)->GetLongArrayRegion(env, o->reference, (jsize)i, 1, &u.j); return PyLong_FromLongLong(u.j);
    case 'F': (*env)->GetFloatArrayRegion(env, o->reference, (jsize)i, 1, &u.f); return PyFloat_FromDouble((double)u.f);
    case 'D': (*env)->GetDoubleArrayRegion(env, o->reference, (jsize)i, 1, &u.d); return PyFloat_FromDouble(u.d);
    default: break;
    }
    jobject value = (*env)->GetObjectArrayElement(env, o->reference, (jsize)i);
    PyObject *made = ch_to_python(o->event, value, 'L');
    if (value && (!made || !o->event || Py_TYPE(made) != &ch_object_type)) (*env)->DeleteLocalRef(env, value);
    return made;
}

/* ---- identity */

struct pair {
    JNIEnv *env;
    jobject a, b;
    bool same;
    jint code; /* of a */
};

/* Compares value objects, whose fields Java code looks at. If the stack is too small for their contents, they are not
 * the same. */
static void compare_values(void *argument) {
    struct pair *p = argument;
    p->same = (*p->env)->IsSameObject(p->env, p->a, p->b);
    if ((*p->env)->ExceptionCheck(p->env)) (*p->env)->ExceptionClear(p->env);
}

static void hash_value(void *argument) {
    struct pair *p = argument;
    /* JVMTI has one for all objects of a class */
    p->code = (*p->env)->CallStaticIntMethod(p->env, system_class, identity_hash, p->a);
    if ((*p->env)->ExceptionCheck(p->env)) (*p->env)->ExceptionClear(p->env);
}

static PyObject *compare(PyObject *a, PyObject *b, int how) {
    if ((how != Py_EQ && how != Py_NE) || Py_TYPE(b) != &ch_object_type) Py_RETURN_NOTIMPLEMENTED;
    JNIEnv *env = good((Object *)a);
    if (!env || !good((Object *)b)) return NULL;
    struct pair p = {.env = env, .a = ((Object *)a)->reference, .b = ((Object *)b)->reference};
    if (ch_hub->is_value(env, p.a))
        ch_without_gil(compare_values, &p);
    else
        p.same = (*env)->IsSameObject(env, p.a, p.b);
    return PyBool_FromLong(p.same == (how == Py_EQ));
}

static Py_hash_t hash(PyObject *self) {
    struct pair p = {.env = good((Object *)self), .a = ((Object *)self)->reference};
    if (!p.env) return -1;
    if (ch_hub->is_value(p.env, p.a))
        ch_without_gil(hash_value, &p);
    else
        (void)(*ch_hub->jvmti)->GetObjectHashCode(ch_hub->jvmti, p.a, &p.code);
    return p.code == -1 ? -2 : p.code;
}

static PyObject *repr(PyObject *self) {
    PyObject *name = get_class(self, NULL);
    if (!name) return NULL;
    PyObject *made = PyUnicode_FromFormat("<%U@%x>", name, (unsigned)hash(self));
    Py_DECREF(name);
    return made;
}

static PyGetSetDef attributes[] = {
    {"cls", get_class, NULL, "the name of its class", NULL},
    {"class_name", get_named, NULL, "of a class itself: its name; None: the object is none", NULL},
    {"classes", get_classes, NULL, "the names of its class and its superclasses", NULL},
    {"tagged", get_tagged, NULL, "the name of its tag; None: it has none", NULL},
    {"bytes", get_bytes, NULL, "its size", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef methods[] = {
    {"field", field, METH_O, "field($self, name, /)\n--\n\nthe value of a field"},
    {"fields", fields, METH_NOARGS, "fields($self, /)\n--\n\nall fields, by name"},
    {"tag", tag, METH_O,
     "tag($self, name, /)\n--\n\nmarks it: handlers of object_free are called when it is freed; returns a number for "
     "it. None removes the tag"},
    {"keep", keep, METH_NOARGS, "keep($self, /)\n--\n\na handle that stays valid when the handler has returned"},
    {NULL, NULL, 0, NULL},
};
/* Without this, `if o` would ask for its length. */
static int is_there(PyObject *self) {
    (void)self;
    return 1;
}

static PyNumberMethods truth = {.nb_bool = is_there};
static PySequenceMethods sequence = {.sq_length = length, .sq_item = item};

PyTypeObject ch_object_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "classhook_events.Object",
    .tp_basicsize = sizeof(Object),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = dealloc,
    .tp_repr = repr,
    .tp_str = str,
    .tp_hash = hash,
    .tp_richcompare = compare,
    .tp_as_number = &truth,
    .tp_as_sequence = &sequence,
    .tp_getset = attributes,
    .tp_methods = methods,
};
