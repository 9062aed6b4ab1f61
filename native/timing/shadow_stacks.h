/* The shadow stack, for the modules that own or modify one. */
#ifndef CLASSHOOK_STACKS_H
#define CLASSHOOK_STACKS_H
#include "timing.h"

/* The properties of unusual frames. */
enum {
    CH_NESTED = 1,   /* within another timed activation of the method */
    CH_SAMPLED = 2,  /* it stands for others */
    CH_IN_TREE = 8,
    CH_CHARGED = 16, /* its `callees` include what measuring the cost of probes took */
    CH_ESTIMATED = 32, /* ... or estimates */
    CH_AROUND = 128,      /* it began in the block around a context that goes on, and ends there: see attribution.c */
    CH_BOTTOM = 64   /* no frame: below the outermost one, so that each frame has one below it */
};

/* Above the topmost frame, all but the first three fields are zero. */
struct ch_frame {
    uint64_t start;
    struct ch_record
        *record; /* in the thread's own block; frames of stacks that change blocks have their record by `id` */
    uint32_t id, special;
    int64_t callees;      /* ticks to be taken off its self time: what it called, and the probes of that */
    uint64_t below;       /* timed activations below it that have ended */
    int64_t probes,
        probes_below; /* what probes took: in its own time beside those it called, and in all below it, in ticks */
    uint64_t zero;
    /* what most frames need not look at has a cache line of its own */
    uint32_t weight;
    float squares; /* the variance of `callees`, where they are estimates */
    uint32_t exact_node; /* its node in the exact tree of calls, or that of its nearest caller that has one; 0: none */
    /* of a sampled one: where the sampled one is that it is below, 0: there is none; how many calls of the method there
     * had been; and how many of those since are below a sampled one */
    uint32_t outer;
    uint64_t calls, covered;
    int64_t beyond; /* what is to be taken off more from the self time of frames further out, beside `callees` */
    uint64_t zeros[3];
};

enum { CH_REGIONS = 64 };
#define CH_NO_TIME ((uint64_t)INT64_MAX)
struct ch_stack {
    struct ch_frame *frames; /* the first one is no frame: the outermost one is at 1, the topmost at `depth` */
    uint32_t depth, room;
    uint64_t last; /* when a timed activation ended last; CH_NO_TIME: it tells nothing */
    uint64_t since; /* when the probe that measured last read the clock */
    bool fenced; /* nothing but the program has run since then */
    bool is_virtual;
    int64_t owner; /* ID of the virtual thread, while it is unmounted */
    CH_TABLE(struct ch_numbered) active; /* methods, by ID; virtual stacks only, see shadow_stacks.c */
    struct ch_exact_tree *exact_tree; /* whose nodes the frames have */
    uint32_t regions; /* in how many the thread is: regions.c */
    uint32_t inside[CH_REGIONS]; /* how deep, in each */
    struct ch_stack *next;
};

_Static_assert(sizeof(struct ch_frame) == 128 && offsetof(struct ch_frame, weight) == 64, "two cache lines");

/* shadow_stacks.c */
struct ch_stack *ch_stack_new(bool is_virtual);
struct ch_stack *ch_stack_take(void); /* an empty stack for a virtual thread; NULL: no memory */
void ch_stack_outside(struct ch_stack *s); /* it is in no region any more */
void ch_stack_stood_still(struct ch_stack *s, uint64_t ticks); /* time that belongs to none of its activations */
void ch_stack_spare(struct ch_stack *s); /* gives back an empty stack */
bool ch_stack_is_of(int64_t id); /* as is known of this thread: it runs that virtual thread; 0: none */
void ch_stack_mounted(int64_t id); /* this thread runs a virtual thread from now on */
int64_t ch_stack_leaves(void); /* the virtual thread that it is about to leave; 0: none that is known */
void ch_stack_unmounting(int64_t id); /* it leaves it */
void ch_stack_of_session(void); /* on a virtual thread: a stack that an earlier session left is given up */
bool ch_stack_grow(struct ch_stack *s);
bool ch_active_enter(struct ch_stack *s, uint32_t id); /* true if the method was not active before */
void ch_active_leave(struct ch_stack *s, uint32_t id);

struct ch_context_entered; /* a context; it stays for good */

/* A context that a thread is in. */
struct ch_scope {
    struct ch_scope *outer;
    struct ch_context_entered *context; /* NULL: what runs is in none; it counts in the thread's own block */
    struct ch_block *from, *to; /* the thread's block around it, and within */
    uint32_t depth; /* 1: there is none around it */
    uint32_t frames; /* of the shadow stack, when it began */
    /* its begin and end are calls of their own: frames may end within it that began before, and the other way round */
    bool apart;
    bool of_task; /* it was begun where a task runs that was submitted in this context */
    bool by_mount; /* a virtual thread is not in the contexts of its carrier */
    bool follows; /* it belongs to whatever threads without a test of their own belong to: see `ambient` */
    struct ch_context_entered *origin; /* ... and to this one if that is none */
    bool onward; /* its method has ended, and it lasts as long as the one around it */
    uint64_t began; /* the activation that ends with it, in ticks; 0: none does, or its time is not wanted */
};

/* The block in which a frame with CH_AROUND, at this depth of the thread's stack, began. */
static inline struct ch_block *ch_scope_block_around(struct ch_block *here, uint32_t depth) {
    const struct ch_scope *s = ch_self.scope;
    while (s && !(s->onward && s->frames < depth)) s = s->outer;
    return s ? s->from : here;
}

/* timing.c */
struct ch_stack *ch_stack_of_thread(struct ch_block *b); /* given its block; NULL: no memory */
/* frames above this depth, which ended without an exit */
void ch_stack_drop(struct ch_stack *s, struct ch_block *b, uint32_t depth);
void ch_stack_clear(struct ch_stack *s, struct ch_block *b);
void ch_stack_leave(struct ch_block *b); /* the thread ends: frees its stack for reuse */
uint64_t
ch_timing_arrival(void); /* the first thing that a probe does which calls the next one: the time, if that is needed */
/* times a paced method already counted; its depth or 0 */
jint ch_timing_begin(struct ch_block *b, uint32_t id, uint32_t weight, uint64_t arrived);

#endif
