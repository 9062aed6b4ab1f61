/* The class layer: which classes are woven, how, and what happens to them. */
#ifndef CLASSHOOK_CLASSES_H
#define CLASSHOOK_CLASSES_H
#include "../weaver/weaver.h"

extern bool ch_stacks_travel; /* virtual threads exist, and VirtualThread may be woven to follow them */
extern bool
    ch_aot_recording; /* this run records an AOT cache: the JVM would crash if one of its own classes was changed */

/* ---- class_file_names.c: a class's name, when the JVM does not pass it */
char *ch_class_name(const unsigned char *data, size_t bytes); /* malloc'ed; NULL if the class file is damaged */
/* The key, for tables in memory, of a class that may not exist yet: name and loader. Two loaders may have one hash
 * code. */
struct ch_key ch_class_key(jobject loader, const char *name);
/* Calls `each` with the superclass and the interfaces; false if the class file is damaged, or `each` returned false. */
bool ch_class_supertypes(const unsigned char *data, size_t bytes, bool (*each)(void *, const char *name),
                         void *context);

/* ---- name_sets.c: sets of class names, by number; 0: unknown */
enum { CH_NO_NAMES = 1, CH_NAMES_BITS = 24 }; /* the empty set; the bits of a number */
struct ch_names {
    const char *text; /* each name is ended by a zero */
    uint32_t bytes;
};
struct ch_names ch_names(uint32_t number);
uint32_t ch_names_number(const char *text, size_t bytes); /* of names in order */
uint32_t ch_names_union(uint32_t a, uint32_t b);

/* ---- jdk_image.c */
void ch_jdk_image_open(void);
unsigned char *ch_jdk_image_class(const char *name, size_t *bytes); /* malloc'ed; NULL: the JDK has no such class */

/* ---- glob.c */
bool ch_glob(const char *pattern, const char *name); /* may match more than rules/patterns.py does, never less */

/* ---- constant_pools.c */
/* of the entry there, with its tag; 0: it is damaged */
size_t ch_pool_entry_bytes(const unsigned char *at, const unsigned char *end);
bool ch_pool_takes_two(unsigned char tag); /* its entry takes two indices (JVMS 4.4.5) */
struct ch_pool { /* a class's names */
    jclass of;
    bool asked;
    unsigned char *fetched;
    const unsigned char *at, *end; /* at: NULL if it cannot be read */
    size_t entries; /* and one more, as in class files */
};
struct ch_pool ch_pool_of(jclass c); /* of a loaded class; it is fetched when it is first needed */
struct ch_pool ch_pool_in(const unsigned char *data, size_t bytes); /* of a class file */
void ch_pool_free(struct ch_pool *p);
/* whether a rule that requires this name can match; `@` and a glob: an annotation */
bool ch_pool_has(struct ch_pool *p, const char *glob);

/* ---- filter.c: which classes a rule can match, by their names and those of their supertypes */
struct ch_filter;
/* compiled rules; changes nothing */
struct ch_filter *ch_filter_read(const char *text, size_t bytes, struct ch_error *error);
void ch_filter_use(struct ch_filter *filter); /* from now on, and what its rules need of the agent; it is kept */
bool ch_filter_match(
    JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, struct ch_pool *pool,
    bool *
        /* `supertypes`: see supertypes.c; `pool`: NULL if it does not matter; a class passes whatever its source */
        in_jdk);
/* whether it passes with this source */
bool ch_filter_source(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, struct ch_pool *pool,
                      const char *source);
/* whether the last exchange of rules concerns a loaded class */
bool ch_filter_concerns(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, struct ch_pool *pool);
void ch_filter_forget_older(void); /* no thread uses them any more */
bool ch_filter_all_matched(void); /* may be false for a pattern whose classes an earlier one matched */
bool ch_filter_start(JNIEnv *env); /* once the module system is up */

/* ---- active_rules.c: which rules are in force */
struct ch_active_rules {
    uint32_t number; /* odd: they are being exchanged */
    struct ch_key weaving,
        all; /* hashes: of what decides how classes are woven, and of all that reports show of them */
};
struct ch_active_rules ch_active_rules(void);
void ch_rules_use(void); /* this thread looks at the rules, until it has used them */
void ch_rules_used(void);
uint64_t ch_rules_used_ns(void); /* when this thread did so last */
bool ch_rules_are_unused(void); /* at this moment, by all threads */
bool ch_rules_are(uint32_t number); /* still these */
bool ch_rules_are_fewer(void); /* the last exchange took some away */
uint32_t ch_rules_number(void);
void ch_rules_exchange(void); /* begins */
/* adds them to the metadata; NULL: the session ends; take_back: as of struct ch_stops */
void ch_rules_exchanged(const char *text, size_t bytes, bool take_back);
void ch_rules_hold(void); /* while a class gets its counters: the rules stay the last ones in the metadata */
void ch_rules_release(void);
struct ch_key ch_rules_hash(const char *text, size_t bytes);

