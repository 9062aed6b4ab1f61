/* Blocks of counters, one for each thread. */
#ifndef CLASSHOOK_BLOCKS_H
#define CLASSHOOK_BLOCKS_H
#include "../measure/measure.h"
#include "written_pages.h"

struct ch_stack;
struct ch_thread_name; /* see thread_names.c */
struct ch_exact_tree;
struct ch_scope;
#define CH_MOST_BLOCKS 32768u
#define CH_BLOCK_BYTES (ch_room.slots * 8 + CH_CHUNK) /* of slots, and what lies behind the last */
struct ch_block {
    struct ch_region slots, records;
    struct ch_written written[2]; /* of both, when the block was sealed last */
    uint32_t index;
    struct ch_thread_name *thread_name; /* of the threads that count in it; NULL: any */
    size_t records_used;
    struct ch_stack *stack; /* for the platform thread that owns the block */
    struct ch_exact_tree *exact_tree; /* its tree of calls; NULL: none yet */
    bool treeless;                /* ... and there will be none */
    struct ch_block *next;  /* in the list of all blocks */
    struct ch_block *next_free;
    struct ch_block *older, *newer; /* of the blocks of contexts that no thread is in: see context_blocks.c */
    struct ch_context_blocks *context; /* whose it is then */
    uint64_t random;       /* the state of ch_block_random */
};
struct ch_thread {
    struct ch_block *block; /* NULL: none yet */
    struct ch_stack *stack; /* the current stack, of this thread or of a mounted virtual thread; NULL: none yet */
    struct ch_stack
        *plain; /* the current stack, if timing has nothing special to do in this thread: see timing.c; else NULL */
    struct ch_stack *own; /* the platform thread's stack: its block's, or another one if it was made before the block */
    struct ch_thread_name *thread_name; /* NULL: none yet, or threads are not told apart by name */
    uint32_t number; /* that Java gives the thread, or the slot of its name, as far as that was told */
    int64_t virtual_id; /* ID of the virtual thread mounted here, or 0 */
    bool measuring;
    bool tracker_stores; /* in the Thread object, where it counts: see moved_threads.c */
    bool moved; /* ... since the native began */
    uint32_t session; /* in which that was told: see shadow_stacks.c */
    uint32_t silent; /* nonzero: count nothing, because the agent is asking a class loader, not the program */
    uint32_t rounds; /* rounds of destructors run so far at the native thread's end */
    uint32_t ambience; /* ch_ambience, when the thread last looked: see attribution.c */
    uint32_t mounts; /* how often mounting had begun to be seen then: see virtual_threads.c */
    uint32_t counted; /* events counted without a block of its own */
    struct ch_java_thread *java; /* for the sampler of stacks, see java_threads.c; NULL: none */
    struct ch_scope *scope; /* the innermost context that it is in; NULL: none */
    struct ch_scope *carriers; /* the one that the carrier was in when a virtual thread was mounted */
    struct ch_block *home; /* its own block while it is in one, else NULL */
    /* how many pieces of the agent's work are nested in this thread: looking for a class may load another one */
    uint32_t agents_depth;
    struct ch_agents_work *agents_work; /* see agents_work.c; NULL: none was noted */
};
extern __thread struct ch_thread ch_self __attribute__((tls_model("initial-exec")));
/* Changes whenever threads belong to another context than before, unless they have one of their own, and when virtual
 * threads begin to be followed; then they follow, each by itself. */
extern uint32_t ch_ambience;
extern void (*ch_ambience_follow)(JNIEnv *env, jthread carrier); /* `carrier`: this thread, or NULL */
static inline void ch_follow(JNIEnv *env, jthread carrier) {
    if (__builtin_expect(ch_self.ambience != ch_load_relaxed(&ch_ambience), 0)) ch_ambience_follow(env, carrier);
}
#define CH_UNNUMBERED_SLOTS 65536u /* more probes than a class's constant pool has room for */
uint32_t ch_slots_take(uint32_t n); /* first of n new slots, the same in every block; UINT32_MAX if no more are left */
bool ch_unnumbered_ran(void); /* whether a probe ran that was never numbered */
struct ch_block *ch_block_take(void); /* for a thread without a block */
/* ... that has hardly run any code: at first this is the shared block, unless threads count by name */
struct ch_block *ch_block_of_few(void);
bool ch_blocks_may_be_more(void); /* whether threads may have blocks that others cannot use */
struct ch_block *ch_block_made(void); /* a new one, for a context; NULL: there is no room */
uint64_t ch_block_bytes(void); /* that a block may take, as far as is known */
uint64_t *ch_shared_slot(uint32_t id);
extern struct ch_region ch_block_keys; /* no base: there are none yet */
/* blocks have keys, in the data file; lock held; false: there is no room. It may be called again */
bool ch_keys_start(void);
struct ch_block_key *ch_block_key(const struct ch_block *b);
struct ch_block *ch_blocks(void); /* head of the list of all blocks; lock held */
bool ch_records_open(struct ch_block *b); /* false: there is no room */
size_t ch_record_allocate(struct ch_block *b, size_t bytes); /* position in b->records, SIZE_MAX if there is no room */
extern struct ch_block ch_shared;
extern size_t ch_slots_taken; /* slots given to classes */
/* True if these slots belong to classes. A program may call the tracker with any number. */
static inline bool ch_slots_there(jint first, uint32_t n) {
    return first >= 0 && (size_t)first + n <= ch_load_relaxed(&ch_slots_taken);
}
static inline bool ch_block_is_shared(const struct ch_block *b) { return b == &ch_shared; }
/* Never NULL; falls back to the shared block. */
static inline struct ch_block *ch_block_self(void) { return ch_self.block ? ch_self.block : ch_block_take(); }
static inline struct ch_block *ch_block_for_count(void) { return ch_self.block ? ch_self.block : ch_block_of_few(); }
static inline uint64_t *ch_slot(struct ch_block *b, uint32_t id) { return (uint64_t *)b->slots.base + id; }

static inline uint64_t ch_block_random(struct ch_block *b,
                                       uint64_t n) { /* below n; each block has a sequence of its own */
    if (!b->random) b->random = (uint64_t)b->index * 0x9E3779B97F4A7C15u + ch_monotonic_ns();
    return ch_random_below(&b->random, n);
}

/* Callbacks from blocks.c: when a block is made (lock held), when a thread takes it, and when that thread leaves it;
 * and when a thread needs one that has no name, where threads count by name. */
struct ch_block_life {
    bool (*made)(struct ch_block *b);
    void (*taken)(struct ch_block *b);
    void (*left)(struct ch_block *b);
    void (*unnamed)(void);
};
bool ch_blocks_start(struct ch_block_life life);
void ch_block_give_back(struct ch_block *b); /* its thread no longer needs it */
/* adds n to `slot` + `further`; any `slot` is safe */
void ch_block_add(struct ch_block *b, jint slot, uint32_t further, uint64_t n);
bool ch_block_is_spare(void); /* whether a free block exists */

/* ---- coverage.c: which probes were hit */
extern const struct ch_measure ch_measure_coverage;
bool ch_coverage_start(void);
bool ch_coverage_unnumbered_hit(void); /* whether a probe was hit that was never numbered */
#endif
