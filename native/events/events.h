/* The event layer: handlers in Python for what happens in the JVM. It knows nothing of what the handlers do. */
#ifndef CLASSHOOK_EVENTS_H
#define CLASSHOOK_EVENTS_H
#include "../classes/classes.h"
#include "../objects/objects.h"
#include "bridge.h"

/* ---- handlers.c: which handlers are called for which events */
struct ch_handler {
    uint32_t event;
    bool sync;
    bool on;
    bool leaving; /* its script is replaced; set if it was on */
    bool fresh;   /* its script has not been told that it begins */
    const char *glob; /* of class names; NULL: all */
    uint64_t least_ns; /* it is not called for what took less */
    int64_t least;     /* the same by the agent's clock */
    struct ch_handler *next; /* of the same event */
    uint64_t lost;
    bool lossy;      /* queued: its events are rather lost than waited for */
    uint32_t frames; /* queued: so many of the stack come with its events */
};
extern struct ch_handler ch_handlers[CH_MOST_HANDLERS];
extern bool ch_events_on; /* since the program started, until it ends */
uint32_t ch_handler_add(uint32_t event, bool sync, const char *glob, uint64_t least_ns);
void ch_handlers_measure(void); /* once the clock is known */
struct ch_handler *ch_handlers_of(uint32_t event); /* the first; NULL: none */
bool ch_handler_exists(uint32_t event);
void ch_handler_remove(uint32_t number); /* it is called no more, and its number is not used again */
static inline uint32_t ch_handler_number(const struct ch_handler *h) { return (uint32_t)(h - ch_handlers); }
bool ch_handler_notify(struct ch_handler *h, struct ch_call *call); /* by its way; false: there was no room */
/* all handlers whose pattern matches the name */
void ch_handlers_notify(uint32_t event, struct ch_call *call, const char *name);

/* ---- name_numbers.c: strings by number, for records */
uint32_t ch_name_number(const char *text); /* 0: no room */
const char *ch_name_of(uint32_t number);
uint32_t ch_class_number(const char *internal); /* that of the name with dots */
bool ch_type_name(jclass c, char *to, size_t size); /* internal; arrays as in byte[] */
uint32_t ch_name_of_type(JNIEnv *env, jobject object); /* that of its class, with dots */
uint32_t ch_own_thread_name(void); /* 0: none of Java's */

/* ---- event_queues.c: events on their way to the drainer */
/* The place for this thread's next event, whose time is later than that of the one before. NULL: it is lost, which is
 * counted. */
struct ch_noted *ch_queue_place(struct ch_handler *h, bool may_wait);
void ch_queue_filled(struct ch_noted *place); /* all but its thread */
/* By the drainer only. `complete`: all events until then are among these, or have been taken before. */
uint32_t ch_queues_take(struct ch_noted *to, uint32_t most, uint64_t *complete);
bool ch_queues_drains(void); /* this thread is the drainer */
bool ch_queues_drainer_is_blocked(void); /* in Java: it waits for a lock there, or to be notified */
enum { CH_SOON_NS = 20000000 }; /* then it is not to be waited for */
void ch_queue_wait(void); /* for a thread that may, after events for which it did not: until there is room */
void ch_queue_leave(void); /* this thread ends */
void ch_queues_open(void);
void ch_queues_hurry(void); /* from now on no thread waits: the JVM ends */
void ch_queues_drain_here(jthread own); /* this thread is the drainer: it never waits. A reference that lasts */
extern int ch_queues_wake; /* an eventfd, written when much has come together */
extern uint64_t ch_events_handled; /* how many, by the drainer */

/* ---- event_stacks.c: stacks of queued events, by number */
uint32_t ch_stack_taken(uint32_t frames); /* this thread's, innermost first; 0: there is none, or no room */
const jvmtiFrameInfo *ch_stack_frames(uint32_t number, jint *n); /* they stay; NULL: there is no such stack */

/* ---- handler_calls.c: handlers on the event's own thread, on a stack of ours */
/* false: this thread runs a handler already, or there is no memory */
bool ch_call_python(void (*work)(void *), void *argument);
void ch_call_on_own_stack(void (*work)(void *), void *argument); /* what may run Java; from within the former */
bool ch_call_is_running(void); /* a handler, on this thread */
void ch_calls_leave(void); /* this thread ends */

/* ---- probe_sites.c: methods with probes, by their slots */
struct ch_probe_handler {
    uint16_t handler;
    bool exit;
};
struct ch_probed {
    struct ch_site site;
    uint32_t n;
    struct ch_probe_handler told[];
};
const struct ch_probed *ch_probed(uint32_t slot); /* NULL: it is not a probe of this kind */

/* ---- method_events.c */
void ch_probes_listen(void); /* a handler was turned on */

/* ---- boot_caller.c */
/* runs Java; false: there is no tracker, or no stack */
bool ch_as_boot_class(JNIEnv *env, void (*work)(JNIEnv *env, void *argument), void *argument);
void ch_boot_class_called(JNIEnv *env); /* by the tracker */

