/* Finds the references to an object now, by following all references from the roots, while all threads stand still.
 * Some 1 s for 3 million objects.
 *
 * The object has a tag meanwhile, and so has each object that refers to it, which is then found by its tag. The tags
 * have an environment of their own, since an object has one tag in each. Only one thread looks at a time.
 */
#include "embedded.h"
#include <pthread.h>
#include <stdlib.h>

enum { TARGET = 1 };

struct reference {
    jint kind, index; /* of an array's element; else -1 */
    jlong from; /* the tag of what refers to it; 0: it is a root */
};

struct looking {
    JNIEnv *env;
    jobject target;
    struct reference *found;
    uint32_t n, most;
    jlong last; /* the tag given last */
    jint objects;
    jobject *from;
    jlong *tags; /* of `from` */
    jvmtiError error;
};

static jvmtiEnv *own;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static jint JNICALL look_at(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info, jlong class_tag,
                            jlong from_class_tag, jlong size, jlong *tag, jlong *from_tag, jint length, void *to) {
    struct looking *l = to;
    (void)class_tag, (void)from_class_tag, (void)size, (void)length;
    if (*tag != TARGET || l->n == l->most) return JVMTI_VISIT_OBJECTS;
    if (from_tag && !*from_tag) *from_tag = ++l->last;
    l->found[l->n++] = (struct reference){
        (jint)kind, kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT ? info->array.index : -1, from_tag ? *from_tag : 0};
    return JVMTI_VISIT_OBJECTS;
}

/* Brings the objects that have tags, with their tags, which are removed. */
static void bring(struct looking *l) {
    jlong *all = malloc(((size_t)l->last + 1) * sizeof *all);
    for (jlong i = 0; all && i < l->last; i++) all[i] = i + 1;
    l->error = all ? (*own)->GetObjectsWithTags(own, (jint)l->last, all, &l->objects, &l->from, &l->tags)
                   : JVMTI_ERROR_OUT_OF_MEMORY;
    free(all);
    for (jint i = 0; !l->error && i < l->objects; i++) (void)(*own)->SetTag(own, l->from[i], 0);
}

static void look(void *argument) {
    static const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = look_at};
    struct looking *l = argument;
    pthread_mutex_lock(&turn);
    l->last = TARGET;
    l->error = own || (own = ch_own_tags()) ? (*own)->SetTag(own, l->target, TARGET) : JVMTI_ERROR_NOT_AVAILABLE;
    if (!l->error) l->error = (*own)->FollowReferences(own, 0, NULL, NULL, &callbacks, l);
    if (own) bring(l);
    pthread_mutex_unlock(&turn);
}

static PyObject *handle_of(const struct looking *l, jlong tag) {
    for (jint i = 0; i < l->objects; i++)
        if (l->tags[i] == tag) return ch_to_python(NULL, l->from[i], 'O');
    return Py_NewRef(Py_None);
}

/* referrers(handle, most): [(kind of the reference, index in an array or -1, handle of what refers to it, None: a
 * root)]. Raises RuntimeError. */
PyObject *ch_referrers(PyObject *self, PyObject *args) {
    PyObject *handle, *all = NULL;
    struct looking l = {.env = ch_env()};
    (void)self;
    if (!l.env || !PyArg_ParseTuple(args, "OI", &handle, &l.most) || !(l.target = ch_handle_reference(handle)))
        return NULL;
    if (!(l.found = calloc((size_t)l.most + 1, sizeof *l.found))) return PyErr_NoMemory();
    ch_without_gil(look, &l);
    if (l.error)
        PyErr_Format(PyExc_RuntimeError, "the JVM does not follow references now: JVMTI error %d", (int)l.error);
    else
        all = PyList_New(0);
    for (uint32_t i = 0; all && i < l.n; i++) {
        PyObject *from = handle_of(&l, l.found[i].from),
                 *one = from ? Py_BuildValue("(iiN)", (int)l.found[i].kind, (int)l.found[i].index, from) : NULL;
        if (!one || PyList_Append(all, one)) Py_CLEAR(all);
        Py_XDECREF(one);
    }
    for (jint i = 0; i < l.objects; i++) (*l.env)->DeleteLocalRef(l.env, l.from[i]);
    if (own && l.from) (*own)->Deallocate(own, (unsigned char *)l.from);
    if (own && l.tags) (*own)->Deallocate(own, (unsigned char *)l.tags);
    free(l.found);
    return all;
}
