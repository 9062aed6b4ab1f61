/* The counting layer: blocks of counters, shadow stacks, timing. It knows nothing about class files. */
#ifndef CLASSHOOK_COUNTING_H
#define CLASSHOOK_COUNTING_H
#include "../base/base.h"

extern bool ch_has_time;  /* some rule times methods */
extern bool ch_has_alloc; /* some rule counts allocations */
extern bool ch_has_profile; /* some rule profiles methods */
extern bool ch_only_sampling; /* there are rules, and none weaves anything */

/* ---- blocks.c: blocks of counters, one per thread */
struct ch_stack;
struct ch_contexts;
struct ch_block {
    struct ch_region slots, records;
    uint32_t index;
    size_t records_used;
    struct ch_stack *stack; /* for the platform thread that owns the block */
    struct ch_contexts *contexts; /* its tree of calls; NULL: none yet */
    bool treeless;                /* ... and there will be none */
    struct ch_block *next;  /* in the list of all blocks */
    struct ch_block *next_free;
    uint32_t window;       /* timed activations of paced methods left until the budget is checked */
    uint64_t random;       /* the state of ch_block_random */
    bool over_budget;      /* whether the last window was over budget */
    uint64_t window_cpu_ns; /* the thread's CPU time when this window began */
    uint64_t owner;         /* the thread that has it, for the sampler: see paths.c; 0: nobody */
    struct ch_seen *seen;   /* what the sampler saw last */
    uint64_t taken_wall_ns, ended_wall_ns; /* when the owner took it, and when the one before left it */
    uint64_t ended, ended_cpu_ns, all_ended_cpu_ns; /* the owner that left it last, its CPU time, and that of all who did, since they took it */
    uint64_t taken_cpu_ns;  /* the owner's CPU time when it took the block */
    uint64_t apart_ns;      /* CPU time that the agent used in the thread, weaving: not the program's */
};
struct ch_thread {
    struct ch_block *block;  /* NULL: none yet */
    struct ch_stack *stack;  /* the current stack, of this thread or of a mounted virtual thread; NULL: none yet */
    struct ch_stack *plain;  /* the current stack, if timing has nothing special to do in this thread: see timing.c; else NULL */
    struct ch_stack *own;    /* the platform thread's stack: its block's, or another one if it was made before the block */
    int64_t virtual_id;      /* ID of the virtual thread mounted here, or 0 */
    bool measuring;
    uint32_t session;        /* in which that was told: see stacks.c */
    uint32_t silent;         /* nonzero: count nothing, because the agent is asking a class loader, not the program */
    uint32_t rounds;         /* rounds of destructors run so far at the native thread's end */
    uint32_t counted;        /* events counted without a block of its own */
    struct ch_java_thread *java; /* for the sampler of stacks, see java_threads.c; NULL: none */
    struct ch_put_aside *below; /* the carrier's own path, while a virtual thread is mounted */
};
extern __thread struct ch_thread ch_self __attribute__((tls_model("initial-exec")));
#define CH_UNNUMBERED_SLOTS 65536u /* more probes than a class's constant pool has room for */
uint32_t ch_slots_take(uint32_t n); /* first of n new slots, the same in every block; UINT32_MAX if no more are left */
bool ch_unnumbered_ran(void); /* whether a probe ran that was never numbered */
struct ch_block *ch_block_take(void); /* for a thread without a block */
struct ch_block *ch_block_of_few(void); /* ... that has hardly run any code: at first this is the shared block */
uint64_t *ch_shared_slot(uint32_t id);
struct ch_block *ch_blocks(void); /* head of the list of all blocks; lock held */
size_t ch_record_allocate(struct ch_block *b, size_t bytes); /* position in b->records, SIZE_MAX if there is no room */
extern struct ch_block ch_shared;
extern size_t ch_slots_taken; /* slots given to classes */
/* Whether these slots belong to classes. A program may call the tracker with any number. */
static inline bool ch_slots_there(jint first, uint32_t n) {
    return first >= 0 && (size_t)first + n <= __atomic_load_n(&ch_slots_taken, __ATOMIC_RELAXED);
}
static inline bool ch_block_is_shared(const struct ch_block *b) { return b == &ch_shared; }
/* Never NULL; falls back to the shared block. */
static inline struct ch_block *ch_block_self(void) { return ch_self.block ? ch_self.block : ch_block_take(); }
static inline struct ch_block *ch_block_for_count(void) { return ch_self.block ? ch_self.block : ch_block_of_few(); }
static inline uint64_t *ch_slot(struct ch_block *b, uint32_t id) { return (uint64_t *)b->slots.base + id; }

