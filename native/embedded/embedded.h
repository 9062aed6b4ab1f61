/* Events in Python: the module `classhook_events`, which instrument/agent/ uses. It belongs to the embedding
 * library. */
#ifndef CLASSHOOK_EVENTS_PYTHON_H
#define CLASSHOOK_EVENTS_PYTHON_H
#include <Python.h>
#include "../base/local_references.h"
#include "../base/sync.h"
#include "../events/bridge.h"

/* ---- connections.c */
extern const struct ch_hub *ch_hub; /* the agent; NULL before events are introduced */
jvmtiEnv *ch_own_tags(void); /* a new environment whose tags no other has; NULL: the JVM gives none */
/* Functions of the layer above, which this layer calls. interpreter.c sets it before Python starts. */
struct ch_extension {
    void (*make_module)(void); /* with the GIL */
    void (*freed)(uint64_t number); /* an object that ch_hub->watch was given */
    void (*before_handlers)(void); /* this thread is about to take the GIL */
    void (*after_handlers)(void); /* it has given it back */
    void (*thread_ends)(void);
};
extern const struct ch_extension *ch_extension;

/* ---- event_object.c: what a handler is passed */
typedef struct {
    PyObject_HEAD struct ch_noted record;
    struct ch_call *call; /* NULL: it was queued, or its handler has returned */
    unsigned long thread; /* whose handler that is: JNI's environment and local references are good there only */
    uint64_t missed; /* events of its handler that were lost since the one before */
} Event;
extern PyTypeObject ch_event_type;
Event *ch_event_new(const struct ch_noted *record, struct ch_call *call);
static inline bool ch_event_is_here(const Event *e) {
    return e->call && e->thread == PyThread_get_thread_ident();
} /* its handler runs */

extern __thread Event *ch_event_now; /* whose handler runs on this thread; NULL: none */
uint32_t ch_event_depth(const Event *e); /* how many frames of its stack are there, if it was queued */
extern uint32_t ch_event_frames[CH_MOST_HANDLERS]; /* as handlers ask for */

/* ---- member_names.c */
PyObject *ch_utf8(const char *s);
/* A list of `n` names, each made by `name`, and then freed with the array. */
PyObject *ch_name_list(jint n, void *array, PyObject *(*name)(void *array, jint i, jclass c), jclass c);
PyObject *ch_fields_of_class(jclass c);

/* ---- class_attributes.c: what an event says of its class */
PyObject *ch_class_attribute(Event *e, void *which);

/* ---- field_lookup.c */

jfieldID ch_object_field(JNIEnv *env, jobject object, const char *name, char *letter); /* NULL: there is none */

/* ---- java_objects.c: Java's objects as Python's */
extern PyTypeObject ch_object_type;
bool ch_objects_prepare(JNIEnv *env); /* where Java may run */
PyObject *ch_to_python(
    Event *e, jobject object,
    char
        /* `letter`: the first one of the descriptor of what it was, a number's box for I; O: a handle, also of a
         * string */
        letter);
jobject
ch_handle_reference(PyObject *handle); /* while it is good; NULL, after an exception: it is not, or is no handle */
PyObject *ch_text_to_python(JNIEnv *env, jstring text);
PyObject *ch_class_name(jclass c); /* with dots */
JNIEnv *ch_env(void); /* of this thread; NULL, after an exception, if it runs no handler */

/* ---- heap_memory.c */
PyObject *ch_memory(PyObject *unused, PyObject *none); /* bytes of the heap: used, in all */

/* ---- referrers.c */
PyObject *ch_referrers(PyObject *, PyObject *);
/* ---- object_graphs.c */
/* Whether a field or an element refers to objects. `letter`: of its descriptor. */
static inline bool ch_refers(char letter) { return letter == 'L' || letter == '['; }
/* A sum of `n` objects and all that they refer to, equal as long as nothing there changes; false: that cannot be told.
 * `root` returns a local reference, or NULL. One thread at a time. */
bool ch_graph_sum(JNIEnv *env, jobject (*root)(JNIEnv *env, size_t i, const void *of), const void *of, size_t n,
                  uint64_t *sum);
/* ---- static_state.c */
PyObject *ch_state_prepared(PyObject *, PyObject *), *ch_state_initialised(PyObject *, PyObject *),
    *ch_state_changed(PyObject *, PyObject *);
/* ---- heap_queries.c */
PyObject *ch_heap_rows_of(PyObject *, PyObject *), *ch_heap_objects(PyObject *, PyObject *);

/* ---- class_lookup.c */
PyObject *ch_finds(PyObject *, PyObject *), *ch_boot_path(PyObject *, PyObject *);

/* ---- named_contexts_module.c */
PyObject *ch_context_begins(PyObject *, PyObject *), *ch_context_ends(PyObject *, PyObject *),
    *ch_test(PyObject *, PyObject *), *ch_context_ambient(PyObject *, PyObject *);

/* ---- versions.c */
PyObject *ch_versions(PyObject *unused, PyObject *none); /* JVMTI's number; the JVM's version and name */

/* ---- python_threads.c: states of threads, kept; and the time that handlers may take */
void ch_gil_take(void); /* takes the GIL */
void ch_gil_release(void);
void ch_thread_ends(void);
void ch_without_gil(void (*work)(void *), void *argument); /* on the thread's own stack: what may run Java */
void ch_watch_limit(uint32_t handler, double seconds); /* 0: none */
void ch_watch_begin(uint32_t handler);
void ch_watch_end(void);
extern PyObject *ch_timeout; /* what is raised in a handler that takes longer */
bool ch_watch_start(void);
#endif
