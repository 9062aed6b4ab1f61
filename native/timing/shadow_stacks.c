/* Shadow stacks: their memory, the methods active on a virtual thread's stack, and how that stack moves with its
 * thread.
 *
 * 1. A platform thread's stack belongs to its block of counters; the methods' records say which are active on it. A
 *    platform thread without a block has a stack like a virtual thread's.
 * 2. A virtual thread's stack has its own table of active methods. Unmounting saves the stack under the thread's ID and
 *    mounting restores it. An empty stack is not saved but becomes spare.
 */
#include "shadow_stacks.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

struct aside {
    uint32_t hash;
    struct ch_stack *stack;
};

/* Stacks of unmounted virtual threads, by ID, and spare stacks. They have a lock of their own: mounting must not enter
 * a JVMTI monitor. */
static pthread_mutex_t aside_lock = PTHREAD_MUTEX_INITIALIZER;
static CH_TABLE(struct aside) aside;
static struct ch_stack *spare;

static bool is_owner(const void *entry, const void *id) {
    return ((const struct aside *)entry)->stack->owner == *(const int64_t *)id;
}

static struct ch_frame *new_frames(uint32_t n) {
    struct ch_frame *frames = aligned_alloc(64, n * sizeof *frames);
    return frames ? memset(frames, 0, n * sizeof *frames) : NULL;
}

struct ch_stack *ch_stack_new(bool is_virtual) {
    struct ch_stack *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->is_virtual = is_virtual;
    s->room = is_virtual ? 16 : FIRST_ROOM;
    s->last = CH_NO_TIME;
    s->frames = new_frames(s->room);
    if (!s->frames) {
        free(s);
        return NULL;
    }
    s->frames->special = CH_BOTTOM;
    return s;
}

struct ch_stack *ch_stack_take(void) {
    pthread_mutex_lock(&aside_lock);
    struct ch_stack *s = spare;
    if (s) spare = s->next;
    pthread_mutex_unlock(&aside_lock);
    return s ? s : ch_stack_new(true);
}

/* Lock held. */
static void give_back(struct ch_stack *s) {
    s->next = spare;
    spare = s;
}

void ch_stack_outside(struct ch_stack *s) {
    if (!s->regions) return;
    memset(s->inside, 0, sizeof s->inside);
    s->regions = 0;
}

void ch_stack_stood_still(struct ch_stack *s, uint64_t ticks) {
    for (uint32_t i = 1; i <= s->depth; i++) s->frames[i].start += ticks;
    if (s->last != CH_NO_TIME) s->last += ticks;
    s->since += ticks;
}

void ch_stack_spare(struct ch_stack *s) {
    pthread_mutex_lock(&aside_lock);
    give_back(s);
    pthread_mutex_unlock(&aside_lock);
}

bool ch_stack_grow(struct ch_stack *s) {
    struct ch_frame *more = s->room < UINT32_MAX / 2 ? new_frames(s->room * 2) : NULL;
    if (!more) return false;
    memcpy(more, s->frames, s->room * sizeof *more);
    free(s->frames);
    s->frames = more;
    s->room *= 2;
    return true;
}

/* ---- which methods are active on a virtual thread's stack */

static bool is_method(const void *entry, const void *id) {
    return ((const struct ch_numbered *)entry)->number == *(const uint32_t *)id;
}

bool ch_active_enter(struct ch_stack *s, uint32_t id) {
    uint32_t hash = ch_hash_number(id);
    if (ch_table_find(&s->active, hash, is_method, &id)) return false;
    return ch_table_add(&s->active, hash, &(struct ch_numbered){.number = id});
}

void ch_active_leave(struct ch_stack *s, uint32_t id) {
    struct ch_numbered *a = ch_table_find(&s->active, ch_hash_number(id), is_method, &id);
    if (a) ch_table_remove(&s->active, a);
}

/* ---- virtual threads */

enum { UNKNOWN = -1 }; /* ID of a virtual thread that was mounted while VirtualThread was not woven */

static uint32_t sessions; /* that have ended */

/* Abandons a stack: its activations will not end here any more. Lock held. */
static void abandon(struct ch_stack *s) {
    memset(s->frames + 1, 0, s->depth * sizeof *s->frames);
    s->depth = 0;
    s->fenced = false;
    s->last = CH_NO_TIME;
    ch_stack_outside(s);
    ch_table_clear(&s->active);
    give_back(s);
}

void ch_stacks_drop_unmounted(void) {
    pthread_mutex_lock(&aside_lock);
    ch_store_relaxed(&sessions, sessions + 1);
    for (struct aside *a = ch_table_next(&aside, NULL); a; a = ch_table_next(&aside, a)) abandon(a->stack);
    ch_table_clear(&aside);
    pthread_mutex_unlock(&aside_lock);
}

/* Gives up the stack of the virtual thread that was mounted last, of which nothing is known any more. */
static void give_up(void) {
    if (ch_self.stack) {
        pthread_mutex_lock(&aside_lock);
        abandon(ch_self.stack);
        pthread_mutex_unlock(&aside_lock);
    }
    ch_self.stack = ch_self.plain = NULL;
}

void ch_stack_of_session(void) {
    uint32_t now = ch_load_relaxed(&sessions);
    if (__builtin_expect(ch_self.session == now, 1)) return;
    ch_self.session = now;
    give_up();
    ch_self.virtual_id = UNKNOWN;
}

bool ch_stack_is_of(int64_t id) {
    return ch_self.virtual_id == id && (!id || ch_self.session == ch_load_relaxed(&sessions));
}

void ch_stack_mounted(int64_t id) {
    if (ch_self.virtual_id) give_up(); /* VirtualThread was not woven when that one unmounted */
    ch_self.session = ch_load_relaxed(&sessions);
    ch_self.virtual_id = id;
    ch_self.stack = ch_self.plain = NULL;
    pthread_mutex_lock(&aside_lock);
    struct aside *a = ch_table_find(&aside, ch_hash_number((uint64_t)id), is_owner, &id);
    if (a) {
        ch_self.stack = a->stack;
        ch_table_remove(&aside, a);
    }
    pthread_mutex_unlock(&aside_lock);
}

int64_t ch_stack_leaves(void) {
    if (ch_self.virtual_id) ch_stack_of_session();
    if (ch_self.virtual_id == UNKNOWN) give_up();
    return ch_self.virtual_id > 0 ? ch_self.virtual_id : 0;
}

void ch_stack_unmounting(int64_t id) {
    struct ch_stack *s = id ? ch_self.stack : NULL;
    if (s) {
        s->owner = id;
        pthread_mutex_lock(&aside_lock);
        if (!s->depth && !s->regions)
            give_back(s);
        else if (!ch_table_add(&aside, ch_hash_number((uint64_t)s->owner), &(struct aside){.stack = s}))
            abandon(s); /* without memory, its activations are not timed */
        pthread_mutex_unlock(&aside_lock);
    }
    ch_self.virtual_id = 0;
    ch_self.stack = ch_self.own;
    ch_self.plain = NULL;
}
