/* Contexts: see attribution.c. */
#ifndef CLASSHOOK_ATTRIBUTION_H
#define CLASSHOOK_ATTRIBUTION_H
#include "../threads/threads.h"

/* This thread enters the context of a probe, one for each key; no bytes: there is one context. Returns its depth, from
 * 1 on, or 0 if what follows is not told apart. */
jint ch_scope_begin(JNIEnv *env, jthread carrier, uint32_t probe, const char *key, uint32_t bytes);
enum { CH_NO_PROBE = 0x7FFFFFFF }; /* of contexts that are begun by name; the key is the name */
/* NULL: there is no room for it */
struct ch_context_entered *ch_context_of(uint32_t probe, const char *key, uint32_t bytes);
/* Ends the innermost scope of this thread that is of this context, with those within it; false: the thread is in
 * none. */
bool ch_scope_end(JNIEnv *env, jthread carrier, const struct ch_context_entered *context);
/* All threads belong to this context from now on that have no test of their own; NULL: to none. Runs Java. One call at
 * a time. */
void ch_ambient(JNIEnv *env, struct ch_context_entered *context);
void ch_ambient_at_start(struct ch_context_entered *context); /* the same, before there are threads */
static inline bool ch_scope_may_begin(jint probe) { return !ch_self.silent && ch_slots_there(probe, 1); }
bool ch_context_was_entered(void); /* any */
uint32_t ch_scope_slot(void); /* that of the context that this thread is in; 0: it is outside of all */
uint32_t ch_scope_slot_now(void); /* ... or that it belongs to from its next probe on */
struct ch_context_entered *
ch_scope_test(void); /* the test, or other context begun by name, to which this thread belongs; NULL: there is none */
struct ch_context_entered *ch_scope_context(void); /* the one that this thread is in; NULL: it is outside of all */
/* This thread goes on in that context (NULL: outside of all), without entering it anew. Returns a depth; 0 if nothing
 * changes. */
jint ch_scope_of_task(JNIEnv *env, jthread carrier, struct ch_context_entered *context);

/* ---- tasks.c */
void ch_tasks_start(void);
/* this thread is new, and goes on in the context of the one that started it */
void ch_thread_inherits(JNIEnv *env, jthread thread);

/* ---- attribution.c */
/* Each thread calls this before it counts again; always the same function. Runs Java. */
void ch_threads_look_first(JNIEnv *env, void (*first)(JNIEnv *env, jthread carrier));
void ch_scopes_end(JNIEnv *env, jthread carrier); /* this thread leaves all contexts that it is in */
void ch_scopes_mounted(JNIEnv *env, jthread carrier, int64_t id); /* a virtual thread goes on in its contexts */
void ch_scopes_unmounting(JNIEnv *env, jthread carrier, int64_t id);
void ch_scopes_drop_unmounted(void); /* as ch_stacks_drop_unmounted */

/* ---- virtual_threads.c */
/* From now on mounting is seen: each thread looks which virtual thread it runs, if any, before it counts again. Runs
 * Java. */
void ch_mounts_look(JNIEnv *env);
/* follows them without VirtualThread; false: this JVM has no such events */
bool ch_virtual_threads_by_events(JNIEnv *env);
#endif
