/* Contexts: what a thread counts while it runs a method that a rule `context` names, apart from all else.
 *
 * 1. A context has a slot of its own, which counts in the shared block how often it was entered, and blocks of its own (context_blocks.c). A
 *    thread that enters it counts in one of these until it leaves it: the field of its Thread object, through which probes find their block, is
 *    set to another address. Probes are the same as without contexts, and so is what they cost. The report adds up the blocks of a context, or
 *    all of them.
 * 2. The thread itself enters and leaves, in a call that the JIT does not look into: so no compiled loop keeps the old address.
 * 3. The shadow stack stays with the thread. Methods that are active on it are marked as active in the records of the block that is entered: of
 *    nested activations of a method, only the outermost adds to total time, whatever contexts are between them.
 * 4. A path of profiled methods goes on in the block that is entered, with the context's slot as one of its frames: the tree of calls shows which
 *    calls belong to the context. The thread's own block stays the one that the sampler knows: it says where the path is.
 * 5. A task that is in no context may run within one, where a thread helps others while it waits: it counts in the thread's own block.
 * 6. A context may go on after its method, until the one around it ends (`onward`): a handler names the request that it serves. A further scope lies on
 *    the enclosing one then. Activations that had begun in that belong to it, and end in its block.
 * 7. A context that is begun by name (CH_NO_PROBE) ends by another call: calls that are active then go on in the block that is in force.
 * 8. While only one test runs (ch_ambient), all threads belong to it that have none of their own: what they submitted and started before, too. A
 *    thread cannot be moved by another one. So the address in its Thread object is taken out, by which its next probe takes the slow path, and there
 *    the thread moves itself. Until then it counts where it did, so sums are exact.
 * 9. A virtual thread takes its contexts along: where it unmounts, its carrier's own block is in force again, and where it is mounted, blocks of
 *    its contexts are.
 */
#include "attribution.h"
#include "context_blocks.h"
#include "shadow_stacks.h"
#include "timing_records.h"
#include "tracker_natives.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONTEXTS = 100000 };

