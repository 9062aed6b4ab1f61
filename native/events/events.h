/* The event layer: handlers in Python for what happens in the JVM. It knows nothing of what the handlers do. */
#ifndef CLASSHOOK_EVENTS_H
#define CLASSHOOK_EVENTS_H
#include "../classes/classes.h"
#include "../objects/objects.h"
#include "bridge.h"

/* ---- handlers.c: who is to be told of what */
struct ch_handler {
    uint32_t event;
    bool sync;
    volatile bool on;
    const char *glob; /* of class names; NULL: all */
    uint64_t least_ns; /* it is not told of what took less */
    int64_t least;     /* the same by the agent's clock */
    struct ch_handler *next; /* of the same event */
    uint64_t lost;
};
extern struct ch_handler ch_handlers[CH_MOST_HANDLERS];
extern volatile bool ch_events_on; /* since the program started, until it ends */
uint32_t ch_handler_add(uint32_t event, bool sync, const char *glob, uint64_t least_ns);
void ch_handlers_measure(void); /* once the clock is known */
struct ch_handler *ch_handlers_of(uint32_t event); /* the first; NULL: none */
bool ch_handler_exists(uint32_t event);
static inline uint32_t ch_handler_number(const struct ch_handler *h) { return (uint32_t)(h - ch_handlers); }
bool ch_tell(struct ch_handler *h, struct ch_call *call); /* by its way; false: there was no room */
void ch_events_tell(uint32_t event, struct ch_call *call, const char *name); /* all handlers whose pattern matches the name */

/* ---- names.c: strings by number, for records */
uint32_t ch_name_number(const char *text); /* 0: no room */
const char *ch_name_of(uint32_t number);
uint32_t ch_class_number(const char *internal); /* that of the name with dots */
bool ch_type_name(jclass c, char *to, size_t size); /* internal; arrays as in byte[] */
uint32_t ch_name_of_type(JNIEnv *env, jobject object); /* that of its class, with dots */
uint32_t ch_own_thread_name(void); /* 0: none of Java's */

/* ---- rings.c: events on their way to the drainer */
struct ch_noted *ch_ring_place(struct ch_handler *h); /* where this thread's next event goes; NULL: there is no room, and that is counted */
void ch_ring_filled(struct ch_noted *place);          /* all but its thread */
uint32_t ch_rings_take(struct ch_noted *to, uint32_t most); /* by the drainer only */
void ch_ring_wait(void);  /* for a thread that may: until half of its ring is free, or for a while */
void ch_ring_leave(void); /* this thread ends */
extern int ch_rings_wake; /* an eventfd, written when much has come together */

/* ---- calls.c: handlers on the event's own thread, on a stack of ours */
bool ch_call_python(void (*work)(void *), void *argument); /* false: this thread runs a handler already, or there is no memory */
void ch_call_on_own_stack(void (*work)(void *), void *argument); /* what may run Java; from within the former */
bool ch_call_is_running(void); /* a handler, on this thread */
void ch_calls_leave(void); /* this thread ends */

/* ---- sites.c: methods with probes, by their slots */
struct ch_told {
    uint16_t handler;
    bool exit;
};
struct ch_probed {
    struct ch_site site;
    uint32_t n;
    struct ch_told told[];
};
const struct ch_probed *ch_probed(uint32_t slot); /* NULL: it is not a probe of this kind */
enum { CH_CLASS_NAME = 1024 };
/* The fields of the line of the probe table that is about a slot, if it has this letter, and its class, with dots: they point into the text that is
 * returned, which is malloc'ed. NULL: there is none, or it has fewer fields. */
char *ch_probe_line(uint32_t slot, char letter, char class_name[CH_CLASS_NAME], char **fields, int most);

/* ---- jvm_events.c: the JVM's own events */
void ch_allocations_sample(uint64_t bytes); /* one object in so many bytes */
void ch_jvm_events_early(void); /* before the JVM's first thread is there */
bool ch_jvm_events_start(JNIEnv *env); /* those that have handlers */
jvmtiEnv *ch_jvm_events_environment(void);
void ch_jvm_events_stop(JNIEnv *env);

/* ---- tags.c: objects that scripts marked */
jvmtiEnv *ch_tags_apart(const jvmtiEventCallbacks *callbacks); /* an environment whose tags are its own; NULL: there is none */
bool ch_tags_start(JNIEnv *env);
void ch_tags_stop(JNIEnv *env);
int64_t ch_tag(JNIEnv *env, jobject object, const char *name);
const char *ch_tag_of(jobject object, int64_t *id);

/* ---- unloads.c: classes that are gone */
bool ch_unloads_start(JNIEnv *env);
void ch_unloads_stop(JNIEnv *env);

/* ---- transforms.c: class files, changed by scripts */
void ch_transforms_start(JNIEnv *env, jvmtiEnv *events); /* classes that are loaded already */
void ch_transforms_undo(JNIEnv *env);                    /* its hook is off */
void ch_transform_prepared(JNIEnv *env, jclass c, const char *name);
void JNICALL ch_transform_class(jvmtiEnv *, JNIEnv *, jclass, jobject, const char *, jobject, jint, const unsigned char *, jint *, unsigned char **);

/* ---- refusals.c */
void ch_refusal(JNIEnv *env, jobject loader, const char *name, const char *data, uint32_t bytes, jvmtiError error, char *why, size_t room); /* why the JVM refuses it */

/* ---- worker.c: one thread, which drains the rings and runs the timers */
void ch_worker_start(JNIEnv *env);
void ch_worker_stop(void);

/* ---- hub.c: from when until when there are events */
char *ch_events_script(const char *path, char *rules, size_t *bytes); /* runs the script; the rules with those that it asks for, NULL after a message */
void ch_events_start(JNIEnv *env);
void ch_events_stop(JNIEnv *env);
void ch_events_undo(JNIEnv *env); /* the agent is detached */
extern char *(*ch_events_ask)(JNIEnv *env, const char *line); /* what answers to commands, in the layer above */
bool ch_events_take_commands(void);
char *ch_events_command(JNIEnv *env, const char *line); /* what it answers: lines of JSON, malloc'ed; NULL: there is no such command */
#endif