/* ---- class_states.c: what the hook did of each class */
struct ch_done { /* what the hook did with a class */
    struct ch_meta *description; /* NULL: it wrote none */
    struct ch_key copy;
    bool matched, woven, cached, placed; /* placed: it is among the copies */
    bool covered_ahead; /* it was woven ahead of time and has probes of coverage */
};
struct ch_class_state {
    bool known, woven;
    bool matched_once, woven_once; /* by whatever rules: it is counted as such */
    bool covered_ahead; /* woven ahead of time, with probes of coverage */
    uint32_t rules; /* the number of those by which it was woven, or not */
};
/* what was done is no longer counted */
void ch_class_forget(jobject loader, const char *name, const struct ch_done *done);
/* done: NULL if the hook did nothing */
void ch_class_note(JNIEnv *env, jobject loader, const char *name, uint32_t rules, bool woven,
                   const struct ch_done *done);
void ch_class_due(jobject loader, const char *name); /* it is not as the rules want it, whatever these are */
struct ch_class_state ch_class_state(jobject loader, const char *name);
void ch_classes_anew(void); /* one more session begins, which counts the classes that it matches and weaves */

/* ---- eligible_classes.c: which classes of the JVM may be woven at all */
bool ch_is_tracker(jobject loader, const char *name);
bool ch_is_untouchable(jobject loader, const char *name);
/* When rules are exchanged: which of these were wanted before (0: none), as ch_wanted_support said then. */
void ch_support_was(uint32_t before);
uint32_t ch_wanted_support(void);
/* more of them are wanted than before: the hook puts off all classes until ch_loaded_by_rules has come to these */
extern bool ch_support_first;
extern bool ch_support_changes; /* others are wanted than before, or other methods of them */
bool ch_is_support(jobject loader, const char *name); /* contexts and stacks may need it woven; */
bool ch_is_wanted_support(jobject loader, const char *name); /* ... do, by the rules in force */
bool ch_may_match(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, struct ch_pool *pool,
                  bool *in_jdk);

/* ---- skipped_classes.c: classes that are not instrumented, and why */
extern bool ch_skips_once; /* classes are looked at again and again */
bool ch_was_said(const void *text, size_t bytes); /* whether it was asked of this text before; remembers it */
void ch_skip(const char *name, const char *reason, const char *detail); /* records the reason for the report */
/* ... and also counts the class as matched by a rule */
void ch_skip_matched(const char *name, const char *reason, const char *detail);
/* a record that may be withdrawn; NULL: no room */
struct ch_meta *ch_skip_for_now(const char *name, const char *reason, const char *detail);

/* ---- loops.c: what jumps back in bytecode */
struct ch_loops {
    jlocation last; /* the last instruction that does, at or behind the place; -1: none */
    bool around; /* the place is within one of these loops */
};
struct ch_loops ch_loops_at(jmethodID method, jlocation at);

/* ---- running_loops.c: loops that would go on in the interpreter if their classes were changed now */
struct ch_running_loop {
    jint of; /* which of the classes */
    char text[860]; /* method and thread */
};
/* One of each class, and how many; looks for so long, and not much longer. */
uint32_t ch_running_loops(JNIEnv *env, jint n, const jclass *classes, uint64_t ns, struct ch_running_loop *found,
                          uint32_t most);

/* ---- postponed_classes.c: classes that are changed when their loops have ended. With the session's turn: */
jint ch_postpone(
    JNIEnv *env, jint n, jclass *classes,
    uint64_t
        ns); /* puts those of these that wait to the end; how many do not. ns: to look for their loops; 0: none waits */
size_t ch_postponed(void);
const char *ch_postponed_text(size_t i);
jint ch_postponed_classes(JNIEnv *env, jclass **classes); /* malloc'ed local references */

