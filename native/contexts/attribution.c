/* Contexts: what a thread counts while it runs a method that a rule `context` names, apart from all else.
 *
 * 1. A context has a slot of its own, which counts in the shared block how often it was entered, and blocks of its own
 *    (context_blocks.c). A thread that enters it counts in one of these until it leaves it: the field of its Thread
 *    object, through which probes find their block, is set to another address. Probes are the same as without contexts,
 *    and so is what they cost. The report adds up the blocks of a context, or all of them.
 * 2. The thread itself enters and leaves, in a call that the JIT does not look into: so no compiled loop keeps the old
 *    address.
 * 3. The shadow stack stays with the thread. Methods that are active on it are marked as active in the records of the
 *    block that is entered: of nested activations of a method, only the outermost adds to total time, whatever contexts
 *    are between them.
 * 4. The sampler of stacks is told which context the thread is in.
 * 5. A task that is in no context may run within one, where a thread helps others while it waits: it counts in the
 *    thread's own block.
 * 6. A context may go on after its method, until the one around it ends (`onward`): a handler names the request that it
 *    serves. A further scope lies on the enclosing one then. Activations that had begun in that belong to it, and end
 *    in its block.
 * 7. A context that is begun by name (CH_NO_PROBE) ends by another call: calls that are active then go on in the block
 *    that is in force.
 * 8. While only one test runs (ch_ambient), all threads belong to it that have none of their own: what they submitted
 *    and started before, too. A thread cannot be moved by another one. So the address in its Thread object is taken
 *    out, by which its next probe takes the slow path, and there the thread moves itself. Until then it counts where it
 *    did, so sums are exact.
 * 9. A suspend function's call goes on in its context, on whatever thread. Where it ends, its caller goes on in the
 *    same task: it does so in the context in which it made the call.
 * 10. A virtual thread takes its contexts along: where it unmounts, its carrier's own block is in force again, and
 *     where it is mounted, blocks of its contexts are.
 * 11. An activation's time is that from its begin to its end, waiting included, in a record of the context's block. A
 *     context that goes on ends later than its method. A suspend function's call takes its begin along while it waits.
 */
#include "attribution.h"
#include "context_blocks.h"
#include "known_contexts.h"
#include "scope_frames.h"
#include "../timing/timing_records.h"
#include "tracker_natives.h"
#include <pthread.h>
#include <stdlib.h>

static struct ch_block *take(struct ch_context_entered *c) {
    return c ? ch_context_block_take(&c->blocks, c->slot) : ch_self.home;
}

/* ---- entering and leaving */

static void use(JNIEnv *env, jthread carrier, struct ch_block *b) {
    ch_self.block = b;
    ch_self.plain = NULL;
    ch_thread_counts_in(env, carrier, b);
}

/* For the sampler of stacks, which knows a thread that was there before the agent only from outside. */
static void note_context(JNIEnv *env, jthread carrier) {
    if (!ch_self.java && carrier && ch_wanted.samplers.cpu.period_us) ch_java_thread_started(env, carrier);
    if (ch_self.java) ch_store_relaxed(&ch_self.java->context, ch_scope_slot());
}

/* The scope is the thread's innermost one from now on. */
static void enter(JNIEnv *env, jthread carrier, struct ch_scope *s) {
    struct ch_stack *stack = ch_self.stack;
    if (!ch_self.home) ch_self.home = s->from;
    if (stack && stack == s->from->stack) {
        ch_scope_swap_stacks(s->from, s->to);
        if (s->apart)
            ch_scope_move_frames(stack, s->from, s->to);
        else
            ch_scope_mark_active(stack, s->frames, s->from, s->to, true);
    }
    use(env, carrier, s->to);
    ch_self.scope = s;
    note_context(env, carrier);
}

/* Leaves the innermost context; the block goes to the next thread that enters it. */
static struct ch_scope *leave(JNIEnv *env, jthread carrier) {
    struct ch_scope *s = ch_self.scope;
    struct ch_stack *stack = ch_self.stack;
    if (stack && stack == s->to->stack && s->from != s->to) {
        if (s->apart)
            ch_scope_move_frames(stack, s->to, s->from);
        else
            ch_scope_mark_active(stack, s->frames, s->from, s->to, false);
        ch_scope_swap_stacks(s->from, s->to);
    }
    bool last = !s->outer;
    if (last) ch_self.home = NULL;
    use(env, carrier, s->from);
    ch_self.scope = s->outer;
    note_context(env, carrier);
    if (s->context) ch_context_block_give(&s->context->blocks, s->to);
    return s;
}

