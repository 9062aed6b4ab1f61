/* Timing: a shadow stack for each thread, and what an activation adds to its method's record.
 *
 * 1. enter pushes a frame and returns the new depth, or 0 if it could not; the woven method keeps the depth in a local
 *    variable.
 * 2. exit is passed that depth and pops the frame. Frames above it ended without an exit (a StackOverflowError in a
 *    probe, a super() that threw): they are counted in `calls` only, and the time of their callees passes to the frame
 *    below.
 * 3. Self time is the activation's time minus that of the timed methods it called. Only the outermost activation of a
 *    method on the stack adds to total time. The time of probes is subtracted: see timing_overhead.c. (The report takes
 *    off more, if the run shows it: instrument/measures/time/reader_cost_floor.py.) Most activations are plain: enter
 *    and exit do all that is needed, without a call, a lock, or a store that must wait for a reading. Special ones go
 *    through begin and leave.
 * 4. One of N activations of a paced method is timed and counts N times. Its self time also counts N times when it is
 *    subtracted from its caller's, with what the sampled activations below it already passed on; so sums are right on
 *    average. How far off they may be is known from the sum of N (N - 1) t^2 over these times t: the variance, if each
 *    call is timed with a chance of 1 in N. Even gaps make it smaller. A method that calls itself: what is between a
 *    sampled activation and the next sampled ones of the method below it is the time of several calls, of which the
 *    counter knows the number. The sampled ones below are subtracted once, as they were measured; the rest, divided by
 *    the number of calls in it, is the self time of each, and counts as many times. Which calls are outermost is not
 *    known, so there is no total.
 * 5. A record belongs to the block of the thread or carrier. Whether a method is already active is kept in the record
 *    or, for a virtual thread, in its stack (shadow_stacks.c).
 * 6. A thread without a block of its own, which has hardly run any code yet (thread_blocks.c), uses the shared block's
 *    records, under a lock, and a stack like a virtual thread's.
 * 7. An activation belongs to the context in which it began. If a context goes on around it (attribution.c), it ends in
 *    the block around.
 */
#include "timing_overhead.h"
#include "timing_records.h"
#include "exact_tree.h"
#include "tracker_natives.h"

/* ---- the current stack */

static struct ch_stack *stack_self(struct ch_block *b) {
    if (ch_self.virtual_id) ch_stack_of_session();
    if (ch_self.stack) return ch_self.stack;
    if (ch_self.virtual_id) return ch_self.stack = ch_stack_take();
    if (!ch_self.own) ch_self.own = ch_block_is_shared(b) ? ch_stack_take() : b->stack;
    return ch_self.stack = ch_self.own;
}

struct ch_stack *ch_stack_of_thread(struct ch_block *b) { return stack_self(b); }

/* The block that the frame at this depth counts in. A frame that began in the block around this one is no longer active
 * here. */
static inline struct ch_block *block_of(struct ch_block *b, struct ch_stack *s, uint32_t depth) {
    const struct ch_frame *f = &s->frames[depth];
    if (__builtin_expect(!(f->special & CH_AROUND), 1)) return b;
    struct ch_record *here = s->is_virtual || f->special & CH_NESTED ? NULL : ch_record_at(b, *ch_slot(b, f->id));
    if (here) here->active = 0;
    return ch_scope_block_around(b, depth);
}

/* Takes the topmost frame away. The frames above the topmost one are zero: see struct ch_frame. */
static inline void pop(struct ch_stack *s) { s->frames[s->depth--] = (struct ch_frame){0}; }

/* Drops the frames above `depth`, which have ended, without recording their times; the time of their callees passes to
 * the frame below. */
