/* JVMPI over JVMTI: the module `classhook_jvmpi`, which instrument/extensions/jvmpi uses. It belongs to the embedding library. */
#ifndef CLASSHOOK_JVMPI_H
#define CLASSHOOK_JVMPI_H
#include "../../embedded/embedded.h"
#include <pthread.h>

/* ---- environment.c */
extern jvmtiEnv *ch_jvmpi; /* an environment apart: its tags are the ids of objects; NULL before `start` */

JNIEnv *
ch_here(void); /* NULL: this is none of Java's threads, or the JVM is not up yet. Needs no GIL, raises nothing */
bool ch_is_foreign(
    /* the JVM is up, but this thread is not attached to it: HotSpot crashes if such a thread asks for a JVMTI
     * environment or for raw monitors */
    void);
jclass ch_boot(
    JNIEnv *env,
    const char
        *name); /* a class of the boot loader, initialised; NULL, and no exception left, if there is none. Runs Java. */
PyObject *ch_text(char *text); /* JVMTI's, which is freed; None for NULL */
void ch_free(void *memory); /* JVMTI's */

/* The data of an event, by its number in the specification: `more` of the record. The table of jvmpi_events.c has the
 * rest. */
enum { CH_A, CH_B, CH_ENV };

/* ---- object_ids.c: ids of objects, which never move; those of classes and threads lead back to them. All return 0 for
 * NULL. */
uint64_t ch_id(JNIEnv *env, jobject object); /* of any object; given when first asked for */
uint64_t ch_id_new(JNIEnv *env, jobject object); /* of an object that no other thread has seen yet */
uint64_t ch_id_thread(JNIEnv *env, jthread thread);
uint64_t ch_id_own_thread(void);
jobject ch_id_object(JNIEnv *env, uint64_t id); /* a new local reference; NULL: it is gone, or never was */
void ch_id_freed(uint64_t id);
bool ch_id_is_class(uint64_t id);
bool ch_id_is_thread(uint64_t id);
uint64_t ch_id_given(PyObject *number); /* by a script; 0, and no exception, for what is no id */
bool ch_id_prepare(JNIEnv *env);
struct ch_ran { /* CPU time of a thread when it was suspended last, and the time before */
    jlong now, before;
    bool suspended;
};
bool ch_id_ran(uint64_t id, struct ch_ran *ran, bool store);

/* ---- method_ids.c: methods that events have reported, and their lines */
uint64_t ch_method(jmethodID method); /* its id */
/* the same, of a method on a stack: an old version of it has the id of the newest one */
uint64_t ch_method_newest(jmethodID method);
jmethodID ch_method_of(uint64_t id); /* NULL: no event has reported it */
jint ch_method_line(jmethodID method, jlocation at); /* -1: unknown, -3: native */
bool ch_method_is_ours(jmethodID method); /* of the tracker */
bool ch_class_is_ours(jclass c);

/* ---- notification.c */
enum { CH_JVMPI_TYPES = 62 };
void ch_jvmpi_tell_to(unsigned sync, unsigned without_limit);
/* By ways: S on the event's thread, R queued, L on its thread without a limit of time; false: it was not told, or
 * lost. */
bool ch_jvmpi_tell(struct ch_call *call, uint32_t type, char way);
PyObject *ch_jvmpi_queue_to(PyObject *, PyObject *);

/* ---- jvmpi_events.c */
bool ch_jvmpi_start(void);
void ch_jvmpi_freed(uint64_t id);
PyObject *ch_jvmpi_enable(PyObject *, PyObject *), *ch_jvmpi_unpack(PyObject *, PyObject *);
enum { CH_SYSTEM_THREAD = 0 }; /* no event: the function of a thread */
extern __thread bool ch_jvmpi_quiet; /* what this thread does is the agent's own */

/* ---- virtual_thread_events.c, single_steps.c: what costs the program more than it should unless it is asked for; each
 * has an environment of its own */
/* false: this JVM has none */
bool ch_virtual_threads(bool ends, bool on, void (*tell)(JNIEnv *env, jthread thread, bool ends));
/* Turns steps on or off for one thread; 0: for all. False: the JVM refuses, since nobody asked while it started. */
bool ch_steps(bool on, uint64_t thread, void (*tell)(JNIEnv *env, jthread thread, jmethodID method, jlocation at));

/* ---- class_files.c: the class file of a class that is there */
/* by this thread: then no event is told */
bool ch_class_file_asked(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, const char *name, const unsigned char *data,
                         jint bytes, unsigned char **new_data, jint *new_bytes);
/* NULL: nothing */
void ch_class_file_give(jvmtiEnv *jvmti, const void *data, uint32_t bytes, unsigned char **new_data, jint *new_bytes);
PyObject *ch_class_file(PyObject *, PyObject *), *ch_change_class(PyObject *, PyObject *);
/* ---- class_internals.c: of an object and its fields, of a class and what the JVM keeps for itself. Local references,
 * or NULL */