/* ---- retransform.c */
/* all together, but those that the JVM refuses, which are reported */
void ch_retransform(JNIEnv *env, jint n, jclass *classes);
struct ch_stops { /* of retransformations in batches: the program stops at each of them */
    bool at_once; /* given: loops that run go on in the interpreter, and no class is postponed */
    bool take_back; /* given: what this removes was never wanted, or not accepted */
    uint64_t at_most_ns; /* given: no stop is to take longer; 0: there is no limit */
    bool (*goes_on)(const struct ch_stops *stops); /* given: asked after each stop; NULL: nobody follows the work */
    int follower; /* for goes_on */
    uint32_t due, done; /* classes to be changed, as far as is known, and those that were looked at */
    enum ch_stops_end {
        CH_STOPS_ALL,
        CH_STOPS_CANCELLED,
        CH_STOPS_TOO_LONG
    } end; /* other than ALL: the rest stays as it is */
    uint32_t too_long; /* stops of one class, one after the other, that took longer than at_most_ns */
    uint32_t classes, batches;
    uint64_t shortest_ns; /* but for the first; 0: unknown */
    uint64_t
        since_ns; /* when the session began: which classes count from when is said in the data file; 0: it is not */
    uint64_t longest_ns,
        all_ns; /* from the last class's bytes to the end: what the JVM does then, it does in a safepoint */
};
void ch_retransform_in_batches(JNIEnv *env, jint n, jclass *classes, struct ch_stops *stops);

/* ---- code_source.c: where a class comes from */
bool ch_source_start(JNIEnv *env);
char *ch_source(JNIEnv *env, jobject domain); /* malloc'ed; NULL: unknown */

/* ---- class_copies.c: classes already woven in this JVM under the same key */
uint32_t ch_copies_find(struct ch_key key); /* the first slot, or UINT32_MAX */
void ch_copies_add(struct ch_key key, uint32_t first_slot);
bool ch_copies_drop(struct ch_key key); /* false if there are others */

/* ---- shared_descriptions.c: classes that differ in their names only */
struct ch_alike {
    const char *name, *description;
    size_t bytes;
    struct ch_key kind;
    bool is_known,
        /* is_known: it may be alike; shares: those before it have a description for all later ones, and these slots */
        shares;
    uint32_t first_slot;
};
struct ch_alike ch_alike_find(const char *name, const char *description, size_t bytes, struct ch_key rules);
/* Describes one that does not share. NULL: there is no room for it, or it is the description of all later ones, which
 * is never withdrawn. */
struct ch_meta *ch_alike_describe(const struct ch_alike *a, enum ch_meta_kind as, uint32_t first_slot, uint32_t slots);

/* ---- woven_ahead.c: classes woven ahead of time */
bool ch_find_woven_ahead(const unsigned char *data, uint32_t bytes, struct ch_woven *out);

/* ---- loader_query.c: asks a class loader for the tracker */
bool ch_loader_query_prepare(JNIEnv *env, jclass tracker); /* at VMStart */
bool ch_loader_query_start(JNIEnv *env);
bool ch_is_parallel(
    JNIEnv *env,
    jobject
        /* it loads classes of different names in several threads at once, and so holds no lock of its own meanwhile */
        loader);
/* if false: `why`, and whether a later try may succeed */
bool ch_query_loader(JNIEnv *env, jobject loader, char *why, size_t size, bool *mishap);
extern __thread bool ch_introducing
    __attribute__((tls_model("initial-exec"))); /* the agent is defining a class of its own */
void ch_introduce(JNIEnv *env, jobject loader, jobject domain, int64_t number);
bool ch_name_of_class(jclass c, char *to, size_t size); /* internal name */

/* ---- loader_query_thread.c: the same on a thread of its own */
typedef void ch_loader_answer(JNIEnv *env, jobject loader, bool ready, bool mishap, const char *why); /* there */
bool ch_query_loader_on_thread(JNIEnv *env, jobject loader, ch_loader_answer *told);

/* ---- class_loaders.c: which class loaders find the tracker */
enum ch_loader { CH_LOADER_READY, CH_LOADER_WAITS /* the class is retransformed later */, CH_LOADER_REFUSES };
bool ch_loaders_start(JNIEnv *env);
enum ch_loader ch_loader_ready(JNIEnv *env, jobject loader, jobject domain, jclass redefined, const char *name);
int64_t ch_loader_number(jobject loader); /* from 1 on; 0: the boot loader, or one that was never asked */
/* one that is older than the agent, if that is safe; waits for its answer for a while */
void ch_loader_ask_now(JNIEnv *env, jobject loader);
size_t ch_loaders_waiting(void); /* classes that wait for their loaders */
int64_t ch_loader_identify(jobject loader); /* the same, but every other loader gets a number */
void ch_watch_linking(void); /* has ClassPrepare events sent from now on */
enum ch_linked { CH_NOT_WAITING, CH_WAITS_ON, CH_TO_RETRANSFORM };
/* a class that may have waited is prepared */
enum ch_linked ch_loader_linked(JNIEnv *env, jobject loader, jclass c, const char *name);
void ch_loaders_say_waiting(void); /* at the end */