static void drop_frames(struct ch_stack *s, struct ch_block *b, uint32_t depth) {
    while (s->depth > depth) {
        struct ch_frame *f = &s->frames[s->depth];
        bool outermost = !(f->special & CH_NESTED);
        f[-1].callees += f->callees;
        f[-1].probes += f->probes;
        f[-1].probes_below += f->probes_below;
        f[-1].below += f->below;
        f[-1].squares += f->squares;
        f[-1].beyond += f->beyond;
        f[-1].special |= f->special & (CH_CHARGED | CH_ESTIMATED);
        if (outermost && s->is_virtual) ch_active_leave(s, f->id);
        ch_records_lock(b);
        struct ch_record *r = ch_record_of(block_of(b, s, s->depth), f->id);
        if (r) {
            r->left++;
            if (outermost && !s->is_virtual) r->active = 0;
            if (f->special & CH_SAMPLED && !s->is_virtual) r->sampled_at = f->outer;
        }
        ch_records_unlock(b);
        pop(s);
    }
}

void ch_stack_drop(struct ch_stack *s, struct ch_block *b, uint32_t depth) { drop_frames(s, b, depth); }

void ch_stack_clear(struct ch_stack *s, struct ch_block *b) { drop_frames(s, b, 0); }

void ch_stack_leave(struct ch_block *b) {
    struct ch_stack *s = ch_self.own;
    ch_self.own = ch_self.stack = ch_self.plain = NULL;
    ch_count_due_bin(b);
    if (s) ch_stack_outside(s);
    if (!s || s == b->stack) return;
    ch_stack_clear(s, b);
    ch_stack_spare(s);
}

/* Happens only with tens of thousands of threads at once, or out of memory. */
static void say_untimed(void) {
    static const char text[] =
        "some calls of timed methods were not counted: too many threads at once, or no memory for their times";
    static int said;
    if (!ch_exchange_relaxed(&said, 1)) ch_meta_add(CH_META_NOTE, 0, 0, text, sizeof text - 1);
}

/* ---- activations */

/* True if nothing special is to be done for the timed activations of this thread that are neither sampled nor in a
 * tree: enter_plainly and exit_plainly do all then. */
static inline bool is_plain(const struct ch_block *b, const struct ch_stack *s) {
    return s == b->stack && b == ch_self.block && !s->fenced && !s->exact_tree && ch_clock_ticks && !ch_self.silent;
}

/* The number of calls of a paced method that this block has seen. */
static uint64_t calls_of(struct ch_block *b, uint32_t id) { return *ch_slot(b, id + CH_PACED_CALLS); }

/* From the thread's last reading of the clock on, before one that found the frame on top; negative: unknown. */
static inline int64_t since_last(const struct ch_stack *s, const struct ch_frame *f, uint64_t now) {
    return (int64_t)(now - (s->last > f->start ? s->last : f->start));
}

/* The topmost frame's entry, and the exit of one that was: how long it was since the last probe, and what is before the
 * next one alone. */
static __attribute__((noinline)) jint measure_entry(struct ch_stack *s, uint64_t now) {
    struct ch_frame *f = &s->frames[s->depth];
    ch_stretch_seen(f->record, false, since_last(s, f - 1, now));
    ch_alone_begins(s, now);
    return (jint)s->depth;
}

static __attribute__((noinline)) void measure_exit(struct ch_stack *s, struct ch_record *r, int64_t usual,
                                                   uint64_t now) {
    ch_stretch_seen(r, true, usual);
    ch_alone_begins(s, now);
}

/* Begins an activation that stands for `weight` activations. Returns its depth, counted from 1, or 0 if it cannot be
 * timed. */
static inline jint begin(struct ch_block *b, uint32_t id, uint32_t weight, bool count, bool in_tree, uint64_t arrived) {
    if (__builtin_expect(ch_self.silent, 0)) return 0;
    struct ch_stack *s = stack_self(b);
    if (!s || !s->fenced) arrived = 0;
    ch_records_lock(b);
    struct ch_record *r = ch_record_of(b, id);
    if (r) r->calls += count;
    ch_records_unlock(b);
    if (__builtin_expect(!r || !s, 0)) {
        say_untimed();
        return 0;
    }
    if (__builtin_expect(s->depth + 1 >= s->room, 0) && !ch_stack_grow(s)) {
        r->left++;
        return 0;
    }
    struct ch_frame *f = &s->frames[s->depth + 1];
    bool nested = s->is_virtual ? !ch_active_enter(s, id) : r->active;
    if (!s->is_virtual) r->active = 1;
    f->record = r;
    f->id = id;
    f->special = nested ? CH_NESTED : 0;
    if (weight > 1) {
        f->special |= CH_SAMPLED;
        f->weight = weight;
        if (!s->is_virtual) {
            f->calls = calls_of(b, id);
            f->outer = (uint32_t)r->sampled_at;
            r->sampled_at = s->depth + 1;
        }
    }
    ch_context_enter(b, s, f, r, in_tree);
    /* last, so that the agent's own work is not included */
    uint64_t now = f->start = weight > 1 ? ch_now() : ch_about_now();
    s->depth++;
    if (__builtin_expect(arrived != 0, 0)) ch_alone_ends(s, f - 1, weight > 1 ? NULL : r, false, arrived, now);
    ch_self.plain = is_plain(b, s) ? s : NULL;
    bool measured = !arrived && weight == 1 && ch_is_measured(r, now) && !ch_block_is_shared(b);
    return __builtin_expect(measured, 0) ? measure_entry(s, now) : (jint)s->depth;
}

