/* What the agent's own files share. One concern a file; the order below is the order in which data flows. */
#ifndef CLASSHOOK_AGENT_H
#define CLASSHOOK_AGENT_H
#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "classhook.h"
#include "embed.h"

#define CH_MOST_SLOTS ((size_t)1 << 23)
#define CH_LEAST_SLOTS ((size_t)1 << 17)
#define CH_TRACKER "java/lang/ClasshookTracker"

/* ---- agent.c: the one environment, and how we speak to the user */
extern jvmtiEnv *ch_jvmti;
extern JavaVM *ch_vm;
extern int ch_jvm_version; /* feature release: 17, 21, 25 */
extern bool ch_has_time;   /* some rule times methods */
extern bool ch_has_alloc;  /* some rule counts allocations */
extern bool ch_stacks_travel; /* virtual threads exist, and VirtualThread may be woven to follow them */
extern bool ch_aot_recording; /* of this run an AOT cache is made: the JVM crashes then where one of its own classes was changed */
void ch_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool ch_ok(jvmtiError error, const char *what); /* says what failed; true if nothing did */
void ch_lock(void);                             /* the raw monitor that guards the registry of blocks and the data file */
void ch_unlock(void);

/* ---- options.c: rules=FILE,data=DIR,... with %XX for a character that would end a value */
struct ch_options {
    char *rules, *data, *cache, *pythonpath;
    uint64_t timeout_ms;
};
bool ch_options_parse(const char *text, struct ch_options *out);
extern struct ch_options ch_options;

/* ---- store.c: the data file */
struct ch_region {
    uint8_t *base;
    size_t bytes;
};
extern struct ch_room {
    size_t slots, records_bytes, meta_bytes; /* of one block, or of all: how large regions are, by the address space there is */
    uint64_t limit;                          /* of the address space; 0: none */
} ch_room;
extern struct ch_header *ch_header;
bool ch_make_dirs(const char *dir, unsigned mode); /* false and errno: it cannot be had, or is not ours or root's */
bool ch_store_open(const char *dir);
/* A region of zeros. Lock held, but at the start. `expected`: bytes that all such regions may take. False: no address space. */
bool ch_region_open(struct ch_region *r, enum ch_kind kind, uint32_t block, size_t bytes, uint64_t expected);
bool ch_region_memory(struct ch_region *r, size_t bytes); /* one that is on no file */
void ch_store_end(enum ch_end how);
void ch_store_discard(void); /* nothing will be counted */

/* ---- guard.c: pages that find no room */
void ch_guard_start(void);
void ch_guard(void *base, size_t bytes); /* a mapping of the data file */
void ch_guard_say(const char *why);      /* once */

/* ---- meta.c: what is said of classes */
bool ch_meta_start(void);
void ch_meta_add(enum ch_meta_kind kind, uint32_t first_slot, uint32_t slots, const void *text, size_t bytes); /* takes the lock */
bool ch_meta_has_foreign_objects(const char *table, size_t bytes); /* a site allocates objects of a class that is not the platform's */
char *ch_meta_type_of(uint32_t slot); /* the type allocated at that site, with dots; malloc'ed, NULL if unknown */

/* ---- clock.c */
void ch_clock_start(void);
void ch_clock_mark(void); /* reads both clocks again, for the report's conversion of ticks */
uint64_t ch_monotonic_ns(void);
uint64_t ch_clock_ticks_of(uint64_t time); /* of ns, or in thousandths of ps */

