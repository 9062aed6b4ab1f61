/* Timing: a shadow stack for each thread, and what an activation adds to its method's record.
 *
 * 1. enter pushes a frame and returns the new depth, or 0 if it could not; the woven method keeps the depth in a local variable.
 * 2. exit is passed that depth and pops the frame. Frames above it ended without an exit (a StackOverflowError in a probe, a super()
 *    that threw): they are counted in `calls` only, and the time of their callees passes to the frame below.
 * 3. Self time is the activation's time minus that of the timed methods it called. Only the outermost activation of a method on the
 *    stack adds to total time.
 *    What probes took is subtracted: inside an activation's two readings of the clock, as measured at the start; and outside those of each timed
 *    activation below it, as its method's own probes take in this run: one activation in MEASURED is measured with two further readings.
 *    (The report takes off more of the former, if the run shows it: instrument/measures/floor.py.)
 * 4. Of a paced method, one activation of N is timed and counts N times. It also counts N times when its time is subtracted from its
 *    caller's self time, so sums are right on average. How far off they may be is known from the sum of N (N - 1) t^2 over these times t: the
 *    variance, if each call is timed with a chance of 1 in N. Even gaps make it smaller.
 * 5. A record belongs to the block of the thread or carrier. Whether a method is already active is kept in the record or, for a virtual
 *    thread, in its stack (stacks.c).
 * 6. A thread without a block of its own, which has hardly run any code yet (threads.c), uses the shared block's records, under a lock, and
 *    a stack like a virtual thread's.
 */
#include "contexts.h"
#include <pthread.h>
#include "../base/clock.h"

enum {
    MEASURED = 64,
    OUTLIER = 64 /* times the cost at the start: the thread was interrupted */
};
/* A JNI call from Java and back, in picoseconds (tests/bench/probes.py); entry and exit make one each, of which about half is between the readings. */
enum { CALL_PS = 4500 };

/* What timing costs between the clock's readings and outside them; a reading, and a JNI call; in ticks. */
static uint64_t inside, outside, reading, call;

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the shared block's records */

static inline void lock_shared(const struct ch_block *b) {
    if (__builtin_expect(ch_block_is_shared(b), 0)) pthread_mutex_lock(&shared_lock);
}

static inline void unlock_shared(const struct ch_block *b) {
    if (__builtin_expect(ch_block_is_shared(b), 0)) pthread_mutex_unlock(&shared_lock);
}

/* ---- records */

/* The record at this position in the block, or NULL. */
static inline struct ch_record *known(const struct ch_block *b, uint64_t at) {
    /* not a timed method's slot, or a counting probe wrote to it */
    if (__builtin_expect(!at || at % CH_UNIT || at + sizeof(struct ch_record) > b->records_used, 0)) return NULL;
    return (struct ch_record *)(b->records.base + at);
}

static __attribute__((noinline)) struct ch_record *new_record(struct ch_block *b, uint64_t *slot) {
    size_t at = ch_record_allocate(b, sizeof(struct ch_record));
    if (at == SIZE_MAX) return NULL;
    struct ch_record *r = (struct ch_record *)(b->records.base + at);
    r->min = UINT64_MAX;
    r->cost = 16 * outside;
    *slot = at;
    return known(b, at);
}

static inline struct ch_record *record(struct ch_block *b, uint32_t id) {
    uint64_t *slot = ch_slot(b, id);
    return __builtin_expect(!*slot, 0) ? new_record(b, slot) : known(b, *slot);
}

void ch_timing_add(struct ch_block *b, uint32_t id, struct ch_times *to) {
    struct ch_record *r = known(b, *ch_slot(b, id));
    if (!r || !r->timed) return;
    to->n += r->timed - 1;
    to->sum += (int64_t)(r->sum - r->max);
}

uint64_t ch_timing_calls(struct ch_block *b, uint32_t id) {
    struct ch_record *r = known(b, *ch_slot(b, id));
    return r ? r->calls : 0;
}