uint64_t ch_timing_arrival(void) { return ch_arrival(); }

jint ch_timing_begin(struct ch_block *b, uint32_t id, uint32_t weight, uint64_t arrived) {
    return begin(b, id, weight, false, false, arrived);
}

static __attribute__((noinline)) jint enter_specially(jint id, uint64_t arrived) {
    if (__builtin_expect(!ch_slots_there(id, 1), 0)) { /* an unnumbered probe, or not called by a probe */
        ch_block_add(&ch_shared, id, 0, 1);
        return 0;
    }
    return begin(ch_block_for_count(), (uint32_t)id, 1, true, false, arrived);
}

/* Begins a cache line. The cost of a timed call varied by 5 % between builds whose instructions are the same, by where
 * the linker put them. */
#define CH_PLACED __attribute__((aligned(64)))

CH_PLACED JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_enter(JNIEnv *env, jclass c, jint id) {
    (void)c;
    ch_follow(env, NULL);
    struct ch_stack *s = ch_self.plain;
    if (__builtin_expect(!s, 0)) return enter_specially(id, ch_arrival());
    if (__builtin_expect(!ch_slots_there(id, 1), 0)) return enter_specially(id, 0);
    struct ch_block *b = ch_self.block;
    struct ch_record *r = ch_record_at(b, *ch_slot(b, (uint32_t)id));
    uint32_t depth = s->depth + 1;
    if (__builtin_expect(!r || depth >= s->room, 0)) return enter_specially(id, 0);
    struct ch_frame *f = &s->frames[depth];
    r->calls++;
    f->record = r;
    f->id = (uint32_t)id;
    f->special = r->active; /* CH_NESTED */
    r->active = 1;
    s->depth = depth;
    uint64_t now = f->start = ch_ticks();
    return __builtin_expect(ch_is_measured(r, now), 0) ? measure_entry(s, now) : (jint)depth;
}

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_enterTree(JNIEnv *env, jclass c, jint id) {
    (void)c;
    ch_follow(env, NULL);
    uint64_t arrived = ch_arrival();
    if (__builtin_expect(!ch_slots_there(id, 1), 0)) {
        ch_block_add(&ch_shared, id, 0, 1);
        return 0;
    }
    return begin(ch_block_self(), (uint32_t)id, 1, true, true, arrived); /* only a block of its own has a tree */
}

/* An activation's time from entry to exit, in ticks: as the clock said, and without what timing costs. */
struct took {
    int64_t measured, own;
};

/* An activation takes no less time than those that it called, however rough the cost of timing is; estimates of those
 * may be longer. */
static inline struct took took(const struct ch_frame *f, uint64_t now, int64_t inside) {
    int64_t measured = (int64_t)(now - f->start), called = f->callees - f->probes_below;
    if (measured < 0) measured = 0; /* the counters of two processors may differ slightly */
    int64_t own = measured - inside - f->probes_below;
    return (struct took){measured, own < called && !(f->special & CH_ESTIMATED) ? called : own};
}

