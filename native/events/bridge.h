/* The interface for events between the agent and the embedding library; they also share that of weaver/embed.h. */
#ifndef CLASSHOOK_BRIDGE_H
#define CLASSHOOK_BRIDGE_H
#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

/* The events: name, where they come from, and the ways in which a handler can be told: R queued, S on the event's own
 * thread; the first one is what a handler gets that does not ask. */
#define CH_EVENT_NAMES(EVENT) \
    EVENT(CLASS_LOAD, class_load, "SR") \
    EVENT(THREAD_START, thread_start, "RS") \
    EVENT(THREAD_END, thread_end, "RS") \
    EVENT(GC_START, gc_start, "R") \
    EVENT(GC_FINISH, gc_finish, "R") \
    EVENT(MONITOR_CONTENDED, monitor_contended, "RS") \
    EVENT(CLASS_UNLOAD, class_unload, "R") \
    EVENT(OBJECT_ALLOC, object_alloc, "RS") \
    EVENT(OBJECT_FREE, object_free, "R") \
    EVENT(DATA_DUMP, data_dump, "S") \
    EVENT(METHOD_ENTRY, method_entry, "RS") \
    EVENT(METHOD_EXIT, method_exit, "RS") \
    EVENT(START, start, "S") \
    EVENT(END, end, "S") \
    EVENT(COMMAND, command, "S") \
    EVENT(TRANSFORM, transform, "S") \
    EVENT(TIMER, timer, "S") \
    EVENT(JVMPI, jvmpi, "SR")
enum ch_event {
#define CH_NUMBER(event, name, ways) CH_EVENT_##event,
    CH_EVENT_NAMES(CH_NUMBER) CH_EVENTS
};

enum { CH_MOST_HANDLERS = 1 << 14 /* in a JVM's life */, CH_STACK_BITS = 0x7FFFFFFF };

/* An event in a queue; also what is always known of one on its own thread. */
struct ch_noted {
    uint64_t time; /* when it was, by the agent's clock; queued ones are told in this order */
    int64_t took; /* an activation, or a collection, by the same */
    uint32_t handler, event;
    uint32_t site; /* the slot of the probe */
    uint32_t thread, name; /* numbers of names; 0: none */
    uint32_t threw : 1; /* the activation ended by an exception, whose class is the name */
    uint32_t stack : 31; /* the number of its stack; 0: none was taken */
    uint64_t more[3]; /* bytes of an object, its tag; bytes of the heap: used, all */
};
_Static_assert(sizeof(struct ch_noted) == 64, "a cache line");

/* An event on its own thread, while its handler runs. */
struct ch_call {
    struct ch_noted record;
    JNIEnv *env;
    jobject this_object, args, value,
        /* value: result or throwable; subject: the class or thread that it is about, the loader of a class file */
        subject;
    const char *text; /* of a command; why the JVM refused what a transformer made */
    const unsigned char *data; /* a class file */
    uint32_t bytes, answer_bytes;
    char *answer; /* malloc'ed: text for a command, a class file for a transformer */
    bool other_shape; /* the class file's is: instrument/agent/class_shape.py */
};

struct ch_site { /* a method with a probe */
    const char *class_name, *method, *descriptor;
};

/* Objects of the heap that have a name in common: of their class, or of their tag. */
struct ch_heap_row {
    uint32_t name;
    uint64_t objects, bytes;
};
struct ch_heap_found { /* `most` of them are looked for, at least 1 */
    uint32_t most;
    jint n;
    jobject *objects; /* local references; JVMTI's memory */
    bool values; /* there are classes of value objects, which are not found */
};

