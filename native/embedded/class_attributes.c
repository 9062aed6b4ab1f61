/* The attributes of an event's class: a letter for each attribute (event_object.c). */
#include "embedded.h"

static PyObject *source_of(jclass c) {
    char *name = NULL;
    if ((*ch_hub->jvmti)->GetSourceFileName(ch_hub->jvmti, c, &name)) return Py_NewRef(Py_None);
    PyObject *made = ch_utf8(name);
    (*ch_hub->jvmti)->Deallocate(ch_hub->jvmti, (unsigned char *)name);
    return made;
}

static PyObject *method_name(void *array, jint i, jclass c) {
    char *name = NULL;
    (void)c;
    if ((*ch_hub->jvmti)->GetMethodName(ch_hub->jvmti, ((jmethodID *)array)[i], &name, NULL, NULL)) return NULL;
    PyObject *made = ch_utf8(name);
    (*ch_hub->jvmti)->Deallocate(ch_hub->jvmti, (unsigned char *)name);
    return made;
}

static PyObject *interface_name(void *array, jint i, jclass c) {
    (void)c;
    return ch_class_name(((jclass *)array)[i]);
}

PyObject *ch_class_attribute(Event *e, void *which) {
    jvmtiEnv *jvmti = ch_hub->jvmti;
    jclass c = ch_event_is_here(e) ? e->call->subject : NULL;
    jint n = 0;
    jmethodID *methods = NULL;
    jclass *interfaces = NULL;
    jobject loader = NULL;
    if (!c || e->record.event != CH_EVENT_CLASS_LOAD) {
        PyErr_SetString(
            PyExc_RuntimeError,
            "this is available only while a class_load handler with sync=True runs, and only on its thread");
        return NULL;
    }
    switch (*(const char *)which) {
    case 's': return source_of(c);
    case 'm': (*jvmti)->GetClassMethods(jvmti, c, &n, &methods); return ch_name_list(n, methods, method_name, c);
    case 'f': return ch_fields_of_class(c);
    case 'i':
        (*jvmti)->GetImplementedInterfaces(jvmti, c, &n, &interfaces);
        return ch_name_list(n, interfaces, interface_name, c);
    default: (*jvmti)->GetClassLoader(jvmti, c, &loader); return ch_to_python(e, loader, 'L');
    }
}