/* An activation of a context with times ends now; the thread has the block for itself. */
static void add_time(const struct ch_context_entered *c, struct ch_block *b, uint64_t began) {
    uint64_t now = ch_about_now();
    struct ch_record *r = ch_record_of(b, c->times_slot);
    if (r) ch_duration_add(b, r, now > began ? now - began : 0);
}

static void time_ended(const struct ch_scope *s) {
    if (s->began) add_time(s->context, s->to, s->began);
}

static void end(JNIEnv *env, jthread carrier) {
    struct ch_scope *s = ch_self.scope;
    time_ended(s);
    if (s->onward)
        ch_scope_bring_back(s);
    else if (ch_self.stack && !s->apart)
        ch_stack_drop(ch_self.stack, s->to, s->frames);
    leave(env, carrier);
    free(s);
}

void ch_scopes_end(JNIEnv *env, jthread carrier) {
    while (ch_self.scope) end(env, carrier);
    ch_self.carriers = NULL;
}

static bool entered_any;
static struct ch_context_entered *ambient; /* NULL: there is none */

/* The context in which a thread counts that would be in this one, or in none. */
static struct ch_context_entered *effective(struct ch_context_entered *origin) {
    struct ch_context_entered *all = ch_load_acquire(&ambient);
    return all && (!origin || origin->probe == CH_NO_PROBE) ? all : origin;
}

bool ch_context_was_entered(void) { return ch_load_relaxed(&entered_any); }

uint32_t ch_scope_slot(void) { return ch_self.scope && ch_self.scope->context ? ch_self.scope->context->slot : 0; }

/* The context of the thread's next probe in this scope. */
static struct ch_context_entered *context_now(const struct ch_scope *s) {
    return !s ? effective(NULL) : s->follows ? effective(s->origin) : s->context;
}

uint32_t ch_scope_slot_now(void) {
    const struct ch_context_entered *c = context_now(ch_self.scope);
    return c ? c->slot : 0;
}

struct ch_context_entered *ch_scope_test(void) {
    const struct ch_scope *s = ch_self.scope;
    struct ch_context_entered *c = context_now(s);
    while (c && c->probe != CH_NO_PROBE) {
        s = s->outer == ch_self.carriers ? NULL : s->outer;
        c = context_now(s);
    }
    return c;
}

struct ch_context_entered *ch_scope_context(void) { return ch_self.scope ? ch_self.scope->context : NULL; }

/* Begins a scope; 0: there is no room. */
static jint begin(JNIEnv *env, jthread carrier, struct ch_context_entered *context) {
    struct ch_block *from = ch_block_self();
    struct ch_scope *s = ch_block_is_shared(from) ? NULL : malloc(sizeof *s);
    struct ch_block *to = s ? take(context) : NULL;
    if (!to) {
        free(s);
        return 0;
    }
    *s = (struct ch_scope){.outer = ch_self.scope,
                           .context = context,
                           .from = from,
                           .to = to,
                           .depth = ch_self.scope ? ch_self.scope->depth + 1 : 1,
                           .frames = ch_self.stack ? ch_self.stack->depth : 0,
                           .apart = context && context->probe == CH_NO_PROBE};
    enter(env, carrier, s);
    return (jint)s->depth;
}

jint ch_scope_begin(JNIEnv *env, jthread carrier, uint32_t probe, const char *key, uint32_t bytes) {
    ch_follow(env, carrier);
    struct ch_context_entered *context = ch_context_of(probe, key, bytes);
    jint depth = context ? begin(env, carrier, context) : 0;
    if (depth) {
        ch_block_add(&ch_shared, (jint)context->slot, 0, 1);
        if (context->times_slot) ch_self.scope->began = ch_about_now();
    } else if (probe != CH_NO_PROBE) {
        ch_block_add(&ch_shared, (jint)probe, CH_CONTEXT_REFUSED, 1);
    }
    ch_store_relaxed(&entered_any, true);
    return depth;
}

bool ch_scope_end(JNIEnv *env, jthread carrier, const struct ch_context_entered *context) {
    struct ch_scope *s = ch_self.scope;
    while (s && s != ch_self.carriers && s->context != context) s = s->outer;
    if (!s || s == ch_self.carriers || !context) return false;
    while (ch_self.scope != s) end(env, carrier);
    end(env, carrier);
    return true;
}

