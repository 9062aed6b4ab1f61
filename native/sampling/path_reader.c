/* Reads the path of a thread that runs on meanwhile, and finds its node in the call tree.
 *
 * 1. The first reading counts: it takes the cache line with the depth away from the thread, whose next store has to
 *    fetch it again. What is read after that is mostly the state behind that store, so that short methods would seem to
 *    be left always. Nor may another line of the path be taken before it: the thread would wait at the entry of a short
 *    method, and not be seen inside.
 * 2. While the outer frames are read, others may take their places. So they are read again; if one differs, the path is
 *    read anew, after a pause in which the thread goes on undisturbed. After a few times, the frames that did not
 *    change are taken for all.
 * 3. Frames that are as they were at the last look keep their nodes.
 */
#include "sampling.h"
#include <stdlib.h>

enum { TRIES = 3, PAUSE = 64 /* spins, more than a microsecond */ };

/* Later loads do not begin before earlier ones have their values. In order they always look, but the processor asks for
 * the lines ahead. */
static void finish_loads(void) {
#if defined __x86_64__
    __builtin_ia32_lfence();
#elif defined __aarch64__
    __asm__ volatile("dmb ishld\n\tisb" ::: "memory");
#endif
}

static bool make_room(struct ch_frames *seen, uint32_t n) {
    if (n <= seen->room) return true;
    uint32_t room = seen->room ? seen->room : 64;
    while (room < n) room *= 2;
    struct step *more = realloc(seen->steps, room * sizeof *more);
    if (!more) return false;
    seen->steps = more;
    seen->room = room;
    return true;
}

/* The frames from the outermost on, as far as they are known: how many, and whether they are as they were at the last
 * call. Frames that did not change keep their nodes; of the others, the node is not set yet. */
static bool read_frames(const struct ch_path *path, struct ch_frames *seen, uint32_t *same) {
    int32_t depth = ch_load_acquire(&path->depth);
    finish_loads();
    uint32_t n = ch_path_frames(depth), top = n ? ch_load_relaxed(&path->slots[n - 1]) : 0;
    if (!make_room(seen, n)) return false;
    bool changed = n != seen->n;
    uint32_t equal = 0;
    bool still = true;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = i == n - 1 ? top : ch_load_relaxed(&path->slots[i]);
        still = still && i < seen->n && seen->steps[i].slot == slot;
        equal += still;
        seen->steps[i].slot = slot;
    }
    *same = equal;
    seen->n = n;
    return !changed && equal == n;
}

/* The number of outer frames, from the outermost on, whose places others have not taken. */
static uint32_t unchanged(const struct ch_path *path, const struct ch_frames *seen, uint32_t outer) {
    uint32_t n = 0;
    ch_fence_acquire();
    while (n < outer && ch_load_relaxed(&path->slots[n]) == seen->steps[n].slot) n++;
    return n;
}

static void pause_a_little(void) {
    for (int i = 0; i < PAUSE; i++)
#if defined __x86_64__
        __builtin_ia32_pause();
#else
        __asm__ volatile("" ::: "memory");
#endif
}

uint32_t ch_frames_read(const struct ch_path *path, uint32_t root, struct ch_frames *seen, bool *idle) {
    uint32_t known = 0, same = 0;
    *idle = read_frames(path, seen, &known);
    for (int tries = 1;; tries++) {
        uint32_t outer = seen->n ? seen->n - 1 : 0, still = unchanged(path, seen, outer);
        if (still == outer) break;
        if (tries == TRIES) {
            seen->n = still;
            known = known < still ? known : still;
            ch_tree()->torn++;
            break;
        }
        pause_a_little();
        (void)read_frames(path, seen, &same);
        known = known < same ? known : same;
    }
    uint32_t node = known ? seen->steps[known - 1].node : root;
    for (uint32_t i = known; i < seen->n; i++)
        node = seen->steps[i].node = ch_calls_node(&ch_profiled, node, seen->steps[i].slot);
    return node;
}
