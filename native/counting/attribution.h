/* Contexts: see attribution.c. */
#ifndef CLASSHOOK_ATTRIBUTION_H
#define CLASSHOOK_ATTRIBUTION_H
#include "counting.h"

/* This thread enters the context of a probe, one for each key; no bytes: there is one context. Returns its depth, from 1 on, or 0 if what follows is
 * not told apart. */
jint ch_scope_begin(JNIEnv *env, jthread carrier, uint32_t probe, const char *key, uint32_t bytes);
struct ch_context_entered; /* a context; it stays for good */

/* A context that a thread is in. */
struct ch_scope {
    struct ch_scope *outer;
    struct ch_context_entered *context; /* NULL: what runs is in none; it counts in the thread's own block */
    struct ch_block *from, *to; /* the thread's block around it, and within */
    uint32_t depth; /* 1: there is none around it */
    uint32_t frames; /* of the shadow stack, when it began */
    bool apart; /* its begin and end are calls of their own: frames may end within it that began before, and the other way round */
    int32_t path; /* the depth of the context's frame on the path */
    bool of_task; /* it was begun where a task runs that was submitted in this context */
    bool by_mount; /* a virtual thread is not in the contexts of its carrier */
    bool follows; /* it belongs to whatever threads without a test of their own belong to: see `ambient` */
    struct ch_context_entered *origin; /* ... and to this one if that is none */
    bool onward; /* its method has ended, and it lasts as long as the one around it */
};

/* Where a frame with CH_AROUND, at this depth of the thread's stack, began. */
static inline struct ch_block *ch_scope_block_around(struct ch_block *here, uint32_t depth) {
    const struct ch_scope *s = ch_self.scope;
    while (s && !(s->onward && s->frames < depth)) s = s->outer;
    return s ? s->from : here;
}

enum { CH_NO_PROBE = 0x7FFFFFFF }; /* of contexts that are begun by name; the key is the name */
struct ch_context_entered *ch_context_of(uint32_t probe, const char *key, uint32_t bytes); /* NULL: there is no room for it */
/* Ends the innermost scope of this thread that is of this context, with those within it; false: the thread is in none. */
bool ch_scope_end(JNIEnv *env, jthread carrier, const struct ch_context_entered *context);
/* All threads belong to this context from now on that have no test of their own; NULL: to none. Runs Java. One call at a time. */
void ch_ambient(JNIEnv *env, struct ch_context_entered *context);
void ch_ambient_at_start(struct ch_context_entered *context); /* the same, before there are threads */
static inline bool ch_scope_may_begin(jint probe) { return !ch_self.silent && ch_slots_there(probe, 1); }
bool ch_context_was_entered(void); /* any */
uint32_t ch_scope_slot(void); /* that of the context that this thread is in; 0: it is outside of all */
uint32_t ch_scope_slot_now(void); /* ... or that it belongs to from its next probe on */
struct ch_context_entered *ch_scope_test(void); /* the test, or other context begun by name, to which this thread belongs; NULL: there is none */
struct ch_context_entered *ch_scope_context(void); /* the one that this thread is in; NULL: it is outside of all */
/* This thread goes on in that context (NULL: outside of all), without entering it anew. Returns a depth; 0 if nothing changes. */
jint ch_scope_of_task(JNIEnv *env, jthread carrier, struct ch_context_entered *context);

/* ---- tasks.c */
void ch_tasks_start(void);
void ch_thread_inherits(JNIEnv *env, jthread thread); /* this thread is new, and goes on in the context of the one that started it */

/* ---- attribution.c */
/* Each thread calls this before it counts again; always the same function. Runs Java. */
void ch_threads_look_first(JNIEnv *env, void (*first)(JNIEnv *env, jthread carrier));
void ch_scopes_end(JNIEnv *env, jthread carrier); /* this thread leaves all contexts that it is in */
void ch_scopes_mounted(JNIEnv *env, jthread carrier, int64_t id); /* a virtual thread goes on in its contexts */
void ch_scopes_unmounting(JNIEnv *env, jthread carrier, int64_t id);

#endif