/* false: it has no such field */
bool ch_field_of(JNIEnv *env, jobject o, const char *name, const char *signature, jobject *value);
jobject ch_class_signers(JNIEnv *env, jclass c), ch_class_domain(JNIEnv *env, jclass c);
PyObject *ch_class_link(PyObject *, PyObject *);

/* ---- compiled_code.c */
/* GenerateEvents is about to be asked, or has told all; code is new once meanwhile */
void ch_code_catch_up(bool begins);
bool ch_code_is_new(const void *address);
void ch_code_is_gone(const void *address);
/* of CompiledMethodLoad, for `ch_code`; malloc'ed */
void *ch_code_copy(jmethodID method, const void *address, jint lines, const jvmtiAddrLocationMap *map,
                   const void *info);
PyObject *ch_code(PyObject *, PyObject *), *ch_code_lines(PyObject *, PyObject *),
    *ch_code_inlined(PyObject *, PyObject *);

/* ---- handler_threads.c: threads that run handlers */
void ch_handler_thread_enters(void); /* this thread is about to take the GIL */
void ch_handler_thread_left(void);
void ch_handler_thread_ends(void);
bool ch_thread_runs_handler(uint64_t id);

/* ---- sleeps.c: Thread.sleep */
void ch_sleep_bound(void **instead); /* the JVM's function, or another one */
void ch_sleeps_wanted(bool wanted); /* while the program runs; runs Java */
void ch_sleeps_tell(void (*to)(JNIEnv *env, bool ended, jlong ms)); /* before the first one is bound */

/* ---- native_methods.c: calls of native methods. The types METHOD_ENTRY, METHOD_ENTRY2 and METHOD_EXIT are 1 to 3; a:
 * the method */
enum {
    CH_NATIVE_METHOD = 10
}; /* no event: of a method (a), and its place (b), Python says by `native_wanted` which events name it */
void ch_natives_enable(uint32_t type, bool on);
void ch_native_method_bound(JNIEnv *env, jmethodID method, void **instead);
/* before one is bound; `more`: its modifiers */
void ch_natives_tell(bool (*to)(JNIEnv *env, uint32_t type, uint64_t a, uint64_t b, int64_t more));
PyObject *ch_native_wanted(PyObject *, PyObject *), *ch_natives_changed(PyObject *, PyObject *);

/* ---- global_references.c: JNI's functions for global references */
bool ch_references(uint32_t type, bool on);

/* ---- the functions of the module, by their files */
/* class_records.c */
PyObject *ch_class_parts(PyObject *, PyObject *), *ch_class_of_method(PyObject *, PyObject *),
    *ch_method_called(PyObject *, PyObject *), *ch_method_name(PyObject *, PyObject *),
    *ch_classes(PyObject *, PyObject *), *ch_interfaces(PyObject *, PyObject *),
    *ch_sees_receivers(PyObject *, PyObject *);
PyObject *ch_trace(PyObject *, PyObject *), *ch_threads(PyObject *, PyObject *),
    *ch_thread_facts(PyObject *, PyObject *), *ch_thread_status(PyObject *, PyObject *),
    *ch_those_there(PyObject *, PyObject *), /* thread_functions.c */
    *ch_suspend(PyObject *, PyObject *), *ch_resume(PyObject *, PyObject *), *ch_has_run(PyObject *, PyObject *),
    *ch_own_thread(PyObject *, PyObject *);
/* system_threads.c */
PyObject *ch_system_thread(PyObject *, PyObject *), *ch_exit(PyObject *, PyObject *),
    *ch_collect(PyObject *, PyObject *);
/* raw_monitors.c */
PyObject *ch_raw_create(PyObject *, PyObject *), *ch_raw_act(PyObject *, PyObject *),
    *ch_raw_wait(PyObject *, PyObject *), *ch_raw_wait_on(PyObject *, PyObject *),
    *ch_raw_state(PyObject *, PyObject *);
bool ch_raw_holds_up(void); /* this thread has a raw monitor that the one waits for on which queued events are told */
/* heap_tables.c */
PyObject *ch_heap_count(PyObject *, PyObject *), *ch_hold_known(PyObject *, PyObject *),
    *ch_drop_known(PyObject *, PyObject *);
/* object_dump.c */
PyObject *ch_object_facts(PyObject *, PyObject *), *ch_object_dump(PyObject *, PyObject *),
    *ch_array_type(PyObject *, PyObject *), *ch_handle_of(PyObject *, PyObject *), *ch_id_of(PyObject *, PyObject *);
long ch_status_of(jint state); /* of a thread, as JVMPI says it: thread_functions.c */
PyObject *ch_monitor_dump(PyObject *, PyObject *); /* monitor_dump.c */

/* system_threads.c. A thread of the agent; runs Java */
bool ch_run_thread(const char *name, jint priority, void (*run)(JNIEnv *env, void *argument), void *argument);

/* ---- shutdown.c */
/* calls of the JVM for which all threads may stand still: without the GIL */
void ch_in_jvm(void (*work)(void *), void *argument);
bool ch_is_ending(JNIEnv *env); /* then no such call is to begin */
bool ch_is_down(JNIEnv *env); /* Java's shutdown is over */
bool ch_ending_prepare(JNIEnv *env);
#endif
