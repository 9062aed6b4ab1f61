/* The requests of rules to the agent, and the type of a measure: what it does for them, and when. */
#ifndef CLASSHOOK_MEASURE_H
#define CLASSHOOK_MEASURE_H
#include "../base/base.h"
#include "../table/rules_text.h"

/* The requests of the rules in force. They change when others are exchanged for them (classes/filter.c), and nowhere
 * else. */
struct ch_wanted {
    bool time, cover, watch;
    bool contexts; /* calls are told apart by the context that they are in */
    bool tests;    /* scripts begin and end contexts by name */
    bool sources;  /* a rule names the jar or directory that a class comes from */
    bool subtypes; /* a rule names supertypes; without such a rule no class has any */
    bool only_sampling; /* there are rules, and none weaves anything */
    bool ahead; /* there are none: classes may be woven ahead of time */
    bool threads_apart, threads_named; /* some measure tells threads apart; all do, by name */
    struct ch_samplers samplers;
};
extern struct ch_wanted ch_wanted;

struct ch_woven_class {
    uint32_t first_slot, slots;
    const char *table; /* of its probes */
    size_t bytes;
};

/* A measure. Functions that it does not need are NULL. */
struct ch_measure {
    const char *name;
    void (*on_rules)(void); /* ch_wanted has changed */
    void (*early)(struct ch_error *error); /* the JVM starts, and has no thread yet */
    void (*prepare)(JNIEnv *env, struct ch_error *error); /* before classes are woven by the rules in force */
    /* a session is on, or goes on by other rules: the measure may run already */
    void (*start)(JNIEnv *env, jthread self, struct ch_error *error);
    void (*pause)(void); /* rules are about to be exchanged */
    void (*exchanged)(JNIEnv *env, const char *before, const char *now); /* these compiled rules for those */
    void (*stop)(JNIEnv *env, bool at_death); /* the session ends, or the JVM */
    void (*anew)(JNIEnv *env); /* one more session of this JVM is about to begin */
    void (*on_definition)(const char *class_name); /* while a session is on, a class is being defined */
    void (*on_class)(const struct ch_woven_class *woven); /* a class with new slots goes to the JVM */
    void (*on_thread_begin)(JNIEnv *env, jthread thread); /* on the thread itself, as is its end */
    void (*on_thread_end)(JNIEnv *env, jthread thread);
};

/* All of them, in the order in which they are told; the last one is NULL. Before anything else. */
void ch_measures_are(const struct ch_measure *const *all);
void ch_measures_on_rules(void);
void ch_measures_early(struct ch_error *error);
void ch_measures_prepare(JNIEnv *env, struct ch_error *error);
void ch_measures_start(JNIEnv *env, jthread self, struct ch_error *error);
void ch_measures_pause(void);
void ch_measures_exchanged(JNIEnv *env, const char *before, const char *now);
void ch_measures_stop(JNIEnv *env, bool at_death);
void ch_measures_anew(JNIEnv *env);
void ch_measures_on_definition(const char *class_name);
void ch_measures_on_class(const struct ch_woven_class *woven);
void ch_measures_on_thread_begin(JNIEnv *env, jthread thread);
void ch_measures_on_thread_end(JNIEnv *env, jthread thread);
#endif
