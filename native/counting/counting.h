/* The counting layer: blocks of counters, shadow stacks, timing. It knows nothing about class files. */
#ifndef CLASSHOOK_COUNTING_H
#define CLASSHOOK_COUNTING_H
#include "blocks.h"
#include "../table/probe_table.h"

/* ---- thread_blocks.c: which thread has which block, and what probes do on a thread without one */
bool ch_threads_find(JNIEnv *env, jthread self); /* finds the field of Thread through which probes reach their block */
struct ch_silence {
    jthread thread;
    struct ch_block *block;
};
void ch_silence(JNIEnv *env, struct ch_silence *s); /* from now on, what this thread runs is not counted */
void ch_silence_end(JNIEnv *env, struct ch_silence *s);
jthread ch_thread_current(JNIEnv *env); /* this thread, or what carries it; runs Java. NULL: it cannot be found */
void ch_thread_started(JNIEnv *env, jthread thread);
void ch_thread_store(JNIEnv *env, jthread thread, struct ch_block *b); /* in the Thread object: where its probes count from now on */
void ch_threads_look(JNIEnv *env); /* the next probe of each other thread takes the slow path, where the thread looks for its block; runs Java */
void ch_thread_ended(JNIEnv *env, jthread thread);
bool ch_threads_start(void);

/* ---- moved_threads.c: natives of the tracker that may move the thread to another block */
void ch_thread_counts_in(JNIEnv *env, jthread thread, struct ch_block *b); /* this platform thread's probes, from now on */
void ch_may_move(void); /* the native begins */
jlong ch_moved(jint number); /* ... and ends with this result */

/* ---- shadow_stacks.c: shadow stacks, see shadow_stacks.h */
void ch_stacks_drop_unmounted(void); /* those of unmounted virtual threads: VirtualThread is no longer woven, so nobody will ask for them */

/* ---- virtual_threads.c */
/* From now on mounting is seen: each thread looks which virtual thread it runs, if any, before it counts again. Runs Java. */
void ch_mounts_look(JNIEnv *env);
bool ch_virtual_threads_by_events(JNIEnv *env); /* follows them without VirtualThread; false: this JVM has no such events */

/* ---- timing_records.c: records of timed methods, and their histograms */
uint32_t ch_octave(uint64_t ticks, uint32_t *step); /* the octave that counts this time, and the step within it */

/* ---- call_tree.c: trees of calls */
struct ch_calls {
    struct ch_region region;
    CH_TABLE(struct ch_numbered) numbers; /* of nodes, by parent and slot */
    uint32_t most;
};
bool ch_calls_start(struct ch_calls *calls, enum ch_kind kind); /* lock held */
uint32_t ch_calls_node(struct ch_calls *calls, uint32_t parent, uint32_t slot); /* that of the parent, where there is no room */
uint32_t ch_calls_known(const struct ch_calls *calls, uint32_t parent, uint32_t slot); /* 0: there is none yet */
bool ch_calls_room_for(const struct ch_calls *calls, uint32_t n); /* and for as many short paths as there may still be */
void ch_calls_add(struct ch_calls *calls, uint32_t node, uint64_t cpu_ns, uint64_t wall_ns);
void ch_calls_interval(struct ch_calls *calls, uint64_t ns); /* since the last look at a thread that ran then, and ran since */
static inline struct ch_tree *ch_calls_tree(const struct ch_calls *calls) { return (struct ch_tree *)calls->region.base; } /* NULL before the start */
extern struct ch_calls ch_profiled; /* by path_sampler.c */
static inline struct ch_tree *ch_tree(void) { return ch_calls_tree(&ch_profiled); }

/* ---- timing_cost.c: what probes cost on this machine */
extern const struct ch_measure ch_measure_time;

/* ---- pacing.c: which activations of a method are timed, if not all are */
bool ch_pace_start(void);
void ch_pace_class(const struct ch_woven_class *woven);

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
void ch_path_replace(struct ch_block *b, int32_t depth, uint32_t slot); /* the frame at this depth */
void ch_path_mounted(int64_t id);
void ch_path_unmounting(int64_t id);
void ch_paths_drop_unmounted(void); /* as ch_stacks_drop_unmounted */
void ch_scopes_drop_unmounted(void);
static inline uint32_t ch_owner_tid(uint64_t owner) { return (uint32_t)owner; }