static inline uint64_t ch_block_random(struct ch_block *b, uint64_t n) { /* below n; each block has a sequence of its own */
    if (!b->random) b->random = (uint64_t)b->index * 0x9E3779B97F4A7C15u + ch_monotonic_ns();
    return ch_random_below(&b->random, n);
}

/* Callbacks from blocks.c: when a block is made (lock held), when a thread takes it, and when that thread leaves it. */
struct ch_block_life {
    bool (*made)(struct ch_block *b);
    void (*taken)(struct ch_block *b);
    void (*left)(struct ch_block *b);
};
bool ch_blocks_start(struct ch_block_life life);
void ch_block_give_back(struct ch_block *b); /* its thread no longer needs it */
void ch_block_add(struct ch_block *b, jint slot, uint32_t further, uint64_t n); /* adds n to `slot` + `further`; any `slot` is safe */
/* A byte for each page of the slots from `first_slot` on, which begins one: odd, if it was ever touched. To read another one would allocate it. */
bool ch_block_pages(const struct ch_block *b, size_t first_slot, size_t bytes, unsigned char *resident);
bool ch_block_is_spare(void); /* whether a free block exists */

/* ---- threads.c: which thread has which block, and what probes do on a thread without one */
bool ch_threads_find(JNIEnv *env, jthread self); /* finds the field of Thread through which probes reach their block */
struct ch_silence {
    jthread thread;
    struct ch_block *block;
};
void ch_silence(JNIEnv *env, struct ch_silence *s); /* from now on, what this thread runs is not counted */
void ch_silence_end(JNIEnv *env, struct ch_silence *s);
void ch_thread_started(JNIEnv *env, jthread thread);
void ch_thread_ended(JNIEnv *env, jthread thread);
bool ch_threads_start(void);

/* ---- stacks.c: shadow stacks, see stacks.h */
void ch_stacks_forget_aside(void); /* those of unmounted virtual threads: VirtualThread is no longer woven, so nobody will ask for them */

/* ---- timing.c: histograms */
uint64_t ch_timing_calls(struct ch_block *b, uint32_t slot); /* that its record has counted */
uint32_t ch_octave(uint64_t ticks, uint32_t *step); /* the octave that counts this time, and the step within it */

/* ---- tree.c: trees of calls */
struct ch_calls {
    struct ch_region region;
    uint32_t *places; /* node + 1 by parent and slot, open addressing; 0: free */
    uint32_t room, most;
};
bool ch_calls_start(struct ch_calls *calls, enum ch_kind kind); /* lock held */
uint32_t ch_calls_node(struct ch_calls *calls, uint32_t parent, uint32_t slot); /* that of the parent, where there is no room */
uint32_t ch_calls_known(const struct ch_calls *calls, uint32_t parent, uint32_t slot); /* 0: there is none yet */
bool ch_calls_room_for(const struct ch_calls *calls, uint32_t n); /* and for as many short paths as there may still be */
void ch_calls_add(struct ch_calls *calls, uint32_t node, uint64_t cpu_ns, uint64_t wall_ns);
void ch_calls_interval(struct ch_calls *calls, uint64_t ns); /* since the last look at a thread that ran then, and ran since */
static inline struct ch_tree *ch_calls_tree(const struct ch_calls *calls) { return (struct ch_tree *)calls->region.base; } /* NULL before the start */
extern struct ch_calls ch_profiled; /* by sampler.c */
static inline struct ch_tree *ch_tree(void) { return ch_calls_tree(&ch_profiled); }
struct ch_path_times { /* of a method, by samples: wall time from entry to exit, recursion once; squares in us^2 */
    uint64_t cpu_self_ns, wall_ns;
    double cpu_squares;
};
uint64_t ch_calls_times(const struct ch_calls *calls, struct ch_path_times **of_slots); /* all CPU time; by slot, malloc'ed, NULL without a tree */
/* If some slots had no frames: adds to `own` the CPU time that would come to their callers' own; to the slot's itself, where no caller has a frame.
 * `part`: of a slot's time, how much; negative: it has frames. Both by slot. */
void ch_calls_merge(const struct ch_calls *calls, const float *part, double *own);