struct ch_context_entered {
    uint32_t probe, slot; /* the first slot of the probe that begins it, or CH_NO_PROBE; its own */
    uint32_t bytes;
    char *key; /* what tells it apart from others of the probe; NULL: there are no others; without a probe, its name */
    struct ch_context_blocks blocks;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the contexts */
struct known {
    uint32_t hash;
    struct ch_context_entered *context;
};
static CH_TABLE(struct known) contexts; /* by probe and key */
static uint32_t outside_slot; /* stands on paths for what is in no context, although it runs within one */

struct sought {
    uint32_t probe, bytes;
    const char *key;
};

static bool is_sought(const void *entry, const void *what) {
    const struct ch_context_entered *c = ((const struct known *)entry)->context;
    const struct sought *w = what;
    return c->probe == w->probe && c->bytes == w->bytes && (!w->bytes || !memcmp(c->key, w->key, w->bytes));
}

static uint32_t hash_of(const struct sought *w) {
    return w->bytes ? (uint32_t)ch_hash_own((struct ch_key){w->probe, 0}, w->key, w->bytes).low : ch_hash_number(w->probe);
}

/* NULL: it was not entered before. */
static struct ch_context_entered *find(const struct sought *w, uint32_t hash) {
    pthread_mutex_lock(&lock);
    struct known *k = ch_table_find(&contexts, hash, is_sought, w);
    struct ch_context_entered *c = k ? k->context : NULL;
    pthread_mutex_unlock(&lock);
    return c;
}

/* Its name in the data file: `name [key]`. */
static void say(const struct ch_context_entered *c) {
    struct ch_text class_name;
    struct ch_probe p;
    if (c->probe == CH_NO_PROBE) {
        ch_meta_add(CH_META_CONTEXT, c->slot, 0, c->key, c->bytes);
        return;
    }
    char *name = ch_probe_of(c->probe, CH_PROBE_CONTEXT, &class_name, &p) ? ch_text_copy(p.context.name) : NULL;
    size_t n = name ? strlen(name) : 0;
    char *text = malloc(n + c->bytes + 4);
    if (text) {
        int written = c->key ? sprintf(text, "%s [%.*s]", name ? name : "", (int)c->bytes, c->key) : sprintf(text, "%s", name ? name : "?");
        ch_meta_add(CH_META_CONTEXT, c->slot, 0, text, (size_t)written);
    }
    free(text);
    free(name);
}

static bool fill(struct ch_context_entered *c, const struct sought *w, uint32_t hash) {
    c->probe = w->probe;
    c->bytes = w->bytes;
    c->key = w->bytes ? malloc(w->bytes) : NULL;
    if (w->bytes && !c->key) return false;
    if (c->key) memcpy(c->key, w->key, w->bytes);
    c->slot = ch_slots_take(1);
    pthread_mutex_lock(&lock);
    bool there = c->slot != UINT32_MAX && ch_table_add(&contexts, hash, &(struct known){.context = c});
    pthread_mutex_unlock(&lock);
    return there;
}

/* The context of a probe and a key; beyond MOST_CONTEXTS, the probe's for all others. NULL: there is no room for one. */
static struct ch_context_entered *make(const struct sought *w, uint32_t hash) {
    static const char others[] = "others";
    static bool said_outside;
    struct ch_context_entered *c = NULL;
    ch_lock();
    bool there = ch_keys_start();
    if (there && !said_outside) {
        said_outside = true;
        outside_slot = ch_slots_take(1);
        ch_meta_add(CH_META_CONTEXT, outside_slot, 0, "", 0);
    }
    struct sought wanted = *w;
    if (there && w->bytes && contexts.table.used >= MOST_CONTEXTS) {
        wanted = (struct sought){w->probe, sizeof others - 1, others};
        hash = hash_of(&wanted);
    }
    if (there && !(c = find(&wanted, hash)) && (c = calloc(1, sizeof *c))) {
        if (fill(c, &wanted, hash)) {
            say(c);
        } else {
            free(c->key);
            free(c);
            c = NULL;
        }
    }
    ch_unlock();
    return c;
}

static struct ch_block *take(struct ch_context_entered *c) { return c ? ch_context_block_take(&c->blocks, c->slot) : ch_self.home; }

/* ---- what a block must know of the thread's stack and path */

static bool has(const struct ch_block *b, const struct ch_record *r) {
    const uint8_t *at = (const uint8_t *)r;
    return b->records.base && at >= b->records.base && at < b->records.base + b->records.bytes;
}

/* Of the frames that did not begin in this block. */
static void mark_active(const struct ch_stack *s, uint32_t frames, struct ch_block *from, struct ch_block *to, bool active) {
    for (uint32_t i = 1; i <= frames && i <= s->depth; i++) { /* of contexts that go on, some may have ended */
        const struct ch_frame *f = &s->frames[i];
        if (has(to, f->record)) continue;
        struct ch_record *inner = active ? ch_record_of(to, f->id) : ch_record_at(to, *ch_slot(to, f->id));
        const struct ch_record *outer = ch_record_at(from, *ch_slot(from, f->id));
        if (!inner) continue;
        inner->active = active;
        inner->sampled_at = active && outer ? outer->sampled_at : 0;
    }
}

/* Calls that are active go on in the other block, as if they had begun there. */
static void move_frames(struct ch_stack *s, struct ch_block *from, struct ch_block *to) {
    for (uint32_t i = 1; !s->is_virtual && i <= s->depth; i++) {
        struct ch_frame *f = &s->frames[i];
        struct ch_record *left = ch_record_at(from, *ch_slot(from, f->id)), *entered = ch_record_of(to, f->id);
        if (left == entered) continue;
        if (!entered) f->special |= CH_CHARGED; /* no room: so that its exit finds that out */
        if (!entered) continue;
        f->record = entered;
        entered->active = 1;
        if (!left || !left->active) continue;
        entered->sampled_at = left->sampled_at;
        left->active = 0;
        left->sampled_at = 0;
    }
}

static void swap_stacks(struct ch_block *a, struct ch_block *b) {
    struct ch_stack *s = a->stack;
    a->stack = b->stack;
    b->stack = s;
}

static void copy_path(const struct ch_block *from, struct ch_block *to) {
    int32_t n = ch_path(from)->depth < 0 ? 0 : ch_path(from)->depth;
    if (from == to) return;
    memcpy(ch_path(to)->slots, ch_path(from)->slots, (size_t)(n < CH_PATH_FRAMES ? n : CH_PATH_FRAMES) * sizeof(uint32_t));
    ch_store_release(&ch_path(to)->depth, n);
}

static uint32_t depth_of_stack(void) { return ch_self.stack ? ch_self.stack->depth : 0; }

/* Of a context that goes on: what began in the block around it is active in its block, too. */
static void keep_around(const struct ch_scope *s) {
    for (uint32_t i = s->frames + 1; i <= depth_of_stack(); i++) {
        struct ch_frame *f = &ch_self.stack->frames[i];
        struct ch_record *inner = ch_self.stack->is_virtual ? NULL : ch_record_of(s->to, f->id);
        f->special |= CH_AROUND;
        if (inner) inner->active = 1;
    }
}

/* It ends: what began within it is dropped, and what began around it is in its own block again. */
static void bring_back(const struct ch_scope *s) {
    for (uint32_t i = depth_of_stack(); i > s->frames; i--) {
        struct ch_frame *f = &ch_self.stack->frames[i];
        struct ch_record *inner = ch_record_at(s->to, *ch_slot(s->to, f->id));
        if (!(f->special & CH_AROUND)) {
            ch_stack_drop(ch_self.stack, s->to, i - 1);
            continue;
        }
        f->special &= ~(uint32_t)CH_AROUND;
        if (inner && !ch_self.stack->is_virtual) inner->active = 0;
    }
}

/* How many of the thread's frames began further out than in this scope, the innermost one. */
static uint32_t frames_around(const struct ch_scope *s) {
    uint32_t n = s->frames < depth_of_stack() ? s->frames : depth_of_stack();
    while (n < depth_of_stack() && ch_self.stack->frames[n + 1].special & CH_AROUND) n++;
    return n;
}

/* The path goes on in the block around a context: without the context's frame, if that is the topmost one. */
static void take_path_back(const struct ch_scope *s) {
    int32_t depth = ch_path(s->to)->depth;
    if (s->apart && depth > s->path + 1) {
        copy_path(s->to, s->from);
        if (s->path < CH_PATH_FRAMES) ch_path(s->from)->slots[s->path] = s->outer && s->outer->context ? s->outer->context->slot : outside_slot;
    } else {
        ch_store_release(&ch_path(s->from)->depth, s->apart && depth < s->path ? depth : s->path);
    }
}

/* ---- entering and leaving */

static uint32_t slot_of(const struct ch_context_entered *c) { return c ? c->slot : outside_slot; }

static void use(JNIEnv *env, jthread carrier, struct ch_block *b) {
    ch_self.block = b;
    ch_self.plain = NULL;
    ch_thread_counts_in(env, carrier, b);
}

/* For the sampler of stacks. */
static void note_context(void) {
    if (ch_self.java) ch_store_relaxed(&ch_self.java->context, ch_scope_slot());
}

/* The scope is the thread's innermost one from now on. */
static void enter(JNIEnv *env, jthread carrier, struct ch_scope *s) {
    struct ch_stack *stack = ch_self.stack;
    if (!ch_self.home) ch_self.home = s->from;
    if (stack && stack == s->from->stack) {
        swap_stacks(s->from, s->to);
        if (s->apart)
            move_frames(stack, s->from, s->to);
        else
            mark_active(stack, s->frames, s->from, s->to, true);
    }
    copy_path(s->from, s->to);
    if (s->onward) ch_path_replace(s->to, s->path, slot_of(s->context));
    use(env, carrier, s->to);
    ch_store_release(&ch_self.home->used, s->to == ch_self.home ? NULL : s->to);
    ch_self.scope = s;
    note_context();
}

/* Leaves the innermost context; the block goes to the next thread that enters it. */
static struct ch_scope *leave(JNIEnv *env, jthread carrier) {
    struct ch_scope *s = ch_self.scope;
    struct ch_stack *stack = ch_self.stack;
    if (stack && stack == s->to->stack && s->from != s->to) {
        if (s->apart)
            move_frames(stack, s->to, s->from);
        else
            mark_active(stack, s->frames, s->from, s->to, false);
        swap_stacks(s->from, s->to);
    }
    bool last = !s->outer;
    ch_store_release(&ch_self.home->used, s->from == ch_self.home ? NULL : s->from);
    if (last) ch_self.home = NULL;
    use(env, carrier, s->from);
    ch_self.scope = s->outer;
    note_context();
    if (s->context) ch_context_block_give(&s->context->blocks, s->to);
    return s;
}

static void end(JNIEnv *env, jthread carrier) {
    struct ch_scope *s = ch_self.scope;
    if (s->onward)
        bring_back(s);
    else if (ch_self.stack && !s->apart)
        ch_stack_drop(ch_self.stack, s->to, s->frames);
    take_path_back(s);
    leave(env, carrier);
    free(s);
}

void ch_scopes_end(JNIEnv *env, jthread carrier) {
    while (ch_self.scope) end(env, carrier);
    ch_self.carriers = NULL;
}

static bool entered_any;
static struct ch_context_entered *ambient; /* NULL: there is none */

/* Where a thread counts that would be in this context, or in none. */
static struct ch_context_entered *effective(struct ch_context_entered *origin) {
    struct ch_context_entered *all = ch_load_acquire(&ambient);
    return all && (!origin || origin->probe == CH_NO_PROBE) ? all : origin;
}

bool ch_context_was_entered(void) { return ch_load_relaxed(&entered_any); }

uint32_t ch_scope_slot(void) { return ch_self.scope && ch_self.scope->context ? ch_self.scope->context->slot : 0; }

uint32_t ch_scope_slot_now(void) {
    const struct ch_scope *s = ch_self.scope;
    const struct ch_context_entered *c = !s ? effective(NULL) : s->follows ? effective(s->origin) : s->context;
    return c ? c->slot : 0;
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
                           .apart = context && context->probe == CH_NO_PROBE,
                           .path = ch_path(from)->depth};
    enter(env, carrier, s);
    ch_path_push(to, slot_of(context));
    return (jint)s->depth;
}