/* ---- threads.c: blocks of counters, one for each thread */
struct ch_stack;
struct ch_block {
    struct ch_region slots, records;
    uint32_t index;
    size_t records_used;
    struct ch_stack *stack; /* of the platform thread itself */
    struct ch_block *next;  /* in the list of all, or of the free ones */
    struct ch_block *next_free;
    uint32_t window;       /* timed activations of paced methods until the budget is looked at */
    bool over_budget;      /* the last window was */
    uint64_t window_cpu_ns; /* the thread's CPU time when this window began */
};
struct ch_thread {
    struct ch_block *block;  /* NULL: none yet */
    struct ch_stack *stack;  /* what runs now: the thread's own or a virtual thread's; NULL where there is none yet */
    struct ch_stack *own;    /* of the platform thread: the block's, unless it had another before it had a block */
    int64_t virtual_id;      /* of the virtual thread that is mounted here, or 0 */
    bool measuring;
    uint32_t silent;         /* nothing is counted: a loader is being asked, which the program did not do */
    bool introducing;        /* a class of ours is being defined (loaders.c) */
    uint32_t rounds;         /* of destructors, at the native thread's end */
    uint32_t counted;        /* without a block of its own */
};
extern __thread struct ch_thread ch_self __attribute__((tls_model("initial-exec")));
bool ch_threads_start(void);
uint32_t ch_slots_take(uint32_t n); /* first of n new slots, there in every block; UINT32_MAX when there are no more */
bool ch_unnumbered_ran(void); /* some probe that nobody numbered */
struct ch_block *ch_block_take(void); /* for a thread that has none */
struct ch_block *ch_block_of_few(void); /* ... and has hardly run any code: the shared one at first */
void ch_count(JNIEnv *env, struct ch_block *b, jint slot, jthread thread, bool with_bytes, uint64_t bytes); /* what a probe does in Java */
uint64_t *ch_shared_slot(uint32_t id);
struct ch_block *ch_blocks(void); /* the first of all; lock held */
size_t ch_record_allocate(struct ch_block *b, size_t bytes); /* position in b->records, SIZE_MAX if there is no room */
bool ch_threads_find(JNIEnv *env, jthread self); /* the field of Thread that tells the probes where to count */
struct ch_silence {
    jthread thread;
    struct ch_block *block;
};
void ch_silence(JNIEnv *env, struct ch_silence *s); /* what this thread runs from now on is not counted */
void ch_silence_end(JNIEnv *env, struct ch_silence *s);
void ch_thread_started(JNIEnv *env, jthread thread);
void ch_thread_ended(JNIEnv *env, jthread thread);
extern struct ch_block ch_shared;
extern size_t ch_slots_taken; /* by classes */
/* Given to some class: a program may call the tracker with any number. */
static inline bool ch_slots_there(jint first, uint32_t n) {
    return first >= 0 && (size_t)first + n <= __atomic_load_n(&ch_slots_taken, __ATOMIC_RELAXED);
}
static inline bool ch_block_is_shared(const struct ch_block *b) { return b == &ch_shared; }
/* Never NULL; the shared block at worst. */
static inline struct ch_block *ch_block_self(void) { return ch_self.block ? ch_self.block : ch_block_take(); }
static inline struct ch_block *ch_block_for_count(void) { return ch_self.block ? ch_self.block : ch_block_of_few(); }
static inline uint64_t *ch_slot(struct ch_block *b, uint32_t id) { return (uint64_t *)b->slots.base + id; }

/* ---- pace.c: how often paced methods are timed */
bool ch_pace_start(void);
void ch_pace_measure(void); /* what probes cost here */
void ch_pace_class(uint32_t first_slot, uint32_t slots, const char *table, size_t bytes); /* as a woven class's table says */

void ch_pace_block(struct ch_block *b); /* a new block; lock held */
struct ch_paced {
    uint32_t slot, sample, budget, place; /* as in instrument/probes.py; place: UINT32_MAX where none is said */
};
bool ch_pace_next(const char **table, const char *end, struct ch_paced *out); /* the next paced method in a class's table */
void ch_pace_give_up(uint32_t slot, bool earlier); /* its method is only counted from now on, by all threads */
bool ch_pace_is_too_short(uint32_t slot); /* its method should be given up in the next run; lock held */

/* ---- allocation.c: sizes of objects as the JVM has them, and what allocation probes share with counting ones */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_countSlowly(JNIEnv *, jclass, jint slot, jthread thread);
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_arraySlowly(JNIEnv *, jclass, jlong bytes, jint slot, jthread thread);
void ch_allocation_start(JNIEnv *env);

/* ---- classname.c: where the JVM does not tell */
char *ch_class_name(const unsigned char *data, size_t bytes); /* malloc'ed; NULL where they are damaged */

/* ---- filter.c: which classes can a rule match, by name alone */
bool ch_filter_load(const char *text, size_t bytes);
bool ch_filter_match(JNIEnv *env, jobject loader, const char *name, const unsigned char *data, jint bytes, bool *in_jdk);
bool ch_filter_all_matched(void); /* may be false for a pattern whose classes an earlier one matched */
bool ch_filter_start(JNIEnv *env); /* once the module system is up */

/* ---- bridge.c: Python, when first needed, on a stack of ours */
void ch_bridge_look_around(void); /* for what forbids to start it at all */
bool ch_python_is_ready(void); /* starts it at the first call */
const char *ch_python_trouble(void); /* why it is not, once that was asked */
void ch_python_say_trouble(void);    /* once */
struct ch_verdicts { /* methods to be counted, see verdicts.c */
    const uint32_t *methods; /* their places, in order */
    uint32_t n;
    void *memory; /* malloc'ed, where they lie */
};
bool ch_python_weave(const char *name, const unsigned char *data, uint32_t bytes, bool in_jdk, struct ch_verdicts v, struct ch_woven *out);
char *ch_python_compile(const char *rules_file); /* compiled text, malloc'ed; NULL if that failed, which has been said */
void ch_bridge_rules(const char *text, size_t bytes);