static void set_follows(struct ch_context_entered *origin) {
    ch_self.scope->follows = !origin || origin->probe == CH_NO_PROBE;
    ch_self.scope->origin = origin;
}

static void (*look_first)(JNIEnv *env, jthread carrier); /* what each thread does before it follows; NULL: nothing */

/* The same as ch_follow, but a task does not follow: it has an origin. */
static void look(JNIEnv *env, jthread carrier) {
    if (look_first && !ch_self.silent && !ch_self.measuring) look_first(env, carrier);
}

/* `began`: when a call began that waited meanwhile, 0: unknown; its end is that of a scope of its own. */
static jint resume(JNIEnv *env, jthread carrier, struct ch_context_entered *origin, uint64_t began) {
    look(env, carrier);
    struct ch_context_entered *context = effective(origin);
    bool there = context == ch_scope_context() && !began;
    jint depth = ch_self.silent || there ? 0 : begin(env, carrier, context);
    if (depth) {
        set_follows(origin);
        ch_self.scope->of_task = true;
        if (context && context->times_slot) ch_self.scope->began = began;
    }
    return depth;
}

jint ch_scope_of_task(JNIEnv *env, jthread carrier, struct ch_context_entered *origin) {
    return resume(env, carrier, origin, 0);
}

/* ---- what all threads belong to that have no context of their own */

/* The thread's innermost scope is of another context from now on. Without room it stays what it was. */
static void change(JNIEnv *env, jthread carrier, struct ch_scope *s, struct ch_context_entered *context) {
    struct ch_stack *stack = ch_self.stack;
    struct ch_block *before = s->to, *to = context == s->context ? NULL : take(context);
    if (!to) return;
    if (stack && stack == before->stack) {
        ch_scope_move_frames(stack, before, to);
        ch_scope_swap_stacks(before, to);
    }
    use(env, carrier, to);
    if (s->context) ch_context_block_give(&s->context->blocks, before);
    s->to = to;
    s->context = context;
    s->apart = true;
    note_context(env, carrier);
}

static void follow(JNIEnv *env, jthread carrier) {
    if (ch_self.silent || ch_self.measuring) return;
    jthread self = carrier ? carrier : ch_thread_current(env);
    ch_self.ambience = ch_load_acquire(&ch_ambience);
    if (!self) return;
    if (look_first) look_first(env, self);
    if (ch_self.scope && ch_self.scope->follows)
        change(env, self, ch_self.scope, effective(ch_self.scope->origin));
    else if (!ch_self.scope && effective(NULL) && begin(env, self, effective(NULL)))
        set_follows(NULL);
    if (!carrier) (*env)->DeleteLocalRef(env, self);
}

static void tell_of_ambience(void) {
    ch_store_release(&ch_ambience_follow, follow);
    ch_add(&ch_ambience, 1);
}

static void change_ambience(JNIEnv *env) {
    tell_of_ambience();
    ch_threads_look(env);
}

void ch_threads_look_first(JNIEnv *env, void (*first)(JNIEnv *env, jthread carrier)) {
    ch_store_release(&look_first, first);
    change_ambience(env);
}

void ch_ambient(JNIEnv *env, struct ch_context_entered *context) {
    if (context == ch_load_relaxed(&ambient)) return;
    ch_store_release(&ambient, context);
    change_ambience(env);
}