struct ch_context_entered *ch_context_of(uint32_t probe, const char *key, uint32_t bytes) {
    const struct sought wanted = {probe, bytes, key};
    uint32_t hash = hash_of(&wanted);
    struct ch_context_entered *context = find(&wanted, hash);
    return context ? context : make(&wanted, hash);
}

jint ch_scope_begin(JNIEnv *env, jthread carrier, uint32_t probe, const char *key, uint32_t bytes) {
    struct ch_context_entered *context = ch_context_of(probe, key, bytes);
    jint depth = context ? begin(env, carrier, context) : 0;
    if (depth)
        ch_block_add(&ch_shared, (jint)context->slot, 0, 1);
    else if (probe != CH_NO_PROBE)
        ch_block_add(&ch_shared, (jint)probe, CH_CONTEXT_REFUSED, 1);
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

jint ch_scope_of_task(JNIEnv *env, jthread carrier, struct ch_context_entered *origin) {
    struct ch_context_entered *context = effective(origin);
    jint depth = ch_self.silent || context == ch_scope_context() ? 0 : begin(env, carrier, context);
    if (depth) set_follows(origin);
    return depth;
}

/* ---- what all threads belong to that have no context of their own */

/* The thread's innermost scope is of another context from now on. Without room it stays what it was. */
static void change(JNIEnv *env, jthread carrier, struct ch_scope *s, struct ch_context_entered *context) {
    struct ch_stack *stack = ch_self.stack;
    struct ch_block *before = s->to, *to = context == s->context ? NULL : take(context);
    if (!to) return;
    if (stack && stack == before->stack) {
        move_frames(stack, before, to);
        swap_stacks(before, to);
    }
    copy_path(before, to);
    if (ch_path(to)->depth > s->path) ch_path_replace(to, s->path, slot_of(context));
    use(env, carrier, to);
    ch_store_release(&ch_self.home->used, to == ch_self.home ? NULL : to);
    if (s->context) ch_context_block_give(&s->context->blocks, before);
    s->to = to;
    s->context = context;
    s->apart = true;
    note_context();
}

static void follow(JNIEnv *env, jthread carrier) {
    if (ch_self.silent || ch_self.measuring) return;
    jthread self = carrier ? carrier : ch_thread_current(env);
    ch_self.ambience = ch_load_acquire(&ch_ambience);
    if (!self) return;
    if (ch_self.scope && ch_self.scope->follows)
        change(env, self, ch_self.scope, effective(ch_self.scope->origin));
    else if (!ch_self.scope && effective(NULL) && begin(env, self, effective(NULL)))
        set_follows(NULL);
    if (!carrier) (*env)->DeleteLocalRef(env, self);
}

void ch_ambient(JNIEnv *env, struct ch_context_entered *context) {
    if (context == ch_load_relaxed(&ambient)) return;
    ch_store_release(&ch_ambience_follow, follow);
    ch_store_release(&ambient, context);
    ch_store_release(&ch_ambience, ch_ambience + 1); /* tests begin and end one at a time: the script's lock */
    ch_threads_look(env);
}

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_contextBegins(JNIEnv *env, jclass c, jint probe, jthread carrier) {
    (void)c;
    return ch_scope_may_begin(probe) ? ch_scope_begin(env, carrier, (uint32_t)probe, NULL, 0) : 0;
}

static bool is_within(const struct ch_scope *s, jint depth) { return s && s != ch_self.carriers && s->depth >= (uint32_t)depth; }

/* Also ends contexts within it that were left by an exception that no probe saw. */
static void end_from(JNIEnv *env, jthread carrier, jint depth) {
    while (depth > 0 && is_within(ch_self.scope, depth)) end(env, carrier);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_contextEnds(JNIEnv *env, jclass c, jint depth, jthread carrier) {
    (void)c;
    end_from(env, carrier, depth);
    if (ch_load_relaxed(&ch_ambience)) follow(env, carrier);
}

/* ---- contexts that go on */

/* The innermost scope, which goes on, ends before the one around it. */
static void stop(JNIEnv *env, jthread carrier) {
    struct ch_scope *s = ch_self.scope;
    bring_back(s);
    copy_path(s->to, s->from);
    ch_path_replace(s->from, s->path, slot_of(s->outer->context));
    free(leave(env, carrier));
}

/* In the scope around it, the thread's work belongs to this context from now on; not in a context that was begun by name, such as a test, nor where a
 * thread has none of its own and follows that of all: what comes after the handler is no part of its request there. */
static void go_on(JNIEnv *env, jthread carrier, struct ch_context_entered *context) {
    if (!ch_self.scope || ch_self.scope == ch_self.carriers || ch_self.scope->by_mount) return;
    while (ch_self.scope->onward && frames_around(ch_self.scope) == depth_of_stack()) stop(env, carrier); /* nothing of it is active */
    struct ch_scope *around = ch_self.scope, *s = around->context == context || around->apart || around->follows ? NULL : malloc(sizeof *s);
    struct ch_block *to = s ? take(context) : NULL;
    if (!to) {
        free(s);
        return;
    }
    *s = (struct ch_scope){.outer = around,
                           .context = context,
                           .from = around->to,
                           .to = to,
                           .depth = around->depth + 1,
                           .frames = frames_around(around),
                           .path = around->path,
                           .onward = true};
    enter(env, carrier, s);
    keep_around(s);
}

/* As contextEnds; then the context goes on. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_contextGoesOn(JNIEnv *env, jclass c, jint depth, jthread carrier) {
    (void)c;
    const struct ch_scope *s = ch_self.scope;
    while (is_within(s, depth) && s->depth > (uint32_t)depth) s = s->outer;
    struct ch_context_entered *context = depth > 0 && is_within(s, depth) ? s->context : NULL;
    end_from(env, carrier, depth);
    if (context) go_on(env, carrier, context);
    if (ch_load_relaxed(&ch_ambience)) follow(env, carrier);
}

/* ---- virtual threads */

struct aside {
    uint32_t hash;
    int64_t id;
    struct ch_scope *innermost;
};
static CH_TABLE(struct aside) aside; /* the contexts of unmounted virtual threads; under the same lock */

static bool has_id(const void *entry, const void *id) { return ((const struct aside *)entry)->id == *(const int64_t *)id; }

/* Of the scopes that were kept, `s` after those around it. Where there is no room, what follows counts in the block around. */
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
    for (struct ch_scope *s = kept ? NULL : innermost, *outer; s; s = outer) { /* without memory, it goes on outside of them */
        outer = s->outer;
        free(s);
    }
}