/* ---- path_reader.c: a path as the sampler saw it last */
struct ch_frames {
    uint32_t n, room;
    struct step {
        uint32_t slot, node;
    } *steps;
};
/* The node of the path that the thread is on, below `root`; of its outer part, if the rest changes too fast (`torn`). `idle`: it is as it was at the last
 * look, which had the same root. */
uint32_t ch_frames_read(const struct ch_path *path, uint32_t root, struct ch_frames *seen, bool *idle);

/* ---- sampling_period.c: how often the sampler wakes */
bool ch_period_asked(const char *table, size_t bytes); /* by a class's table: whether any is; takes note of it */
uint64_t ch_period(void); /* ns; 0: nobody asked for one */
void ch_period_learn(uint64_t own_ns); /* the CPU time that the sampler uses for a wake */

/* ---- sampling_schedule.c: what both samplers share: when to look, and what the kernel says of a thread */
struct ch_moments {
    uint64_t start, state; /* of the period; of the random numbers */
};
struct ch_moments ch_moments_begin(void);
uint64_t ch_next_moment(struct ch_moments *moments, uint64_t period); /* a random one in the next period */
bool ch_cpu_clock(uint32_t tid, uint64_t *ns); /* false: it has ended */
struct ch_thread_activity { /* what the kernel said of a thread when it was asked last */
    uint64_t waits, cpu_ns; /* how often it had waited */
};
bool ch_was_interrupted(uint32_t tid, struct ch_thread_activity *last, uint64_t now);
void ch_shorten_time_slice(void); /* this thread should be woken at once */

/* ---- path_sampler.c: one thread that looks at all paths */
extern const struct ch_measure ch_measure_profile;

/* ---- exact_tree.c */
extern const struct ch_measure ch_measure_tree;
void ch_contexts_taken(struct ch_block *b); /* this thread has taken the block */

/* ---- java_threads.c: all Java threads, for the sampler of stacks */
struct ch_java_thread {
    struct ch_java_thread *next; /* in the list of new ones */
    jobject thread;
    uint32_t tid; /* 0: unknown */
    uint32_t context; /* the slot of the context that it is in, which it sets itself; 0: none */
    uint32_t number; /* that Java gives it, once that was asked */
    bool ended;
    uint64_t ended_cpu_ns, ended_wall_ns;
    /* what the sampler saw last, and at first what there was at the thread's start */
    uint64_t cpu_ns, wall_ns;
    uint64_t waiting_ns, given_ns; /* CPU time used, but not seen used; and what was */
    struct ch_thread_activity asked;
    uint64_t due, backoff; /* in periods */
    uint32_t node, ran; /* its stack; and when it was last seen running, 0: never */
    bool seen;
};
uint32_t ch_java_number(JNIEnv *env, jthread thread); /* that Java gives a thread; 0: unknown */
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
jthread ch_java_mounted_on(JNIEnv *env, jthread carrier); /* that virtual thread, a local reference; NULL: none, or it cannot be found */
struct ch_stack_form {
    uint32_t depth;
    bool lines; /* a method's frames are told apart by them */
    uint32_t thread; /* below whose node it is; 0: threads are not told apart */
};
uint32_t ch_java_stack(JNIEnv *env, struct ch_calls *calls, const struct ch_java_thread *t, struct ch_stack_form form,
                       uint32_t *taken); /* its node; how many frames were taken */

/* ---- cpu_sampler.c: the sampler of stacks */
extern const struct ch_measure ch_measure_cpu;

/* ---- coverage.c: which probes were hit */
extern const struct ch_measure ch_measure_coverage;
bool ch_coverage_start(void);
bool ch_coverage_unnumbered_hit(void); /* whether a probe was hit that was never numbered */

/* ---- allocation_sites.c: object sizes as the JVM reports them */
void ch_allocation_start(JNIEnv *env);
bool ch_allocates(const char *table, size_t bytes, bool (*that)(struct ch_text type)); /* whether a site allocates objects of such a type */
bool ch_has_foreign_objects(const char *table, size_t bytes); /* whether a site allocates objects of a class outside java.* */
#endif