/* Octave 0 is linear below CH_OCTAVE_STEPS; octave n holds [steps << (n-1), steps << n), the last one also everything longer. */
uint32_t ch_octave(uint64_t ticks, uint32_t *step) {
    int octave = ticks < CH_OCTAVE_STEPS ? 0 : 59 - __builtin_clzll(ticks);
    if (octave >= CH_OCTAVES) octave = CH_OCTAVES - 1;
    *step = octave ? (ticks >> (octave - 1)) & (CH_OCTAVE_STEPS - 1) : (uint32_t)ticks;
    return (uint32_t)octave;
}

static void add_to_histogram(struct ch_block *b, struct ch_record *r, uint64_t ticks, uint32_t weight) {
    uint32_t step, octave = ch_octave(ticks, &step);
    if (__builtin_expect(!r->octaves[octave], 0)) {
        size_t at = ch_record_allocate(b, CH_OCTAVE_STEPS * sizeof(uint64_t));
        if (at == SIZE_MAX) return;
        r->octaves[octave] = (uint32_t)(at / CH_UNIT);
    }
    uint64_t at = (uint64_t)r->octaves[octave] * CH_UNIT;
    if (at + CH_OCTAVE_STEPS * sizeof(uint64_t) <= b->records_used) ((uint64_t *)(b->records.base + at))[step] += weight;
}

/* ---- the current stack */

static struct ch_stack *stack_self(struct ch_block *b) {
    if (ch_self.stack) return ch_self.stack;
    if (ch_self.virtual_id) return ch_self.stack = ch_stack_take();
    if (!ch_self.own) ch_self.own = ch_block_is_shared(b) ? ch_stack_take() : b->stack;
    return ch_self.stack = ch_self.own;
}

/* Drops the frames above `depth`, which have ended, without recording their times; the time of their callees passes to the frame below. */
static void drop_frames(struct ch_stack *s, struct ch_block *b, uint32_t depth) {
    while (s->depth > depth) {
        struct ch_frame *f = &s->frames[--s->depth];
        ch_path_pop(b, f->path);
        if (s->depth) {
            f[-1].callees += f->callees;
            f[-1].probes += f->probes;
            f[-1].probes_below += f->probes_below;
            f[-1].below += f->below;
            f[-1].squares += f->squares;
        }
        if (f->outermost && s->is_virtual) ch_active_leave(s, f->id);
        lock_shared(b);
        struct ch_record *r = record(b, f->id);
        if (r) {
            r->left++;
            if (f->outermost && !s->is_virtual) r->active = 0;
        }
        unlock_shared(b);
    }
}

void ch_stack_clear(struct ch_stack *s, struct ch_block *b) { drop_frames(s, b, 0); }

void ch_stack_leave(struct ch_block *b) {
    struct ch_stack *s = ch_self.own;
    ch_self.own = ch_self.stack = NULL;
    if (!s || s == b->stack) return;
    ch_stack_clear(s, b);
    ch_stack_spare(s);
}

/* Happens only with tens of thousands of threads at once, or out of memory. */
static void say_untimed(void) {
    static const char text[] = "some calls of timed methods were not counted: too many threads at once, or no memory for their times";
    static int said;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED)) ch_meta_add(CH_META_NOTE, 0, 0, text, sizeof text - 1);
}

/* At random, so that no loop is in step; returns when that was. */
static __attribute__((noinline)) uint64_t begin_measured(struct ch_block *b) {
    b->unmeasured = (uint32_t)ch_block_random(b, 2 * MEASURED - 1);
    return ch_now();
}

