/* Objects: which are allocated where, and which of them live on, by samples; which are freed. It uses the names and
 * stacks of the layer of monitors. */
#ifndef CLASSHOOK_OBJECTS_H
#define CLASSHOOK_OBJECTS_H
#include "../locks/locks.h"

/* ---- allocation_samples.c: objects that are allocated, by the JVM's samples */
#define CH_USUAL_INTERVAL (1 << 19) /* bytes between two, unless a rule says otherwise */
struct ch_sample_taker {
    /* on the thread that allocated it; no object: it is a value object */
    void (*take)(JNIEnv *env, jthread thread, jobject object, jclass class, jlong size);
    struct ch_sample_taker *next; /* this and the following ones are allocation_samples.c's */
    uint64_t every; /* bytes between two samples, in the mean; 0: each object */
    bool wants, takes;
};
/* Both are false if this JVM gives none, or gives them to another agent. */
/* before the JVM's first thread is there, which then has the right interval */
bool ch_samples_plan(struct ch_sample_taker *t, uint64_t every);
/* `env`: this thread's objects are sampled from now on, too; or NULL */
bool ch_samples_start(struct ch_sample_taker *t, uint64_t every, JNIEnv *env);
void ch_samples_stop(struct ch_sample_taker *t); /* it may still be told of one whose event is under way */

/* ---- allocation_sites.c: object sizes as the JVM reports them */
void ch_allocation_start(JNIEnv *env);
/* whether a site allocates objects of such a type */
bool ch_allocates(const char *table, size_t bytes, bool (*that)(struct ch_text type));
/* whether a site allocates objects of a class outside java.* */
bool ch_has_foreign_objects(const char *table, size_t bytes);

/* ---- sampled_objects.c: rules `alloc ... live` and `alloc ... stack N` */
extern const struct ch_measure ch_measure_objects;
/* Calls `each` for the objects that were not found dead, with their rows, if that is wanted. False: it is not. */
bool ch_objects_each(JNIEnv *env, void (*each)(JNIEnv *env, jobject object, uint32_t row, void *to), void *to);

/* ---- listed_objects.c: sampled objects in a heap dump */
jobject ch_objects_list(
    JNIEnv
        *env); /* a list of them in Java's heap, a global reference to be deleted after the dump; NULL: there is none */

/* ---- weak_references.c: objects whose end is of interest. Numbers are not 0. */
struct ch_weak_set {
    void (*freed)(
        uint64_t
            /* on a thread of the agent's after a garbage collection, or on the one that closes the set; it may wait */
            number);
    struct ch_weak_entries *entries; /* this and the following one are weak_references.c's */
    struct ch_weak_set *next;
};
void ch_weak_prepare(JNIEnv *env); /* before any script can exchange functions of JNI */
/* runs Java; false: this JVM does not tell when it collects garbage, or there is no memory */
bool ch_weak_open(struct ch_weak_set *s, JNIEnv *env);
/* its place; 0: it is a value object, or the set is not open, or there is no memory */
uint32_t ch_weak_add(struct ch_weak_set *s, JNIEnv *env, jobject object, uint64_t number);
uint64_t ch_weak_number(struct ch_weak_set *s, uint32_t place); /* of a live object */
/* 0: its end is of no interest any more */
void ch_weak_renumber(struct ch_weak_set *s, uint32_t place, uint64_t number);
typedef void ch_weak_visitor(JNIEnv *env, jobject object, uint64_t number, void *to);
void ch_weak_look(struct ch_weak_set *s, JNIEnv *env); /* tells of what was freed until now, on this thread */
uint32_t ch_weak_count(struct ch_weak_set *s); /* not less than there are objects */
/* of all that live. False: it is not open, or too busy */
bool ch_weak_each(struct ch_weak_set *s, JNIEnv *env, ch_weak_visitor *each, void *to);
bool ch_weak_last(struct ch_weak_set *s, JNIEnv *env, ch_weak_visitor *each); /* at VMDeath. False: it is not known */
/* tells of what was freed until now, and from now on of nothing: it can still be asked */
void ch_weak_settle(struct ch_weak_set *s, JNIEnv *env);
void ch_weak_close(struct ch_weak_set *s, JNIEnv *env); /* tells of what was freed until now */
#endif