/* One that stands for itself only. */
static inline void add_to_record(struct ch_record *r, const struct ch_frame *f, struct took t) {
    r->completed++;
    if (f->special & CH_NESTED) {
        r->nested++;
        r->nested_ticks += (uint64_t)t.own;
    } else {
        r->total += (uint64_t)t.own;
        r->active = 0;
    }
}

static inline void add_callees(struct ch_record *r, const struct ch_frame *f) {
    r->callees += (uint64_t)(f->callees - f->probes_below);
    if (!(f->special & CH_NESTED)) r->below += f->below;
}

static void add_to_spread(struct ch_spread *s, double w, double total, double self) {
    s->n++;
    s->w += w;
    s->ww += w * w;
    s->wt += w * total;
    s->wwt += w * w * total;
    s->wwtt += w * w * total * total;
    s->ws += w * self;
    s->wws += w * w * self;
    s->wwss += w * w * self * self;
}

/* One that stands for others too: see 4 above. Returns the time to be taken off its caller's self time; `within`:
 * beside its own. */
static int64_t add_sample(struct ch_block *b, struct ch_stack *s, struct ch_record *r, struct ch_frame *f,
                          struct took t, int64_t self, int64_t within) {
    bool nested = f->special & CH_NESTED;
    uint64_t calls = s->is_virtual ? 1 : calls_of(b, f->id) - f->calls + 1,
             own_calls = calls > f->covered ? calls - f->covered : 1;
    double own = (double)self / (double)own_calls;
    add_to_spread(&r->sampled, (double)f->weight * (double)own_calls, nested ? 0 : (double)t.own, own);
    r->sampled_ticks += (uint64_t)t.own;
    r->sampled_nested += nested || calls > 1;
    if (r->sampled_nested | r->nested) own = r->sampled.ws / r->sampled.w;
    f[-1].squares += (float)(own * own) * (float)f->weight * (float)(f->weight - 1);
    f[-1].special |= CH_ESTIMATED;
    int64_t estimate = (int64_t)(own * f->weight) + within;
    if (s->is_virtual) return estimate;
    if (!nested) r->active = 0;
    r->sampled_at = f->outer;
    if (!f->outer) return estimate;
    s->frames[f->outer].covered += calls;
    f[-1].beyond += estimate - t.measured;
    return t.measured;
}

/* In the record's minimum and maximum. Returns the time; negative ones are none. */
static inline uint64_t note_extremes(struct ch_record *r, int64_t own) {
    uint64_t least = own > 0 ? (uint64_t)own : 0;
    if (__builtin_expect(least < r->min, 0)) r->min = least;
    if (__builtin_expect(least > r->max, 0)) r->max = least;
    return least;
}

/* Adds the times of a frame that ends to the frame below. */
static inline void add_to_caller(struct ch_frame *f, int64_t callees, struct took t, int64_t around) {
    f[-1].callees += callees + around;
    f[-1].below += 1 + f->below;
    f[-1].probes += around;
    f[-1].probes_below += t.measured - t.own + around;
}

