/* Paths: which profiled methods run in a thread, one called by the other.
 *
 * 1. The tracker writes a method's first slot at the path's depth when it is entered, and puts the depth back when it
 *    is left (tracker/Paths.java), in the thread's own block: plain memory, which the sampler reads at any time. Timed
 *    methods are on it too, once a profile is taken (timing.c).
 * 2. A frame remembers its depth, so an exit also ends the frames above it that were left without one (a
 *    super() that threw).
 * 3. A virtual thread's path is put aside when it unmounts, and its carrier's own while it is mounted. Depths begin at
 *    0 in each, so that the frames' depths are right on whatever carrier it runs next.
 */
#include "timing.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ASIDE = 4096 };

struct ch_saved_path {
    struct ch_saved_path *next;
    int64_t id; /* of the virtual thread */
    int32_t depth;
    uint32_t slots[];
};

static pthread_mutex_t aside_lock = PTHREAD_MUTEX_INITIALIZER; /* mounting may not enter a JVMTI monitor */
static struct ch_saved_path *aside[ASIDE];
static uint32_t takings;

uint32_t ch_path_takings(void) { return ch_load_relaxed(&takings); }

void ch_path_taken(struct ch_block *b) {
    uint64_t number = ch_add_relaxed(&takings, 1) + 1;
    ch_path(b)->depth = 0;
    b->apart_cpu = b->apart_wall = (struct ch_apart_time){0, 0};
    b->taken_cpu_ns = ch_thread_cpu_ns();
    b->taken_wall_ns = ch_monotonic_ns();
    ch_store_release(&b->owner, number << 32 | (uint32_t)syscall(SYS_gettid));
}

void ch_path_left(struct ch_block *b) {
    uint64_t cpu = ch_thread_cpu_ns();
    ch_store_relaxed(&b->all_ended_cpu_ns, b->all_ended_cpu_ns + cpu - b->taken_cpu_ns);
    ch_store_relaxed(&b->ended_cpu_ns, cpu);
    ch_store_relaxed(&b->ended_wall_ns, ch_monotonic_ns());
    ch_store_release(&b->ended, b->owner);
    ch_store_release(&b->owner, 0);
    free(ch_self.below);
    ch_self.below = NULL;
}

int32_t ch_path_push(struct ch_block *b, uint32_t slot) {
    if (ch_block_is_shared(b)) return -1;
    struct ch_path *path = ch_path(b);
    int32_t depth = path->depth;
    /* a program may have set any depth */
    path->slots[(uint32_t)depth < CH_PATH_FRAMES ? depth : CH_PATH_FRAMES - 1] = slot;
    ch_store_release(&path->depth, (int32_t)((uint32_t)depth + 1));
    return depth;
}

void ch_path_pop(struct ch_block *b, int32_t depth) {
    if (depth >= 0 && !ch_block_is_shared(b)) ch_store_release(&ch_path(b)->depth, depth);
}

void ch_path_replace(struct ch_block *b, int32_t depth, uint32_t slot) {
    if (depth >= 0 && depth < CH_PATH_FRAMES && !ch_block_is_shared(b))
        ch_store_relaxed(&ch_path(b)->slots[depth], slot);
}

/* The block's path in memory of its own, and an empty one in the block. NULL: it was empty, or there is no memory. */
static struct ch_saved_path *put_aside(struct ch_block *b, int64_t id) {
    struct ch_path *path = ch_path(b);
    uint32_t n = ch_path_frames(path->depth);
    struct ch_saved_path *p = n ? malloc(sizeof *p + n * sizeof *p->slots) : NULL;
    if (p) {
        p->id = id;
        p->depth = path->depth;
        memcpy(p->slots, path->slots, n * sizeof *p->slots);
    }
    ch_store_relaxed(&path->depth, 0);
    return p;
}

static void take_up(struct ch_block *b, struct ch_saved_path *p) {
    struct ch_path *path = ch_path(b);
    if (p) memcpy(path->slots, p->slots, ch_path_frames(p->depth) * sizeof *p->slots);
    ch_store_release(&path->depth, p ? p->depth : 0);
    free(p);
}

void ch_path_mounted(int64_t id) {
    struct ch_saved_path *found = NULL;
    pthread_mutex_lock(&aside_lock);
    for (struct ch_saved_path **at = &aside[(uint64_t)id % ASIDE]; *at; at = &(*at)->next) {
        if ((*at)->id != id) continue;
        found = *at;
        *at = found->next;
        break;
    }
    pthread_mutex_unlock(&aside_lock);
    struct ch_block *b = ch_self.block || !found ? ch_self.block : ch_block_take();
    if (!b || ch_block_is_shared(b)) {
        free(found);
        return;
    }
    ch_self.below = put_aside(b, 0);
    take_up(b, found);
}

void ch_path_unmounting(int64_t id) {
    struct ch_block *b = ch_self.block;
    if (!b || ch_block_is_shared(b)) return;
    struct ch_saved_path *p = put_aside(b, id);
    take_up(ch_block_home(), ch_self.below); /* the thread leaves its contexts, too */
    ch_self.below = NULL;
    if (!p) return;
    if (!id) {
        free(p);
        return;
    }
    pthread_mutex_lock(&aside_lock);
    p->next = aside[(uint64_t)id % ASIDE];
    aside[(uint64_t)id % ASIDE] = p;
    pthread_mutex_unlock(&aside_lock);
}

void ch_paths_drop_unmounted(void) {
    pthread_mutex_lock(&aside_lock);
    for (size_t i = 0; i < ASIDE; i++)
        for (struct ch_saved_path *p = aside[i], *next; p; p = next) {
            next = p->next;
            free(p);
        }
    memset(aside, 0, sizeof aside);
    pthread_mutex_unlock(&aside_lock);
}

struct ch_apart ch_apart_begin(void) {
    struct ch_block *b = ch_tree() ? ch_block_home() : NULL;
    if (!b) return (struct ch_apart){NULL};
    ch_store_relaxed(&b->apart_wall.from_ns, ch_monotonic_ns());
    ch_store_relaxed(&b->apart_cpu.from_ns, ch_thread_cpu_ns());
    return (struct ch_apart){b};
}

/* Whoever looks between the two stores finds too little. */
static void end(struct ch_apart_time *time, uint64_t now) {
    uint64_t from = time->from_ns;
    ch_store_relaxed(&time->from_ns, 0);
    ch_store_relaxed(&time->ns, time->ns + now - from);
}

void ch_apart_end(struct ch_apart a) {
    if (!a.block || a.block != ch_block_home()) return;
    end(&a.block->apart_cpu, ch_thread_cpu_ns());
    end(&a.block->apart_wall, ch_monotonic_ns());
}

uint64_t ch_apart_until(const struct ch_apart_time *time, uint64_t now) {
    uint64_t from = ch_load_relaxed(&time->from_ns);
    return ch_load_relaxed(&time->ns) + (from && now > from ? now - from : 0);
}
