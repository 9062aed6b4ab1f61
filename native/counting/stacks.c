/* Shadow stacks: their memory, the methods active on a virtual thread's stack, and how that stack moves with its thread.
 *
 * 1. A platform thread's stack belongs to its block of counters; the methods' records say which are active on it. A platform thread
 *    without a block has a stack like a virtual thread's.
 * 2. A virtual thread's stack has its own table of active methods. Unmounting saves the stack under the thread's ID and mounting restores
 *    it. An empty stack is not saved but becomes spare.
 */
#include "stacks.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64, ASIDE = 4096 };

/* Stacks of unmounted virtual threads, by ID, and spare stacks. They have a lock of their own: mounting must not enter a JVMTI monitor. */
static pthread_mutex_t aside_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ch_stack *aside[ASIDE], *spare;

/* The methods active on a virtual stack: a hash table by ID with open addressing. */
struct active {
    uint32_t id, depth; /* index of the method's outermost frame + 1; 0 marks a free entry */
};

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

void ch_stack_free(struct ch_stack *s) {
    if (!s) return;
    free(s->frames);
    free(s->active);
    free(s);
}

struct ch_stack *ch_stack_take(void) {
    pthread_mutex_lock(&aside_lock);
    struct ch_stack *s = spare;
    if (s) spare = s->next;
    pthread_mutex_unlock(&aside_lock);
    return s ? s : ch_stack_new(true);
}

void ch_stack_spare(struct ch_stack *s) {
    pthread_mutex_lock(&aside_lock);
    s->next = spare;
    spare = s;
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

static struct active *active_find(struct ch_stack *s, uint32_t id) {
    uint32_t at = id * 2654435761u & (s->active_room - 1);
    while (s->active[at].depth && s->active[at].id != id) at = (at + 1) & (s->active_room - 1);
    return &s->active[at];
}

bool ch_active_enter(struct ch_stack *s, uint32_t id) {
    if (s->actives * 2 >= s->active_room) {
        struct active *old = s->active;
        uint32_t n = s->active_room, room = n ? n * 2 : 16;
        struct active *fresh = calloc(room, sizeof *fresh);
        if (!fresh) return false;
        s->active = fresh;
        s->active_room = room;
        for (uint32_t i = 0; i < n; i++)
            if (old[i].depth) *active_find(s, old[i].id) = old[i];
        free(old);
    }
    struct active *a = active_find(s, id);
    if (a->depth) return false;
    *a = (struct active){id, s->depth + 1};
    s->actives++;
    return true;
}

void ch_active_leave(struct ch_stack *s, uint32_t id) {
    uint32_t mask = s->active_room - 1, hole = (uint32_t)(active_find(s, id) - s->active);
    if (!s->active[hole].depth) return;
    s->actives--;
    s->active[hole].depth = 0;
    /* close the gap, so that a search does not stop before a later entry */
    for (uint32_t at = (hole + 1) & mask; s->active[at].depth; at = (at + 1) & mask) {
        uint32_t home = s->active[at].id * 2654435761u & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            s->active[hole] = s->active[at];
            s->active[at].depth = 0;
            hole = at;
        }
    }
}

/* ---- virtual threads */

enum { UNKNOWN = -1 }; /* ID of a virtual thread that was mounted while VirtualThread was not woven */

static uint32_t sessions; /* that have ended */

/* Its activations will not end here any more. Lock held. */
static void abandon(struct ch_stack *s) {
    memset(s->frames + 1, 0, s->depth * sizeof *s->frames);
    s->depth = s->actives = 0;
    s->fenced = false;
    s->last = CH_NO_TIME;
    if (s->active) memset(s->active, 0, s->active_room * sizeof *s->active);
    s->next = spare;
    spare = s;
}

void ch_stacks_forget_aside(void) {
    pthread_mutex_lock(&aside_lock);
    __atomic_store_n(&sessions, sessions + 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < ASIDE; i++)
        for (struct ch_stack *s; (s = aside[i]);) {
            aside[i] = s->next;
            abandon(s);
        }
    pthread_mutex_unlock(&aside_lock);
}

/* Gives up the stack of the virtual thread that was mounted last, of which nothing is known any more. */
static void give_up(void) {
    if (ch_tree()) ch_path_unmounting(0);
    if (ch_self.stack) {
        pthread_mutex_lock(&aside_lock);
        abandon(ch_self.stack);
        pthread_mutex_unlock(&aside_lock);
    }
    ch_self.stack = ch_self.plain = NULL;
}

void ch_stack_of_session(void) {
    uint32_t now = __atomic_load_n(&sessions, __ATOMIC_RELAXED);
    if (__builtin_expect(ch_self.session == now, 1)) return;
    ch_self.session = now;
    give_up();
    ch_self.virtual_id = UNKNOWN;
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_mounted(JNIEnv *env, jclass c, jlong id) {
    (void)env, (void)c;
    if (ch_self.virtual_id) give_up(); /* VirtualThread was not woven when that one unmounted */
    if (id && ch_tree()) ch_path_mounted(id);
    ch_self.session = __atomic_load_n(&sessions, __ATOMIC_RELAXED);
    ch_self.virtual_id = id;
    ch_self.stack = ch_self.plain = NULL;
    pthread_mutex_lock(&aside_lock);
    for (struct ch_stack **at = &aside[(uint64_t)id % ASIDE], *s; (s = *at); at = &s->next) {
        if (s->owner != id) continue;
        *at = s->next;
        ch_self.stack = s;
        break;
    }
    pthread_mutex_unlock(&aside_lock);
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_unmounting(JNIEnv *env, jclass c) {
    (void)env, (void)c;
    if (ch_self.virtual_id) ch_stack_of_session();
    if (ch_self.virtual_id == UNKNOWN) give_up();
    struct ch_stack *s = ch_self.virtual_id > 0 ? ch_self.stack : NULL;
    if (ch_self.virtual_id > 0 && ch_tree()) ch_path_unmounting(ch_self.virtual_id);
    if (s) {
        struct ch_stack **to = s->depth ? &aside[(uint64_t)ch_self.virtual_id % ASIDE] : &spare;
        s->owner = ch_self.virtual_id;
        pthread_mutex_lock(&aside_lock);
        s->next = *to;
        *to = s;
        pthread_mutex_unlock(&aside_lock);
    }
    ch_self.virtual_id = 0;
    ch_self.stack = ch_self.own;
    ch_self.plain = NULL;
}