void ch_ambient_at_start(struct ch_context_entered *context) {
    ch_store_release(&ambient, context);
    tell_of_ambience();
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_contextBegins(JNIEnv *env, jclass c, jint probe,
                                                                      jthread carrier) {
    (void)c;
    ch_may_move();
    return ch_moved(ch_scope_may_begin(probe) ? ch_scope_begin(env, carrier, (uint32_t)probe, NULL, 0) : 0);
}

static bool is_within(const struct ch_scope *s, jint depth) {
    return s && s != ch_self.carriers && s->depth >= (uint32_t)depth;
}

/* NULL: it has ended */
static struct ch_scope *at_depth(jint depth) {
    struct ch_scope *s = ch_self.scope;
    while (depth > 0 && is_within(s, depth) && s->depth > (uint32_t)depth) s = s->outer;
    return depth > 0 && is_within(s, depth) ? s : NULL;
}

/* Ends the context, and contexts within it that an exception left without a probe seeing it. */
static void end_from(JNIEnv *env, jthread carrier, jint depth) {
    while (depth > 0 && is_within(ch_self.scope, depth)) end(env, carrier);
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_contextEnds(JNIEnv *env, jclass c, jint depth,
                                                                    jthread carrier) {
    (void)c;
    ch_may_move();
    end_from(env, carrier, depth);
    if (ch_load_relaxed(&ch_ambience)) follow(env, carrier);
    return ch_moved(0);
}

/* ---- contexts that go on */

/* The innermost scope, which goes on, ends before the one around it. */
static void stop(JNIEnv *env, jthread carrier) {
    struct ch_scope *s = ch_self.scope;
    time_ended(s);
    ch_scope_bring_back(s);
    free(leave(env, carrier));
}

/* Returns whether a context may go on in this scope. */
static bool may_go_on(const struct ch_scope *around) {
    return around && around != ch_self.carriers && !around->by_mount;
}

/* In the scope around it, the thread's work belongs to this context from now on; not in a context that was begun by
 * name, such as a test, nor where a thread has none of its own and follows that of all: what comes after the handler is
 * no part of its request there. Returns whether it goes on. */
static bool go_on(JNIEnv *env, jthread carrier, struct ch_context_entered *context, uint64_t began) {
    if (!may_go_on(ch_self.scope)) return false;
    while (ch_self.scope->onward && ch_scope_frames_around(ch_self.scope) == ch_scope_stack_depth())
        stop(env, carrier); /* nothing of it is active */
    struct ch_scope *around = ch_self.scope,
                    *s = around->context == context || around->apart || around->follows ? NULL : malloc(sizeof *s);
    struct ch_block *to = s ? take(context) : NULL;
    if (!to) {
        free(s);
        return false;
    }
    *s = (struct ch_scope){.outer = around,
                           .context = context,
                           .from = around->to,
                           .to = to,
                           .depth = around->depth + 1,
                           .frames = ch_scope_frames_around(around),
                           .onward = true,
                           .began = began};
    enter(env, carrier, s);
    ch_scope_keep_around(s);
    return true;
}

/* A context whose scope has ended does not go on. */
static void add_time_later(struct ch_context_entered *context, uint64_t began) {
    struct ch_block *b = began ? take(context) : NULL;
    if (!b) return;
    add_time(context, b, began);
    ch_context_block_give(&context->blocks, b);
}

/* The same as contextEnds; then the context goes on. */
JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_contextGoesOn(JNIEnv *env, jclass c, jint depth,
                                                                      jthread carrier) {
    (void)c;
    ch_may_move();
    struct ch_scope *s = at_depth(depth);
    struct ch_context_entered *context = s && may_go_on(s->outer) ? s->context : NULL;
    uint64_t began = context ? s->began : 0;
    if (context) s->began = 0;
    end_from(env, carrier, depth);
    if (context && !go_on(env, carrier, context, began)) add_time_later(context, began);
    if (ch_load_relaxed(&ch_ambience)) follow(env, carrier);
    return ch_moved(0);
}

/* ---- calls that wait: their probes keep contexts as numbers, 0 for none, and above that when the call began, in 4096
 * ticks, as far as there is room: that tells times of up to a week */

enum { NUMBER_BITS = 24 /* there are fewer slots */, COARSE_BITS = 12 };
#define COARSE_MASK ((UINT64_C(1) << (63 - NUMBER_BITS)) - 1)

static jlong number_of(const struct ch_context_entered *context) { return context ? context->number : 0; }

static jlong kept_of(const struct ch_scope *s) {
    return (jlong)((s->began >> COARSE_BITS & COARSE_MASK) << NUMBER_BITS) | number_of(s->context);
}

/* 0: unknown */
static uint64_t began_of(jlong kept) {
    uint64_t coarse = (uint64_t)kept >> NUMBER_BITS, now = ch_about_now();
    return coarse ? now - ((((now >> COARSE_BITS) - coarse) & COARSE_MASK) << COARSE_BITS) : 0;
}

/* The same as contextEnds, but the call has not ended. */
JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_contextWaits(JNIEnv *env, jclass c, jint depth,
                                                                     jthread carrier) {
    struct ch_scope *s = at_depth(depth);
    if (s) s->began = 0;
    return Java_java_lang_ClasshookTracker_contextEnds(env, c, depth, carrier);
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_contextAt(JNIEnv *env, jclass c, jint depth) {
    (void)env, (void)c;
    const struct ch_scope *s = at_depth(depth);
    return s ? kept_of(s) : 0;
}

/* -1: the call began in no context of its own. */
JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_contextAround(JNIEnv *env, jclass c, jint depth) {
    (void)env, (void)c;
    const struct ch_scope *s = at_depth(depth);
    if (!s) return -1;
    return s->outer && s->outer != ch_self.carriers ? number_of(s->outer->context) : 0;
}

/* The call goes on in its context, without entering it anew. */
JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_contextResumes(JNIEnv *env, jclass c, jlong kept,
                                                                       jthread carrier) {
    (void)c;
    ch_may_move();
    struct ch_context_entered *context = ch_context_numbered(kept & ((1 << NUMBER_BITS) - 1));
    return ch_moved(context ? resume(env, carrier, context, began_of(kept)) : 0);
}

/* The same as contextEnds. The rest of the task belongs to the caller, in whatever context the call was resumed. */
JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_callLeaves(JNIEnv *env, jclass c, jint depth, jlong around,
                                                                   jthread carrier) {
    (void)c;
    ch_may_move();
    end_from(env, carrier, depth);
    struct ch_scope *s = ch_self.scope;
    struct ch_context_entered *callers = ch_context_numbered(around);
    if (s && s != ch_self.carriers && s->of_task && s->context != effective(callers)) {
        change(env, carrier, s, effective(callers));
        set_follows(callers);
    }
    if (ch_load_relaxed(&ch_ambience)) follow(env, carrier);
    return ch_moved(0);
}

/* ---- virtual threads */

struct aside {
    uint32_t hash;
    int64_t id;
    struct ch_scope *innermost;
};
static CH_TABLE(struct aside) aside; /* the contexts of unmounted virtual threads */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards them */

static void free_all(struct ch_scope *innermost) {
    for (struct ch_scope *s = innermost, *outer; s; s = outer) {
        outer = s->outer;
        free(s);
    }
}

static bool has_id(const void *entry, const void *id) {
    return ((const struct aside *)entry)->id == *(const int64_t *)id;
}

/* Enters the kept scopes again, `s` after those around it. Where there is no room, further calls count in the enclosing
 * block. */
static void enter_again(JNIEnv *env, jthread carrier, struct ch_scope *s, struct ch_scope *base) {
    if (s->outer != base) enter_again(env, carrier, s->outer, base);
    s->from = ch_block_self();
    s->outer = ch_self.scope;
    s->to = s->from->index ? take(s->context) : NULL;
    if (s->to)
        enter(env, carrier, s);
    else
        free(s);
}

void ch_scopes_mounted(JNIEnv *env, jthread carrier, int64_t id) {
    ch_self.carriers = ch_self.scope;
    if (ch_scope_context() != effective(NULL) && begin(env, carrier, effective(NULL))) {
        set_follows(NULL);
        ch_self.scope->by_mount = true;
        ch_self.scope->depth = 0;
    }
    if (!ch_load_relaxed(&aside.table.used)) return;
    pthread_mutex_lock(&lock);
    struct aside *a = ch_table_find(&aside, ch_hash_number((uint64_t)id), has_id, &id);
    struct ch_scope *innermost = a ? a->innermost : NULL;
    if (a) ch_table_remove(&aside, a);
    pthread_mutex_unlock(&lock);
    if (innermost) enter_again(env, carrier, innermost, NULL);
}

void ch_scopes_unmounting(JNIEnv *env, jthread carrier, int64_t id) {
    struct ch_scope *innermost = NULL, **end_of_list = &innermost;
    while (ch_self.scope && ch_self.scope != ch_self.carriers) {
        struct ch_scope *s = leave(env, carrier);
        if (s->by_mount) {
            free(s);
            continue;
        }
        s->outer = NULL;
        *end_of_list = s;
        end_of_list = &s->outer;
    }
    ch_self.carriers = NULL;
    if (!innermost) return;
    pthread_mutex_lock(&lock);
    bool kept = ch_table_add(&aside, ch_hash_number((uint64_t)id), &(struct aside){.id = id, .innermost = innermost});
    pthread_mutex_unlock(&lock);
    if (!kept) free_all(innermost); /* without memory, it goes on outside of them */
}

void ch_scopes_drop_unmounted(void) {
    pthread_mutex_lock(&lock);
    for (struct aside *a = ch_table_next(&aside, NULL); a; a = ch_table_next(&aside, a)) free_all(a->innermost);
    ch_table_clear(&aside);
    pthread_mutex_unlock(&lock);
}
