/* JVMPI over JVMTI: the module `classhook_jvmpi`, which instrument/jvmpi uses. It belongs to the embedding library. */
#ifndef CLASSHOOK_JVMPI_H
#define CLASSHOOK_JVMPI_H
#include "../events/python/python.h"
#include <pthread.h>

extern jvmtiEnv *ch_jvmpi; /* an environment apart: its tags are the ids of objects; NULL before `start` */

/* What comes with an event, by its number in the specification: `more` of the record. What is not said here is in the table of events.c. */
enum { CH_A, CH_B, CH_ENV };

/* ---- ids.c: ids of objects, which never move; those of classes and threads lead back to them. All return 0 for NULL. */
uint64_t ch_id(JNIEnv *env, jobject object); /* of any object; given when first asked for */
uint64_t ch_id_new(JNIEnv *env, jobject object); /* of one that nobody else has seen yet */
uint64_t ch_id_thread(JNIEnv *env, jthread thread);
uint64_t ch_id_own_thread(void);
jobject ch_id_object(JNIEnv *env, uint64_t id); /* a new local reference; NULL: it is gone, or never was */
void ch_id_freed(uint64_t id);
bool ch_id_is_class(uint64_t id);
bool ch_id_is_thread(uint64_t id);
bool ch_id_prepare(JNIEnv *env);
struct ch_ran { /* CPU time of a thread when it was suspended last, and the time before */
    jlong now, before;
    bool suspended;
};
bool ch_id_ran(uint64_t id, struct ch_ran *ran, bool store);

/* ---- methods.c: methods that the agent was told of, and their lines */
uint64_t ch_method(jmethodID method); /* its id */
jmethodID ch_method_of(uint64_t id);  /* NULL: nobody was told of it */
jint ch_method_line(jmethodID method, jlocation at); /* -1: unknown, -3: native */
bool ch_method_is_ours(jmethodID method);            /* of the tracker */

/* ---- events.c */
bool ch_jvmpi_start(const unsigned handlers[3]); /* by ways: on the event's thread, queued, on its thread without a limit of time */
bool ch_jvmpi_tell(struct ch_call *call, uint32_t type, char way); /* false: it was not told, or lost */
PyObject *ch_jvmpi_enable(PyObject *, PyObject *), *ch_jvmpi_unpack(PyObject *, PyObject *), *ch_jvmpi_lines(PyObject *, PyObject *);
enum { CH_SYSTEM_THREAD = 0 }; /* no event: the function of a thread */
extern __thread bool ch_jvmpi_quiet; /* what this thread does is the agent's own */

/* ---- inside.c: threads that run handlers */
bool ch_is_inside(uint64_t id);

/* ---- references.c: JNI's functions for global references */
bool ch_references(uint32_t type, bool on);

/* ---- the functions of the module, by their files */
PyObject *ch_class_parts(PyObject *, PyObject *), *ch_class_of_method(PyObject *, PyObject *), *ch_method_called(PyObject *, PyObject *);  /* classes.c */
PyObject *ch_trace(PyObject *, PyObject *), *ch_threads(PyObject *, PyObject *), *ch_thread_facts(PyObject *, PyObject *), *ch_thread_status(PyObject *, PyObject *), /* threads.c */
    *ch_suspend(PyObject *, PyObject *), *ch_resume(PyObject *, PyObject *), *ch_has_run(PyObject *, PyObject *), *ch_own_thread(PyObject *, PyObject *), *ch_array_type(PyObject *, PyObject *);
PyObject *ch_system_thread(PyObject *, PyObject *), *ch_exit(PyObject *, PyObject *), *ch_collect(PyObject *, PyObject *);                /* control.c */
PyObject *ch_raw_create(PyObject *, PyObject *), *ch_raw_act(PyObject *, PyObject *);                                                     /* raw.c */
PyObject *ch_heap_count(PyObject *, PyObject *), *ch_thread_numbers(PyObject *, PyObject *), *ch_class_names(PyObject *, PyObject *); /* heap.c */
PyObject *ch_object_facts(PyObject *, PyObject *), *ch_object_dump(PyObject *, PyObject *);                                              /* objects.c */
long ch_status_of(jint state); /* of a thread, as JVMPI says it: threads.c */
PyObject *ch_monitor_dump(PyObject *, PyObject *);                                                                                         /* monitors.c */

bool ch_run_thread(const char *name, jint priority, void (*run)(JNIEnv *env, void *argument), void *argument); /* control.c. A thread of the agent; runs Java */

/* ---- small things: module.c */
JNIEnv *ch_here(void); /* NULL: this is none of Java's threads, or the JVM is not up yet. Needs no GIL, raises nothing */
bool ch_is_foreign(void); /* the JVM is up, but this thread is not attached to it: HotSpot crashes if such a thread asks for a JVMTI environment or for raw monitors */
jclass ch_boot(JNIEnv *env, const char *name); /* a class of the boot loader, initialised; NULL, and no exception left, if there is none. Runs Java. */
PyObject *ch_text(char *text);                 /* JVMTI's, which is freed; None for NULL */
void ch_free(void *memory);                    /* JVMTI's */

/* ---- ending.c */
void ch_in_jvm(void (*work)(void *), void *argument); /* calls of the JVM for which all threads may stand still: without the GIL */
bool ch_is_ending(JNIEnv *env); /* then no such call is to begin */
bool ch_ending_prepare(JNIEnv *env);
#endif
