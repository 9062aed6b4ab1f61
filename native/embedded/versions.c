/* The JVM's version and name, known from the moment when the agent is loaded. */
#include "embedded.h"

static PyObject *property(const char *name) {
    jvmtiEnv *jvmti = ch_hub->jvmti;
    char *value = NULL;
    if ((*jvmti)->GetSystemProperty(jvmti, name, &value) || !value) return PyUnicode_FromString("");
    PyObject *text = ch_utf8(value);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)value);
    return text;
}

PyObject *ch_versions(PyObject *self, PyObject *unused) {
    jint jvmti = 0;
    (void)self, (void)unused;
    (void)(*ch_hub->jvmti)->GetVersionNumber(ch_hub->jvmti, &jvmti);
    return Py_BuildValue("(iNN)", (int)jvmti, property("java.vm.version"), property("java.vm.name"));
}