/* ---- hash.c */
struct ch_key {
    uint64_t high, low;
};
struct ch_key ch_hash(struct ch_key seed, const void *data, size_t bytes); /* by the secret, so that nobody can aim at one */
struct ch_key ch_hash_unkeyed(struct ch_key seed, const void *data, size_t bytes);
uint64_t ch_checksum(struct ch_key seed, const void *data, size_t bytes);
struct ch_key ch_random_key(void);
void ch_hash_use(struct ch_key secret); /* before the first class is hashed */
bool ch_same_key(struct ch_key a, struct ch_key b);

/* ---- cache.c: woven classes of earlier runs */
bool ch_cache_is_open(void);
void ch_cache_open(const char *dir, const char *rules, size_t bytes);
bool ch_cache_has(struct ch_key key); /* there is a record, which may be damaged */
bool ch_cache_find(struct ch_key key, const char *name, size_t original_bytes, struct ch_woven *out); /* to be freed */
void ch_cache_add(struct ch_key key, const char *name, size_t original_bytes, const struct ch_woven *w, bool anew); /* anew: also where there is one already */
void ch_woven_free(struct ch_woven *w);

/* ---- copies.c: classes woven before in this JVM, by the same key */
uint32_t ch_copies_find(struct ch_key key); /* the first slot, UINT32_MAX if there is none */
void ch_copies_add(struct ch_key key, uint32_t first_slot);

/* ---- verdicts.c: which methods earlier runs found too short for their budgets */
void ch_verdicts_start(const char *program);
struct ch_verdicts ch_verdicts_find(struct ch_key class_key);
void ch_verdicts_apply(struct ch_key class_key, struct ch_verdicts v, uint32_t first_slot, const struct ch_woven *w); /* its slots are new */
void ch_verdicts_keep(void); /* at the end */

/* ---- sealed.c: classes woven ahead of time */
bool ch_find_sealed(const unsigned char *data, uint32_t bytes, struct ch_woven *out);

/* ---- hook.c */
void JNICALL ch_class_file_load_hook(jvmtiEnv *, JNIEnv *, jclass, jobject, const char *, jobject, jint, const unsigned char *,
                                     jint *, unsigned char **);
bool ch_hook_is_tracker(jobject loader, const char *name);
bool ch_hook_is_untouchable(jobject loader, const char *name);
bool ch_hook_may_match(JNIEnv *env, jobject loader, const char *name, const unsigned char *data, jint bytes, bool *in_jdk);
void ch_hook_skip(const char *name, const char *reason, const char *detail);  /* it is left as it is, which the report says */
void ch_hook_leave(const char *name, const char *reason, const char *detail); /* ... where a rule matches it and nobody counted that */
extern volatile bool ch_hook_on;

/* ---- loaders.c: which class loaders find the tracker */
enum ch_loader { CH_LOADER_READY, CH_LOADER_WAITS /* the class comes again */, CH_LOADER_REFUSES };
bool ch_loaders_prepare(JNIEnv *env, jclass tracker); /* at VMStart, when FindClass does not go to a loader of the program's yet */
bool ch_loaders_start(JNIEnv *env);
jclass ch_boot_class(JNIEnv *env, const char *name); /* of the boot loader, by its name with dots; NULL where there is none */
enum ch_loader ch_loader_ready(JNIEnv *env, jobject loader, jobject domain, jclass redefined, const char *name);
int64_t ch_loader_number(jobject loader); /* from 1 on; 0: the boot loader, or one that was never asked */
void JNICALL ch_class_prepare(jvmtiEnv *, JNIEnv *, jthread, jclass);
void ch_loaders_say_waiting(void); /* at the end */
jclass ch_class_for_name(JNIEnv *env, jstring name, jobject loader); /* NULL and an exception where there is none */

/* ---- loaded.c: classes that are loaded already */
void ch_loaded_start(JNIEnv *env); /* weaves what was loaded before */
void ch_retransform(JNIEnv *env, jint n, jclass *classes);
void ch_loaded_say_unnumbered(void); /* names the classes whose probes nobody numbered */
void ch_loaded_say_names(void); /* writes the loaded classes' names, for the report to say what a rule may have meant */

#endif
