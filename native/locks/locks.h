/* Monitors: which threads wait for which, where, and how long. It uses the trees of the counting layer, and knows
 * nothing about classes. */
#ifndef CLASSHOOK_LOCKS_H
#define CLASSHOOK_LOCKS_H
#include "../sampling/sampling.h"

#define CH_LOCK_FRAMES 256u /* of a stack */

/* ---- contention.c: the rule `locks` */
extern const struct ch_measure ch_measure_locks;
/* The events of locks; each takes JVMTI's arguments. */
#define CH_LOCK_EVENTS(EVENT) \
    EVENT(MONITOR_CONTENDED_ENTER, MonitorContendedEnter, ch_lock_contended_enter, LATER) \
    EVENT(MONITOR_CONTENDED_ENTERED, MonitorContendedEntered, ch_lock_contended_entered, LATER) \
    EVENT(MONITOR_WAIT, MonitorWait, ch_lock_wait, LATER) \
    EVENT(MONITOR_WAITED, MonitorWaited, ch_lock_waited, LATER)
void JNICALL ch_lock_contended_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor);
void JNICALL ch_lock_contended_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor);
void JNICALL ch_lock_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor, jlong timeout);
void JNICALL ch_lock_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor, jboolean timed_out);
bool ch_lock_dump(JNIEnv *env); /* a user asked for a thread dump, with SIGQUIT; false: there is no rule `locks` */

/* ---- monitor_owners.c: who has a monitor */
void ch_owners_start(void); /* the owners of monitors will be asked for; best called while the JVM starts */
/* GetObjectMonitorUsage; JVMTI_ERROR_NOT_AVAILABLE: asked now, this JVM might crash. */
jvmtiError ch_monitor_usage(jvmtiEnv *jvmti, jobject monitor, jvmtiMonitorUsage *usage);

/* ---- parks.c: threads that park */
struct ch_park_listener {
    /* a thread is about to; false: that is not noted */
    bool (*parks)(JNIEnv *env, jthread thread, jobject blocker, jobject owner);
    void (*parked)(JNIEnv *env, jthread thread); /* it goes on, and was noted */
};
/* false: this JVM does not let us see them. The listener stays */
bool ch_parks_start(JNIEnv *env, const struct ch_park_listener *listener);
void ch_parks_stop(void);

/* ---- deadlocks.c */
struct ch_waiting {
    int64_t id, owner; /* of threads, as Java numbers them */
    uint32_t cycle; /* of a deadlock: which one */
    char *name, *waits_for, *held_by, *at;
};
size_t ch_deadlocks(JNIEnv *env, struct ch_waiting **out, uint32_t *cycles); /* all deadlocked threads, by cycles */
/* those of these threads that wait for something */
size_t ch_threads_waiting(JNIEnv *env, const jlong *ids, size_t n, struct ch_waiting **out);
void ch_waiting_free(struct ch_waiting *all, size_t n);
void ch_deadlocks_write(JNIEnv *env); /* those that there are now, to the data file */

/* ---- stack_traces.c: the names and stacks of rows, each with a number */
enum { CH_NO_NAME = 0, CH_OTHER_NAMES = 1 /* there was no room for more */ };
bool ch_traces_start(JNIEnv *env);
uint32_t ch_trace_name(const char *text);
uint32_t ch_trace_class(jclass c); /* its name; of a hidden class without its address */
/* The topmost frames of the thread, without those of Object.wait. `enters`: the topmost one enters a monitor. */
uint32_t ch_trace_stack(JNIEnv *env, jthread thread, uint32_t depth, bool enters);
/* ... of this thread, or of a virtual one on it, apart from those of others */
uint32_t ch_trace_stack_of(JNIEnv *env, jthread thread, uint32_t depth, bool enters);
/* of this thread, without so many topmost frames */
uint32_t ch_trace_callers(JNIEnv *env, uint32_t below, uint32_t depth);
#endif