/* ---- pending_classes.c: classes between the hook and the moment when they are prepared, by a hash of loader and
 * name */
struct ch_pending {
    uint32_t expected; /* supertypes; 0: different ones, by threads that defined the class at once */
    bool all_known; /* its supertypes were, when it was defined */
    struct ch_done done;
};
/* what to expect: nothing, if there is no room to note it */
uint32_t ch_pending_note(struct ch_key class, uint32_t expected, bool all_known);
void ch_pending_done(struct ch_key class, const struct ch_done *done);
/* `found` stays as it is if the class is not known */
void ch_pending_take(struct ch_key class, struct ch_pending *found);

/* ---- supertypes.c: those of a class's supertypes that rules name with a `+`, as the number of a set of names */
struct ch_subtypes; /* what the rules in force name */
/* the glob stays the caller's */
bool ch_subtypes_add(struct ch_subtypes **set, bool weaves, bool reports, const char *glob);
void ch_subtypes_use(struct ch_subtypes *set); /* NULL: none */
void ch_subtypes_free(struct ch_subtypes *set); /* no thread uses it any more */
void ch_supertypes_start(void); /* once Java code can be called, and when other rules are in force */
uint32_t ch_supertypes(JNIEnv *env, jclass c); /* 0: it is not prepared yet */
/* For a class that is being defined; `guessed`: not all of its supertypes are known. */
uint32_t ch_supertypes_expected(jobject loader, const char *name, const unsigned char *data, size_t bytes,
                                bool *guessed);
void ch_supertypes_done(jobject loader, const char *name, const struct ch_done *done);
void ch_supertypes_remember(const char *name, uint32_t supertypes); /* for the next run */
struct ch_prepared {
    uint32_t expected, supertypes; /* expected: 0 if several were; supertypes: 0 if there is no memory for them */
    bool guessed; /* not all of its supertypes were known when it was defined */
    struct ch_done done;
};
struct ch_prepared ch_supertypes_prepared(JNIEnv *env, jobject loader, jclass c, const char *name);

/* of one that was prepared before the rules were exchanged; 0: unknown */
uint32_t ch_supertypes_again(JNIEnv *env, jclass c, const char *name);
/* the former was called for all classes; false: classes may come for which nothing is called */
void ch_supertypes_all_reported(bool all);

/* ---- class_prepare.c: classes are prepared */
/* ClassPrepare; rules_exchange: rules may have been exchanged since it was defined */
void ch_class_linked(JNIEnv *env, jclass c, bool rules_exchange);

/* ---- loaded_classes.c: classes that are already loaded */
void ch_loaded_anew(bool yes); /* another session begins; false: its classes are there */
void ch_loaded_start(JNIEnv *env); /* weaves the classes loaded before the agent */
extern bool ch_loaded_unlinked; /* some of them were not linked: they are looked at when they are */
/* a loaded class is not as the rules in force want it, and can be retransformed now */
bool ch_loaded_differs_now(JNIEnv *env, jclass c);
/* of a class, and not of an array or the like; false: it has none */
bool ch_loaded_name(jclass c, char *name, size_t room, jobject *loader);
/* one that was not linked when that happened is not as the rules want it */
bool ch_loaded_differs(JNIEnv *env, jclass c, jobject loader, const char *name);
void ch_loaded_say_unnumbered(void); /* records the classes whose probes were never numbered */
/* writes the names of loaded classes, so that the report can suggest what a rule meant */
void ch_loaded_say_names(void);

/* ---- exchanged_classes.c: classes that are already loaded, when rules are exchanged; in batches */
void ch_loaded_by_rules(JNIEnv *env, struct ch_stops *stops); /* those that the exchange concerns */
void ch_loaded_by_no_rules(JNIEnv *env, struct ch_stops *stops); /* the hook is off: makes them as they were */
void ch_loaded_again(JNIEnv *env, struct ch_stops *stops); /* those that were postponed */

/* ---- class_file_sums.c */
/* of a class that is woven: notes it */
void ch_class_file_sum(const char *name, const unsigned char *data, uint32_t bytes);

/* ---- hook.c */
void JNICALL ch_class_file_load_hook(jvmtiEnv *, JNIEnv *, jclass, jobject, const char *, jobject, jint,
                                     const unsigned char *, jint *, unsigned char **);
extern bool ch_hook_on;

#endif
