/* Monitors: which threads wait for which, where, and how long. It uses the trees of the counting layer, and knows nothing about classes. */
#ifndef CLASSHOOK_LOCKS_H
#define CLASSHOOK_LOCKS_H
#include "../counting/counting.h"

#define CH_LOCK_FRAMES 256u /* of a stack */

/* ---- contention.c: the rule `locks` */
void ch_locks_rule(uint64_t over_us, uint32_t frames); /* there is a rule `locks`; no frames: there is none */
bool ch_locks_wanted(void);
void ch_locks_start(JNIEnv *env); /* at VMInit, or when rules are exchanged */
void ch_locks_stop(void);
void ch_locks_end(JNIEnv *env); /* at VMDeath */
/* Its events; each takes what JVMTI passes. */
#define CH_LOCK_EVENTS(EVENT)                                                              \
    EVENT(MONITOR_CONTENDED_ENTER, MonitorContendedEnter, ch_lock_contended_enter, LATER)      \
    EVENT(MONITOR_CONTENDED_ENTERED, MonitorContendedEntered, ch_lock_contended_entered, LATER) \
    EVENT(MONITOR_WAIT, MonitorWait, ch_lock_wait, LATER)                                      \
    EVENT(MONITOR_WAITED, MonitorWaited, ch_lock_waited, LATER)                                \
    EVENT(DATA_DUMP_REQUEST, DataDumpRequest, ch_lock_dump, LATER)
void JNICALL ch_lock_contended_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor);
void JNICALL ch_lock_contended_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor);
void JNICALL ch_lock_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor, jlong timeout);
void JNICALL ch_lock_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor, jboolean timed_out);
void JNICALL ch_lock_dump(jvmtiEnv *jvmti);

/* ---- deadlocks.c */
struct ch_waiting {
    int64_t id, owner; /* of threads, as Java numbers them */
    uint32_t cycle;    /* of a deadlock: which one */
    char *name, *waits_for, *held_by, *at;
};
size_t ch_deadlocks(JNIEnv *env, struct ch_waiting **out, uint32_t *cycles); /* all deadlocked threads, by cycles */
size_t ch_threads_waiting(JNIEnv *env, const jlong *ids, size_t n, struct ch_waiting **out); /* those of these threads that wait for something */
void ch_waiting_free(struct ch_waiting *all, size_t n);
void ch_deadlocks_write(JNIEnv *env); /* those that there are now, to the data file */

/* ---- traces.c: the names and stacks of rows, each with a number */
enum { CH_NO_NAME = 0, CH_OTHER_NAMES = 1 /* there was no room for more */ };
bool ch_traces_start(JNIEnv *env);
uint32_t ch_trace_name(const char *text);
uint32_t ch_trace_class(jclass c); /* its name; of a hidden class without its address */
/* Its topmost frames, without those of Object.wait. `enters`: the topmost one enters a monitor. */
uint32_t ch_trace_stack(JNIEnv *env, jthread thread, uint32_t depth, bool enters);
#endif
