/* Times of calls, the stacks and paths that they need, and the exact tree of calls. */
#ifndef CLASSHOOK_TIMING_H
#define CLASSHOOK_TIMING_H
#include "../blocks/call_tree.h"
#include "../table/probe_table.h"

/* ---- shadow_stacks.c: shadow stacks, see shadow_stacks.h */
/* those of unmounted virtual threads: VirtualThread is no longer woven, so nobody will ask for them */
void ch_stacks_drop_unmounted(void);

/* ---- timing_records.c: records of timed methods, and their histograms */
uint32_t ch_octave(uint64_t ticks, uint32_t *step); /* the octave that counts this time, and the step within it */

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
static inline struct ch_path *ch_path(const struct ch_block *b) {
    return (struct ch_path *)(b->slots.base + ch_room.slots * 8 + CH_CHUNK);
}
/* How many of the path's frames are there, by its depth. */
static inline uint32_t ch_path_frames(int32_t depth) {
    return depth < 0 ? 0 : depth < CH_PATH_FRAMES ? (uint32_t)depth : CH_PATH_FRAMES;
}
#define CH_BLOCK_BYTES \
    (ch_room.slots * 8 + CH_CHUNK + sizeof(struct ch_path)) /* of slots, what lies behind the last, and the path */
void ch_path_taken(struct ch_block *b); /* by this thread */
void ch_path_left(struct ch_block *b);
uint32_t ch_path_takings(void); /* so far: the number in the owner of the block that was taken last */
struct ch_apart {
    struct ch_block *block; /* NULL: nothing is noted */
};
struct ch_apart ch_apart_begin(void); /* what this thread does now is the agent's work, not the program's */
void ch_apart_end(struct ch_apart a);
uint64_t ch_apart_until(const struct ch_apart_time *time, uint64_t now); /* so much until now, by the same clock */
int32_t ch_path_push(struct ch_block *b, uint32_t slot); /* the frame's depth; -1: the block has no path */
void ch_path_pop(struct ch_block *b, int32_t depth);
void ch_path_replace(struct ch_block *b, int32_t depth, uint32_t slot); /* the frame at this depth */
void ch_path_mounted(int64_t id);
void ch_path_unmounting(int64_t id);
void ch_paths_drop_unmounted(void); /* as ch_stacks_drop_unmounted */
static inline uint32_t ch_owner_tid(uint64_t owner) { return (uint32_t)owner; }

/* ---- exact_tree.c */
extern const struct ch_measure ch_measure_tree;
void ch_exact_tree_taken(struct ch_block *b); /* this thread has taken the block */
#endif