/* The functions of the agent that Python calls. */
struct ch_hub {
    jvmtiEnv *jvmti;
    /* Makes a handler, which is off; its number, from 1 on, is unique; 0: there are too many. `least_ns`: it is not
     * called for shorter events. */
    uint32_t (*handler)(uint32_t event, bool sync, const char *glob, uint64_t least_ns);
    void (*enable)(uint32_t handler, bool on);
    void (*leave)(uint32_t handler); /* off, for ever; one of `end` is called once more when the scripts change */
    void (*remove)(uint32_t handler);
    void (*follow)(JNIEnv *env); /* what the handlers that there are now need of the JVM. Runs Java */
    /* of a queued one: it rather loses events than waits; frames of their stacks */
    void (*options)(uint32_t handler, bool lossy, uint32_t frames);
    uint64_t (*lost)(uint32_t handler); /* events for which queues had no room */
    uint64_t *handled; /* counts queued events */
    const jvmtiFrameInfo *(*stack)(uint32_t number, jint *n); /* innermost first; NULL: there is no such stack */
    uint32_t (*counter)(void); /* a slot that the tracker's `count` adds to; UINT32_MAX: there is no room */
    uint64_t (*counted)(uint32_t slot); /* of all threads */
    const char *(*name)(uint32_t number);
    bool (*site)(uint32_t slot, struct ch_site *out);
    bool (*note)(const char *text); /* for the report; false: the session has ended, or there is no room */
    int64_t (*tag)(JNIEnv *env, jobject object, const char *name); /* NULL: takes it off; -1: the JVM refuses */
    bool (*is_value)(JNIEnv *env, jobject object); /* it has no identity: base/value_objects.c */
    const char *(*tag_of)(jobject object, int64_t *id); /* the name of its tag; NULL: none */
    /* malloc'ed; NULL: the JVM refuses */
    struct ch_heap_row *(*heap_rows)(JNIEnv *env, bool tags, const char *glob, uint32_t *n);
    /* by class, or by tag */
    bool (*heap_find)(JNIEnv *env, const char *glob, const char *tag, struct ch_heap_found *found);
    void (*sample_every)(uint64_t bytes); /* how often handlers are called for allocations */
    /* JVMPI reports them, one in so many bytes; NULL: no more. False: the JVM does not give them. */
    bool (*sample)(void (*take)(JNIEnv *env, jthread thread, jobject object, jclass class, jlong size), uint64_t bytes);
    /* a command of the control socket: lines of JSON, malloc'ed. Runs Java */
    char *(*ask)(JNIEnv *env, const char *line);
    bool (*runs_handler)(void); /* this thread */
    void (*on_own_stack)(void (*work)(void *), void *argument); /* what may run Java must run there; without the GIL */
    uint64_t (*when)(uint64_t time); /* in ns of CLOCK_MONOTONIC */
    int64_t (*span)(int64_t took); /* in ns */
    JavaVM *vm;
    void (*will_ask_owners)(void); /* before the first monitor_usage */
    /* GetObjectMonitorUsage, if the JVM bears it now */
    jvmtiError (*monitor_usage)(jvmtiEnv *jvmti, jobject monitor, jvmtiMonitorUsage *usage);
    /* by its way; false: it is not told now, or there was no room */
    bool (*tell)(uint32_t handler, struct ch_call *call);
    /* runs Java; false: it was not called */
    bool (*as_boot_class)(JNIEnv *env, void (*work)(JNIEnv *env, void *argument), void *argument);
    bool (*watch_freed)(JNIEnv *env); /* from now on; runs Java. False: the JVM does not tell */
    void (*watch)(JNIEnv *env, jobject object, uint64_t number); /* when it is freed, `freed` of the bridge is told */
    bool (*drains)(void); /* this thread is the one that queued events are told on */
    /* Delivers all queued events, and the ends of freed objects, before it returns, unless the delivering thread is
     * held up: as by the caller, which `in_vain` says. Not on that thread itself. */
    void (*deliver)(JNIEnv *env, bool (*in_vain)(void));
    uint32_t (*watched)(void); /* not less than objects are watched */
    /* false: too busy */
    bool (*each_watched)(JNIEnv *env, void (*each)(JNIEnv *env, jobject object, uint64_t number, void *argument),
                         void *argument);
    /* of this thread, by name; runs Java. False: there is no room */
    bool (*context_begins)(JNIEnv *env, const char *name);
    /* with all within it. Runs Java. False: the thread is not in it */
    bool (*context_ends)(JNIEnv *env, const char *name);
    /* of all threads without a test of their own; empty: none. Runs Java; one call at a time */
    bool (*context_ambient)(JNIEnv *env, const char *name);
    void (*test)(uint32_t number, const char *text, size_t bytes); /* a record of the data file */
    void (*state)(uint32_t what, const char *text); /* a record of the data file: CH_META_STATE */
    bool (*may_collect)(void); /* base/shutdown_hook.c */
    void (*find_figures)(void); /* before the first collection that is of interest */
    /* of the heap, at the end of a collection; 0: the JVM does not say it */
    void (*figures)(uint64_t *used, uint64_t *total);
    bool dead; /* no event comes any more: the program has ended */
};

/* The functions of Python that the agent calls. None of these raises; all that need the GIL take it themselves. */
struct ch_bridge {
    void (*hub)(const struct ch_hub *hub);
    void (*call)(void *call); /* a struct ch_call */
    void (*drain)(const struct ch_noted *records, uint32_t n, JNIEnv *env);
    int64_t (*tick)(JNIEnv *env); /* runs the timers that are due; ms until the next one, -1: none */
    void (*freed)(uint64_t number);
    void (*thread_ends)(void);
    bool (*prepare)(JNIEnv *env); /* once, on a thread of Java's, before the first event; without the GIL */
};
#endif