static __attribute__((noinline)) void leave(jint depth, uint64_t arrived, bool by_exception) {
    struct ch_block *b = ch_self.block ? ch_self.block : &ch_shared;
    struct ch_stack *s = ch_self.stack;
    if (depth <= 0 || !s || s->depth < (uint32_t)depth) return; /* this activation has already ended */
    struct ch_frame *f = &s->frames[depth];
    bool alone = s->fenced && arrived, sampled = f->special & CH_SAMPLED;
    uint64_t now = alone ? arrived : sampled ? ch_now() : ch_about_now();
    ch_count_due_bin(b);
    drop_frames(s, b, (uint32_t)depth);
    int64_t inside = ch_costs.fenced_inside, around = ch_costs.fenced_around, usual = since_last(s, f, now);
    ch_records_lock(b);
    struct ch_block *own = block_of(b, s, (uint32_t)depth);
    struct ch_record *r = ch_record_of(own, f->id);
    if (r && !sampled) {
        inside = r->inside;
        around = r->around;
    }
    if (alone) ch_alone_ends(s, f, sampled ? NULL : r, true, now, now);
    struct took t = took(f, now, inside);
    int64_t self = t.own + f->probes_below - f->callees, callees = t.measured;
    if (r && sampled) {
        r->probes += (uint64_t)(inside - r->inside);
        callees = add_sample(own, s, r, f, t, self, f->callees + f->beyond + inside);
    } else if (r) {
        bool active = r->active;
        add_to_record(r, f, t);
        if (s->is_virtual) r->active = active;
        add_callees(r, f);
        r->exceptions += by_exception;
        if (f->special & CH_ESTIMATED) r->callee_squares += (double)f->squares;
    }
    if (r) {
        r->probes += (uint64_t)f->probes;
        ch_histogram_add(own, r, note_extremes(r, t.own), sampled ? f->weight : 1);
    }
    ch_records_unlock(b);
    add_to_caller(f, callees, t, around);
    s->depth--;
    if (!(f->special & CH_NESTED) && s->is_virtual) ch_active_leave(s, f->id);
    ch_context_leave(b, s, f, self);
    *f = (struct ch_frame){0};
    if (!alone) s->last = sampled ? CH_NO_TIME : now;
    if (!s->depth && !s->regions && s->is_virtual && s == ch_self.own && ch_self.block && !ch_self.virtual_id &&
        !ch_self.silent) {
        ch_stack_leave(b); /* the thread had no block when it began to use that; the block's own stack is faster */
        return;
    }
    ch_self.plain = is_plain(b, s) ? s : NULL;
    if (!alone && !sampled && r && ch_is_measured(r, now) && !ch_block_is_shared(b)) measure_exit(s, r, usual, now);
}

/* Does the work of an exit that most exits do not need. `bin` has been counted. */
static __attribute__((noinline)) void finish(struct ch_stack *s, uint64_t ticks, uint64_t now) {
    const struct ch_frame *f = &s->frames[s->depth + 1];
    int64_t usual = since_last(s, f, now);
    s->last = now;
    *ch_due_bin(ch_self.block) = 0;
    ch_histogram_add(ch_self.block, f->record, ticks, 1);
    if (ch_is_measured(f->record, now)) measure_exit(s, f->record, usual, now);
}

CH_PLACED JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_exit(JNIEnv *env, jclass c, jint depth) {
    (void)env, (void)c;
    struct ch_stack *s = ch_self.plain;
    if (__builtin_expect(!s, 0)) {
        leave(depth, ch_arrival(), false);
        return;
    }
    uint64_t now = ch_ticks();
    struct ch_frame *f = &s->frames[s->depth];
    if (__builtin_expect(s->depth != (uint32_t)depth || f->special & ~(uint32_t)CH_NESTED, 0)) {
        leave(depth, 0, false);
        return;
    }
    uint8_t *records = ch_self.block->records.base;
    ++*(uint64_t *)(records + *(uint64_t *)records); /* if none is due, the word itself, which is written below */
    struct ch_record *r = f->record;
    struct took t = took(f, now, r->inside);
    add_to_caller(f, t.measured, t, r->around);
    add_to_record(r, f, t);
    if (__builtin_expect(f->below != 0, 0)) {
        add_callees(r, f);
        r->probes += (uint64_t)f->probes;
        f->callees = f->probes = f->probes_below = 0;
        f->below = 0;
    }
    s->depth = (uint32_t)depth - 1;
    uint64_t ticks = note_extremes(r, t.own), to = ch_bin(ch_self.block, r, ticks);
    if (__builtin_expect(!to || ch_is_measured(r, now), 0)) {
        finish(s, ticks, now);
        return;
    }
    s->last = now;
    *(uint64_t *)records = to;
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_thrown(JNIEnv *env, jclass c, jint depth) {
    (void)env, (void)c;
    leave(depth, ch_arrival(), true);
}

/* An exception has reached a handler of the method at this depth: what it left without an exit must not be the caller
 * of what comes. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_caught(JNIEnv *env, jclass c, jint depth) {
    (void)env, (void)c;
    struct ch_stack *s = ch_self.stack;
    struct ch_block *b = ch_self.block ? ch_self.block : &ch_shared;
    if (depth <= 0 || !s || s->depth < (uint32_t)depth) return;
    drop_frames(s, b, (uint32_t)depth);
    s->fenced = false;
}