/* ---- pacing.c: how often paced methods are timed */
bool ch_pace_start(void);
void ch_pace_measure(void); /* measures what probes cost on this machine */
void ch_pace_class(uint32_t first_slot, uint32_t slots, const char *table, size_t bytes); /* sets the controls of a woven class */

void ch_pace_block(struct ch_block *b); /* prepares a new block; lock held */
struct ch_paced {
    uint32_t slot, sample, budget, place; /* as in instrument/weaving/probe_table.py; place: UINT32_MAX if absent */
};
bool ch_pace_next(const char **table, const char *end, struct ch_paced *out); /* the next paced method in a class's table */
/* What is done of a method with a budget. In verdicts, the tier follows the place's bits. */
enum ch_tier { CH_UNKNOWN, CH_TIMED, CH_PATH_SAMPLED, CH_ONLY_COUNTED, CH_TIERS };
/* The method is not timed any more, by no thread. `asks`: its code asks whether it is due. */
void ch_pace_give_up(uint32_t slot, enum ch_tier tier, bool earlier, bool asks);
struct ch_budgeted { /* such a method and what this run tells of it */
    uint32_t slot, budget, place; /* budget: per mille */
    enum ch_tier tier;
    float self_ns, variance; /* CPU time that a call takes by itself, and the square of its standard error */
    float counted; /* of its own CPU time, the part of methods below it that are only counted; of one of these, the part that no frame is above */
    double mean_ns;          /* wall time from entry to exit */
    uint64_t calls, exceptions, cpu_self_ns;
    uint64_t timings; /* of all blocks, and their ticks */
    int64_t ticks;
    uint32_t hour; /* since 1970, when these were found */
};
void ch_pace_figures(struct ch_budgeted *methods, size_t n, const struct ch_path_times *times); /* lock held */
void ch_pace_remember(const struct ch_budgeted *m); /* what an earlier run found, for the report */
uint64_t ch_pace_cost_ns(void); /* of a timed activation, in a real program */

/* ---- tiers.c: what the next run does of methods with a budget */
void ch_tiers_decide(struct ch_budgeted *methods, size_t n); /* from what this run did to what the next one does */

/* ---- paths.c: what profiled methods run in each thread */
struct ch_path {
    int32_t depth;
    uint8_t zero[CH_PATH_AT - sizeof(int32_t)]; /* what is written with each call has a cache line of its own */
    uint32_t slots[CH_PATH_FRAMES];
};
static inline struct ch_path *ch_path(const struct ch_block *b) { return (struct ch_path *)(b->slots.base + ch_room.slots * 8 + CH_CHUNK); }
#define CH_BLOCK_BYTES (ch_room.slots * 8 + CH_CHUNK + sizeof(struct ch_path)) /* of slots, what lies behind the last, and the path */
void ch_path_taken(struct ch_block *b); /* by this thread */
void ch_path_left(struct ch_block *b);
uint32_t ch_path_takings(void); /* so far: the number in the owner of the block that was taken last */
struct ch_apart {
    struct ch_block *block;
    uint64_t cpu_ns;
};
struct ch_apart ch_apart_begin(void); /* what this thread does now is the agent's work, not the program's */
void ch_apart_end(struct ch_apart a);
int32_t ch_path_push(struct ch_block *b, uint32_t slot); /* the frame's depth; -1: the block has no path */
void ch_path_pop(struct ch_block *b, int32_t depth);
void ch_path_mounted(int64_t id);
void ch_path_unmounting(int64_t id);
void ch_path_forget_aside(void); /* as ch_stacks_forget_aside */
static inline uint32_t ch_owner_tid(uint64_t owner) { return (uint32_t)owner; }

/* ---- frames.c: a path as the sampler saw it last */
struct ch_frames {
    uint32_t n, room;
    struct step {
        uint32_t slot, node;
    } *steps;
};
/* The node of the path that the thread is on; of its outer part, if the rest changes too fast (`torn`). `idle`: it is as it was at the last look. */
uint32_t ch_frames_read(const struct ch_path *path, struct ch_frames *seen, bool *idle);

/* ---- period.c: how often the sampler wakes */
bool ch_period_asked(const char *table, size_t bytes); /* by a class's table: whether any is; takes note of it */
uint64_t ch_period(void);                              /* ns; 0: nobody asked for one */
void ch_period_learn(uint64_t own_ns);                 /* the CPU time that the sampler uses for a wake */

