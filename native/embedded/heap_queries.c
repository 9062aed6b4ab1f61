/* Queries of the heap for Python: rows by class or by tag, and handles of objects. */
#include "embedded.h"
#include <stdlib.h>

struct query {
    JNIEnv *env;
    const char *glob, *tag;
    int tags;
    struct ch_heap_row *rows;
    uint32_t n;
    struct ch_heap_found found;
    bool well;
};

static void count(void *argument) {
    struct query *q = argument;
    q->rows = ch_hub->heap_rows(q->env, q->tags, q->glob, &q->n);
}

static void find(void *argument) {
    struct query *q = argument;
    q->well = ch_hub->heap_find(q->env, q->glob, q->tag, &q->found);
}

/* While the JVM can stop its threads for it. */
static bool ask(struct query *q, void (*how)(void *)) {
    q->env = ch_env();
    if (!q->env) return false;
    if (ch_hub->may_collect()) {
        ch_without_gil(how, q);
        if (q->rows || q->well) return true;
        PyErr_SetString(PyExc_RuntimeError, "the JVM does not let its heap be walked, or there is no memory for that");
        return false;
    }
    PyErr_SetString(PyExc_RuntimeError,
                    "the JVM has stopped its garbage collector: its heap cannot be walked any more");
    return false;
}

/* heap_rows(tags, glob): (name, objects, bytes) of each class, or of each tag. */
PyObject *ch_heap_rows_of(PyObject *self, PyObject *args) {
    struct query q = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "pz", &q.tags, &q.glob) || !ask(&q, count)) return NULL;
    PyObject *all = PyList_New(q.n);
    for (uint32_t i = 0; all && i < q.n; i++) {
        const struct ch_heap_row *r = &q.rows[i];
        PyObject *one = Py_BuildValue("(NKK)", ch_utf8(ch_hub->name(r->name)), (unsigned long long)r->objects,
                                      (unsigned long long)r->bytes);
        if (one)
            PyList_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    free(q.rows);
    return all;
}

/* heap_find(glob, tag, most): handles that last, of the objects of these classes, or with this tag. */
PyObject *ch_heap_objects(PyObject *self, PyObject *args) {
    struct query q = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "zzI", &q.glob, &q.tag, &q.found.most) || !ask(&q, find)) return NULL;
    PyObject *all = PyList_New(0);
    for (jint i = 0; i < q.found.n; i++) {
        PyObject *one = all ? ch_to_python(NULL, q.found.objects[i], 'O') : NULL;
        if (all && (!one || PyList_Append(all, one))) Py_CLEAR(all);
        Py_XDECREF(one);
        (*q.env)->DeleteLocalRef(q.env, q.found.objects[i]);
    }
    if (all && q.found.values && !q.found.n) {
        Py_CLEAR(all);
        PyErr_SetString(PyExc_RuntimeError,
                        "value objects cannot be listed: they have no identity; agent.histogram counts them");
    } else if (all && q.found.values) {
        (void)ch_hub->note("agent.objects left out value objects: they have no identity, and cannot be listed");
    }
    if (q.found.objects) (*ch_hub->jvmti)->Deallocate(ch_hub->jvmti, (unsigned char *)q.found.objects);
    return all;
}
