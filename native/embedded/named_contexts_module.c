/* Contexts by name, for the scripts that know tests. */
#define PY_SSIZE_T_CLEAN
#include "embedded.h"

struct named {
    JNIEnv *env;
    const char *name;
    bool (*act)(JNIEnv *env, const char *name);
    bool done;
};

static void act(void *argument) {
    struct named *n = argument;
    n->done = n->act(n->env, n->name);
}

static PyObject *do_with(PyObject *text, bool (*how)(JNIEnv *env, const char *name)) {
    struct named n = {ch_env(), PyUnicode_AsUTF8(text), how, false};
    if (!n.env || !n.name) return NULL;
    ch_without_gil(act, &n);
    return PyBool_FromLong(n.done);
}

PyObject *ch_context_begins(PyObject *self, PyObject *name) {
    (void)self;
    return do_with(name, ch_hub->context_begins);
}

PyObject *ch_context_ends(PyObject *self, PyObject *name) {
    (void)self;
    return do_with(name, ch_hub->context_ends);
}

PyObject *ch_context_ambient(PyObject *self, PyObject *name) {
    (void)self;
    return do_with(name, ch_hub->context_ambient);
}

PyObject *ch_test(PyObject *self, PyObject *args) {
    unsigned number;
    const char *text;
    Py_ssize_t n;
    (void)self;
    if (!PyArg_ParseTuple(args, "Is#", &number, &text, &n)) return NULL;
    ch_hub->test(number, text, (size_t)n);
    Py_RETURN_NONE;
}