/* ---- looks.c: what both samplers share: when to look, and what the kernel says of a thread */
struct ch_moments {
    uint64_t start, state; /* of the period; of the random numbers */
};
struct ch_moments ch_moments_begin(void);
uint64_t ch_next_moment(struct ch_moments *moments, uint64_t period); /* a random one in the next period */
bool ch_cpu_clock(uint32_t tid, uint64_t *ns); /* false: it has ended */
struct ch_asked { /* what the kernel said of a thread when it was asked last */
    uint64_t waits, cpu_ns; /* how often it had waited */
};
bool ch_was_interrupted(uint32_t tid, struct ch_asked *last, uint64_t now);
void ch_be_prompt(void); /* this thread should be woken at once */

/* ---- sampler.c: one thread that looks at all paths */
void ch_contexts_class(const char *table, size_t bytes); /* a class is woven: contexts.c makes trees if its methods are to be in one */
void ch_sampler_class(const char *table, size_t bytes); /* a class is woven: starts the sampler where it has profiled methods */
void ch_sampler_stop(void);
void ch_sampler_resume(void); /* if it was stopped, and looked at paths before */

/* ---- java_threads.c: all Java threads, for the sampler of stacks */
struct ch_java_thread {
    struct ch_java_thread *next; /* in the list of new ones */
    jobject thread;
    uint32_t tid; /* 0: unknown */
    bool ended;
    uint64_t ended_cpu_ns, ended_wall_ns;
    /* what the sampler saw last, and at first what there was at the thread's start */
    uint64_t cpu_ns, wall_ns;
    uint64_t waiting_ns, given_ns; /* CPU time used, but not seen used; and what was */
    struct ch_asked asked;
    uint64_t due, backoff; /* in periods */
    uint32_t node, ran;    /* its stack; and when it was last seen running, 0: never */
    bool seen;
};
void ch_java_thread_started(JNIEnv *env, jthread thread);
void ch_java_thread_ended(void); /* this thread */
void ch_java_threads_find(JNIEnv *env, jthread self); /* those that are there at VMInit */
struct ch_java_thread *ch_java_threads_new(void); /* since the last call */
bool ch_java_thread_clock(const struct ch_java_thread *t, uint64_t *ns); /* false: it has ended */
jobject ch_new_thread(JNIEnv *env, const char *name); /* a thread of the agent's, a global reference; NULL: it could not be made */
void ch_java_thread_free(JNIEnv *env, struct ch_java_thread *t);

/* ---- java_stacks.c: stacks of Java threads as paths in a tree */
#define CH_MOST_DEPTH 1024u
bool ch_java_stacks_start(void);
void ch_java_stacks_find(JNIEnv *env); /* the fields that lead to a mounted virtual thread */
uint32_t ch_java_stack(JNIEnv *env, struct ch_calls *calls, jthread thread, uint32_t depth, uint32_t *taken); /* its node; how many frames were taken */

/* ---- cpu.c: the sampler of stacks */
void ch_cpu_rule(uint64_t period_us, uint32_t depth); /* there is a rule `cpu` */
bool ch_cpu_wanted(void);
bool ch_cpu_runs(void);
bool ch_cpu_prepare(JNIEnv *env); /* before the class hook is on */
void ch_cpu_start(JNIEnv *env, jthread self); /* at VMInit */
void ch_cpu_stop(void); /* at VMDeath, or until it is started again */

/* ---- coverage.c: which probes were hit */
extern bool ch_has_cover; /* some rule asks for coverage */
bool ch_coverage_start(void);
void ch_coverage_begin(JNIEnv *env); /* another session: what was hit before is forgotten */
bool ch_coverage_unnumbered_hit(void); /* whether a probe was hit that was never numbered */

/* ---- allocation.c: object sizes as the JVM reports them, and natives shared by allocation and counting probes */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_countSlowly(JNIEnv *, jclass, jint slot, jthread thread);
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_arraySlowly(JNIEnv *, jclass, jlong bytes, jint slot, jthread thread);
void ch_allocation_start(JNIEnv *env);
bool ch_allocates(const char *table, size_t bytes, bool (*that)(const char *type, size_t n)); /* whether a site allocates objects of such a type */
bool ch_has_foreign_objects(const char *table, size_t bytes); /* whether a site allocates objects of a class outside java.* */
#endif
