/* Names of a class's members, as Python's strings. */
#include "embedded.h"
#include <string.h>

PyObject *ch_utf8(const char *s) { return PyUnicode_DecodeUTF8(s, (Py_ssize_t)strlen(s), "replace"); }

PyObject *ch_name_list(jint n, void *array, PyObject *(*name)(void *array, jint i, jclass c), jclass c) {
    PyObject *all = PyList_New(0);
    for (jint i = 0; all && i < n; i++) {
        PyObject *one = name(array, i, c);
        if (one) PyList_Append(all, one);
        Py_XDECREF(one);
    }
    if (array) (*ch_hub->jvmti)->Deallocate(ch_hub->jvmti, array);
    return all;
}

static PyObject *field_name(void *array, jint i, jclass c) {
    char *name = NULL;
    if ((*ch_hub->jvmti)->GetFieldName(ch_hub->jvmti, c, ((jfieldID *)array)[i], &name, NULL, NULL)) return NULL;
    PyObject *made = ch_utf8(name);
    (*ch_hub->jvmti)->Deallocate(ch_hub->jvmti, (unsigned char *)name);
    return made;
}

PyObject *ch_fields_of_class(jclass c) {
    jint n = 0;
    jfieldID *fields = NULL;
    (*ch_hub->jvmti)->GetClassFields(ch_hub->jvmti, c, &n, &fields);
    return ch_name_list(n, fields, field_name, c);
}