/* Begins an activation that stands for `weight` activations. Returns its depth, counted from 1, or 0 if it cannot be timed. */
static inline jint begin(struct ch_block *b, uint32_t id, uint32_t weight, bool count, bool in_tree) {
    struct ch_stack *s;
    if (__builtin_expect(ch_self.silent, 0)) return 0;
    uint64_t began = b->unmeasured-- ? 0 : begin_measured(b);
    lock_shared(b);
    struct ch_record *r = record(b, id);
    if (r) r->calls += count;
    unlock_shared(b);
    if (__builtin_expect(!r, 0) || !(s = stack_self(b))) {
        say_untimed();
        return 0;
    }
    if (__builtin_expect(s->depth == s->room, 0) && !ch_stack_grow(s)) return 0;
    struct ch_frame *f = &s->frames[s->depth];
    f->id = id;
    f->weight = weight;
    if (s->is_virtual) {
        f->outermost = ch_active_enter(s, id);
    } else {
        f->outermost = !r->active;
        r->active = 1;
    }
    f->callees = 0;
    f->probes = f->probes_below = f->below = 0;
    f->squares = 0;
    f->entry_cost = 0;
    f->path = ch_tree() ? ch_path_push(b, id) : -1;
    ch_context_enter(b, s, f, r, in_tree);
    f->start = ch_now(); /* last, so that the agent's own work is not included */
    if (__builtin_expect(began != 0, 0)) f->entry_cost = (uint16_t)(f->start - began < UINT16_MAX ? (f->start - began) | 1 : UINT16_MAX);
    return (jint)++s->depth;
}

jint ch_timing_begin(struct ch_block *b, uint32_t id, uint32_t weight) { return begin(b, id, weight, false, false); }

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_enter(JNIEnv *env, jclass c, jint id) {
    (void)env, (void)c;
    if (__builtin_expect(!ch_slots_there(id, 1), 0)) { /* an unnumbered probe, or not called by a probe */
        ch_block_add(&ch_shared, id, 0, 1);
        return 0;
    }
    return begin(ch_block_for_count(), (uint32_t)id, 1, true, false);
}

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_enterTree(JNIEnv *env, jclass c, jint id) {
    (void)env, (void)c;
    if (__builtin_expect(!ch_slots_there(id, 1), 0)) {
        ch_block_add(&ch_shared, id, 0, 1);
        return 0;
    }
    return begin(ch_block_self(), (uint32_t)id, 1, true, true); /* only a block of its own has a tree */
}

static void add_to_spread(struct ch_spread *s, double w, double total, double self) {
    s->w += w;
    s->ww += w * w;
    s->wt += w * total;
    s->wwt += w * w * total;
    s->wwtt += w * w * total * total;
    s->ws += w * self;
    s->wws += w * w * self;
    s->wwss += w * w * self * self;
}

/* `took`: without probes; may be negative, like self time. */
static inline void add_to_record(struct ch_block *b, struct ch_record *r, const struct ch_frame *f, int64_t took, int64_t self, bool by_exception,
                                 bool is_virtual) {
    uint64_t total = f->outermost ? (uint64_t)took : 0;
    r->timed++;
    r->sum += (uint64_t)took;
    r->probes += f->probes + inside;
    if (f->weight > 1) {
        add_to_spread(&r->sampled, f->weight, (double)(int64_t)total, (double)self);
    } else {
        r->completed++;
        r->exceptions += by_exception;
        r->self += (uint64_t)self;
        r->total += total;
        r->outermost += f->outermost;
        r->below += f->outermost ? f->below : 0;
        if (__builtin_expect(f->squares > 0, 0)) r->callee_squares += (double)f->squares;
    }
    uint64_t least = took > 0 ? (uint64_t)took : 0;
    if (least < r->min) r->min = least;
    if (least > r->max) r->max = least;
    if (f->outermost && !is_virtual) r->active = 0;
    add_to_histogram(b, r, least, f->weight);
}

/* What the activation's own probes took outside the clock's readings; `now`: the exit's. */
static inline uint64_t own_cost(struct ch_record *r, const struct ch_frame *f, uint64_t now) {
    if (__builtin_expect(f->entry_cost != 0, 0)) {
        uint64_t measured = f->entry_cost + (ch_now() - now) - reading + call; /* the further reading is not part of it */
        if (measured < OUTLIER * (outside + 1)) r->cost += 2 * measured - r->cost / 8; /* a running mean */
    }
    return r->cost / 16;
}