/* ---- jvm_events.c: the JVM's own events */
void ch_allocations_sample(uint64_t bytes); /* one object in so many bytes; 0: as the JVM does by itself */
void ch_jvm_events_early(void); /* before the JVM's first thread is there */
/* those that have handlers; again, if others have them now */
bool ch_jvm_events_start(JNIEnv *env, struct ch_error *error);
jvmtiEnv *ch_jvm_events_environment(void);
void ch_jvm_events_stop(JNIEnv *env);

/* ---- object_tags.c: objects that scripts marked */
/* an environment whose tags are its own; NULL: there is none */
jvmtiEnv *ch_tags_environment(const jvmtiEventCallbacks *callbacks);
bool ch_tags_start(JNIEnv *env);
void ch_tags_stop(JNIEnv *env);
int64_t ch_tag(JNIEnv *env, jobject object, const char *name);
const char *ch_tag_of(jobject object, int64_t *id);
jvmtiEnv *ch_tags(void); /* the environment in which objects are tagged */
uint32_t ch_tag_name(jlong tag); /* the number of the name that a tag in it stands for; 0: none */

/* ---- heap_walk.c: the objects of the heap. All threads stand still meanwhile. `glob`: of class names; NULL: all */
/* by class or by tag; malloc'ed; NULL: the JVM refuses */
struct ch_heap_row *ch_walk_rows(JNIEnv *env, bool tags, const char *glob, uint32_t *n);
/* of classes, or with a tag */
bool ch_walk_find(JNIEnv *env, const char *glob, const char *tag, struct ch_heap_found *found);

/* ---- class_unloads.c: classes that are gone */
bool ch_unloads_start(JNIEnv *env);
void ch_unloads_stop(JNIEnv *env);

/* ---- class_transforms.c: class files, changed by scripts */
void ch_transforms_start(JNIEnv *env, jvmtiEnv *events); /* classes that are loaded already */
void ch_transforms_undo(JNIEnv *env); /* its hook is off */
void ch_transforms_renew(JNIEnv *env, jvmtiEnv *events); /* some are on, or off, that were not */
void ch_transform_prepared(JNIEnv *env, jclass c, const char *name);
void JNICALL ch_transform_class(jvmtiEnv *, JNIEnv *, jclass, jobject, const char *, jobject, jint,
                                const unsigned char *, jint *, unsigned char **);

/* ---- class_refusals.c */
/* why the JVM refuses it */
void ch_refusal(JNIEnv *env, jobject loader, const char *name, const char *data, uint32_t bytes, jvmtiError error,
                char *why, size_t room);

/* ---- agent_thread.c: one thread, which drains the queues and runs the timers */
void ch_worker_start(JNIEnv *env, struct ch_error *error);
void ch_worker_stop(void);
void ch_worker_transform(void); /* soon: ch_worker_transforms */
extern void (*ch_worker_transforms)(JNIEnv *env); /* all classes anew, as the transformers that are on want them */
/* Until it has handled what is queued now. It may itself wait for this thread, as `in_vain` says, or elsewhere: then
 * for a while only. */
void ch_worker_await(bool (*in_vain)(void));

/* ---- named_contexts.c: contexts that scripts begin and end by name, and what is known of tests */
bool ch_named_context_begins(JNIEnv *env, const char *name);
bool ch_named_context_ends(JNIEnv *env, const char *name);
/* all threads without a test of their own belong to it; empty: to ch_started_by() */
bool ch_named_context_ambient(JNIEnv *env, const char *name);
void ch_test_note(uint32_t number, const char *text, size_t bytes);
void ch_state_note(uint32_t what, const char *text);

/* ---- opened_files.c: files that tests depend on */
extern const struct ch_measure ch_measure_tests;
void JNICALL ch_native_bound(jvmtiEnv *, JNIEnv *, jthread, jmethodID, void *, void **);

/* ---- child_processes.c: what tests start */
/* when the JVM starts: this JVM belongs to a test of another one, if that has started it */
void ch_started_by_test(void);
struct ch_context_entered;
struct ch_context_entered *ch_started_by(void); /* that test's context; NULL: there is none */
void ch_child_process_bound(const char *symbol, jmethodID method, void *address, void **instead);

/* ---- lifecycle.c: from when until when there are events */
/* Runs the scripts, each with its options, in lines; returns the rules with those that they ask for, or NULL. */
char *ch_events_scripts(const char *words, char *rules, size_t *bytes, struct ch_error *error);
bool ch_events_start(JNIEnv *env, struct ch_error *error); /* false: no handler is called */
void ch_events_stop(JNIEnv *env);
void ch_events_undo(JNIEnv *env); /* the agent is detached */
bool ch_events_are_on(void);
/* Other scripts, while the program runs (instrument/agent/script.py): runs them. Returns the rules that they need,
 * empty: those in force; then they settle or are dropped. */
char *ch_events_list(struct ch_error *error); /* a line for each script */
char *ch_events_prepare(const char *request, struct ch_error *error);
/* they take the place of those before; their rules are in force */
void ch_events_settle(JNIEnv *env, struct ch_error *error);
void ch_events_drop(void); /* they do not */
extern char *(*ch_events_ask)(JNIEnv *env, const char *line); /* what answers to commands, in the layer above */
bool ch_events_take_commands(void);
/* what it answers: lines of JSON, malloc'ed; NULL: there is no such command */
char *ch_events_command(JNIEnv *env, const char *line);
#endif
