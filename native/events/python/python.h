/* Events in Python: the module `classhook_events`, which instrument/agent uses. It belongs to the embedding library. */
#ifndef CLASSHOOK_EVENTS_PYTHON_H
#define CLASSHOOK_EVENTS_PYTHON_H
#include <Python.h>
#include "../bridge.h"

extern const struct ch_hub *ch_hub;

/* ---- event.c: what a handler is passed */
typedef struct {
    PyObject_HEAD
    struct ch_noted record;
    struct ch_call *call; /* NULL: it was queued, or its handler has returned */
    unsigned long thread; /* whose handler that is: JNI's environment and local references are good there only */
} Event;
extern PyTypeObject ch_event_type;
Event *ch_event_new(const struct ch_noted *record, struct ch_call *call);
bool ch_event_is_here(const Event *e); /* its handler runs, on this thread */

/* ---- class_load.c: what an event says of its class */
PyObject *ch_class_attribute(Event *e, void *which);

/* ---- objects.c: Java's objects as Python's */
extern PyTypeObject ch_object_type;
bool ch_objects_prepare(JNIEnv *env); /* where Java may run */
PyObject *ch_to_python(Event *e, jobject object, char letter); /* `letter`: the first one of the descriptor of what it was, a number's box for I; O: a handle, also of a string */
PyObject *ch_text_to_python(JNIEnv *env, jstring text);
PyObject *ch_class_name(jclass c); /* with dots */
PyObject *ch_fields_of_class(jclass c);
JNIEnv *ch_env(void); /* of this thread; NULL, after an exception, if it runs no handler */

/* ---- ../../jvmpi: module.c, events.c, inside.c */
void ch_jvmpi_make_module(void);
void ch_jvmpi_freed(uint64_t id);
void ch_inside_begin(void); /* this thread is about to take the GIL */
void ch_inside_end(void);
void ch_inside_leave(void);

/* ---- memory.c */
PyObject *ch_memory(PyObject *unused, PyObject *none); /* bytes of the heap: used, in all */

/* ---- threads.c: states of threads, kept; and the time that handlers may take */
void ch_enter(void); /* takes the GIL */
void ch_leave(void);
void ch_thread_ends(void);
void ch_without_gil(void (*work)(void *), void *argument); /* on the thread's own stack: what may run Java */
void ch_watch_limit(uint32_t handler, double seconds); /* 0: none */
void ch_watch_begin(uint32_t handler);
void ch_watch_end(void);
extern PyObject *ch_timeout; /* what is raised in a handler that takes longer */
bool ch_watch_start(void);
#endif