static void leave(jint depth, uint64_t now, bool by_exception) {
    struct ch_block *b = ch_self.block ? ch_self.block : &ch_shared;
    struct ch_stack *s = ch_self.stack;
    if (depth <= 0 || !s) return;
    if (__builtin_expect(s->depth != (uint32_t)depth, 0)) {
        if (s->depth < (uint32_t)depth) return; /* this activation has already ended */
        drop_frames(s, b, (uint32_t)depth);
    }
    struct ch_frame *f = &s->frames[--depth];
    int64_t took = (int64_t)(now - f->start);
    if (took < 0) took = 0; /* the counters of two processors may differ slightly */
    int64_t probes = (int64_t)(inside + f->probes_below), self = took - f->callees - (int64_t)(inside + f->probes);
    s->depth = (uint32_t)depth;
    ch_path_pop(b, f->path);
    if (f->outermost && s->is_virtual) ch_active_leave(s, f->id);
    ch_context_leave(b, s, f, self);
    lock_shared(b);
    struct ch_record *r = record(b, f->id);
    uint64_t cost = outside;
    if (r) {
        add_to_record(b, r, f, took - probes, self, by_exception, s->is_virtual);
        cost = own_cost(r, f, now);
    }
    unlock_shared(b);
    if (depth) {
        f[-1].callees += (took - probes) * f->weight + probes; /* its probes were there once, however many activations it stands for */
        if (f->weight > 1) f[-1].squares += (float)(took - probes) * (float)(took - probes) * (float)f->weight * (float)(f->weight - 1);
        f[-1].below += 1 + f->below;
        f[-1].probes += cost;
        f[-1].probes_below += (uint64_t)probes + cost;
    }
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_exit(JNIEnv *env, jclass c, jint depth) {
    (void)env, (void)c;
    leave(depth, ch_now(), false);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_thrown(JNIEnv *env, jclass c, jint depth) {
    (void)env, (void)c;
    leave(depth, ch_now(), true);
}

/* An exception has reached a handler of the method at this depth: what it left without an exit must not be the caller of what comes. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_caught(JNIEnv *env, jclass c, jint depth) {
    (void)env, (void)c;
    struct ch_stack *s = ch_self.stack;
    struct ch_block *b = ch_self.block ? ch_self.block : &ch_shared;
    if (depth <= 0 || !s || s->depth < (uint32_t)depth) return;
    drop_frames(s, b, (uint32_t)depth);
    if (s->frames[depth - 1].path >= 0) ch_path_pop(b, s->frames[depth - 1].path + 1); /* what is above it on the path need not be timed */
}

/* In picoseconds, with the calls from Java. `slot` must belong to no probe. */
uint64_t ch_timing_cost_ps(uint32_t slot) {
    enum { ROUNDS = 500, TRIES = 5 };
    struct ch_block *b = ch_block_self();
    uint64_t best = UINT64_MAX, between = 0;
    for (int try = 0; try < TRIES; try++) {
        uint64_t start = ch_monotonic_ns(), before = record(b, slot) ? record(b, slot)->sum : 0;
        for (int i = 0; i < ROUNDS; i++) {
            jint depth = begin(b, slot, 1, true, false);
            leave(depth, ch_now(), false);
        }
        uint64_t took = ch_monotonic_ns() - start;
        if (took >= best) continue;
        best = took;
        between = record(b, slot) ? record(b, slot)->sum - before : 0;
    }
    uint64_t all = best * 1000 / ROUNDS + 2 * CALL_PS;
    call = ch_clock_ticks_of(CALL_PS) / 1000;
    reading = between / ROUNDS;
    inside = reading + call;
    outside = ch_clock_ticks_of(all) / 1000 - inside;
    return all;
}
