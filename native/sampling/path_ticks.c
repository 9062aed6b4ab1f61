/* Ticks of the CPU time of threads with profiled methods.
 *
 * 1. At a tick, a thread stores its own path, beside the address at which it is (cpu_ticks.c), so that both are of the
 *    same moment. Only the thread itself writes the memory of its block, which is never given back.
 * 2. The sampler reads the ticks when it wakes. The CPU time between two ticks belongs to the path at the second one,
 *    and on it to the innermost profiled method of the code in which the thread was (profiled_methods.c).
 * 3. If compiled code shows that a tick fell on a probe, its time belongs to no path.
 * 4. Of a very long path, the thread stores the innermost frames. The others change seldom; the sampler reads them
 *    later.
 */
#include "profiled_methods.h"
#include "seen_paths.h"
#include "../threads/thread_names.h"

#define PATIENCE_NS 100000000u /* of CPU time, or so many periods, without a tick */
enum { PERIODS = 16 };

static const enum ch_ran ran[] = {[CH_CODE_UNKNOWN] = CH_RAN_NATIVE,
                                  [CH_CODE_COMPILED] = CH_RAN_COMPILED,
                                  [CH_CODE_INTERPRETER] = CH_RAN_INTERPRETED,
                                  [CH_CODE_STUB] = CH_RAN_COMPILED};

/* ---- on the thread that ticks */

const struct ch_path *ch_seen_path(const struct ch_block *b) {
    const struct ch_block *used = ch_load_acquire(&b->used);
    return ch_path(used ? used : b);
}

static uint32_t depth_of(const struct ch_path *path) { return ch_path_frames(ch_load_relaxed(&path->depth)); }

static void store(const void *thread, struct ch_tick *tick) {
    const struct ch_block *b = thread;
    const struct ch_path *path = ch_seen_path(b);
    uint64_t cpu = ch_thread_cpu_ns();
    uint32_t depth = depth_of(path), outer = depth > CH_TICK_FRAMES ? depth - CH_TICK_FRAMES : 0;
    tick->path.owner = ch_load_relaxed(&b->owner);
    tick->path.cpu_ns = cpu;
    tick->path.apart_ns = ch_apart_until(&b->apart_cpu, cpu);
    tick->path.depth = depth;
    tick->path.frames = depth - outer;
    for (uint32_t i = outer; i < depth; i++) tick->path.slots[i - outer] = ch_load_relaxed(&path->slots[i]);
}

/* ---- on the sampler's thread */

uint64_t ch_seen_own(uint64_t *known, uint64_t apart, uint64_t since) {
    uint64_t agents = apart > *known ? apart - *known : 0;
    if (agents > since) agents = since;
    *known += agents;
    return since - agents;
}

void ch_seen_give(struct ch_seen *seen, uint32_t node, uint64_t cpu, uint64_t wall) {
    ch_calls_add(&ch_profiled, node, cpu, wall);
    seen->given_ns += cpu;
}

uint32_t ch_seen_root(const struct ch_block *b) {
    return b->thread_name ? ch_calls_node(&ch_profiled, 0, CH_THREAD | b->thread_name->slot) : 0;
}

static uint32_t outer_node(const struct ch_block *b, uint32_t outer, uint32_t node) {
    const struct ch_path *path = ch_seen_path(b);
    if (outer > depth_of(path)) { /* the outermost ones are there */
        ch_tree()->torn++;
        outer = depth_of(path);
    }
    for (uint32_t i = 0; i < outer; i++) node = ch_calls_node(&ch_profiled, node, ch_load_relaxed(&path->slots[i]));
    return node;
}

static void give(const struct ch_block *b, const struct ch_tick *tick) {
    struct ch_seen *seen = b->seen;
    struct ch_tree *tree = ch_tree();
    const struct ch_tick_path *path = &tick->path;
    struct ch_code_place code;
    if (path->owner != seen->owner || path->cpu_ns <= seen->ticked_cpu_ns) return;
    uint64_t spent = path->cpu_ns - seen->ticked_cpu_ns;
    uint64_t used = ch_seen_own(&seen->ticked_apart_ns, path->apart_ns, spent);
    seen->ticked_cpu_ns = path->cpu_ns;
    seen->given_ns += spent - used;
    tree->cpu_ns[CH_RAN_AGENT] += spent - used;
    if (!used) return;
    ch_code_at(tick, &code);
    if (ch_profiled_in_probe(&code)) {
        seen->given_ns += used;
        tree->cpu_ns[CH_RAN_PROBES] += used;
        return;
    }
    uint32_t root = ch_seen_root(b), node = outer_node(b, path->depth - path->frames, root);
    node = ch_profiled_node(&ch_profiled, node, path, &code);
    tree->samples++;
    tree->cpu_ns[ran[code.kind]] += used;
    ch_calls_interval(&ch_profiled, spent);
    ch_seen_give(seen, node, used, used);
    if (node != root) seen->node = node;
}

void ch_path_ticks_give(void) {
    struct ch_tick fell[CH_TICKS_KEPT];
    for (struct ch_ticked *t = ch_ticked_now(&ch_ticks_of_paths), *then; t; t = then) {
        then = t->then;
        uint32_t n = ch_ticks_take(t, fell);
        for (uint32_t i = 0; i < n; i++) give(t->thread, &fell[i]);
    }
}

/* ---- beginning and ending */

void ch_path_ticks_begin(struct ch_block *b) {
    struct ch_seen *seen = b->seen;
    seen->ticked_cpu_ns = seen->cpu_ns;
    seen->ticked_apart_ns = seen->apart_cpu_ns;
    ch_ticks_of_paths.period_ns = ch_period();
    ch_ticked_begin(&ch_ticks_of_paths, &seen->ticked, ch_owner_tid(seen->owner), b, true);
}

/* From now on, looks give CPU time, too. Until now, they gave wall time only: both clocks are set to the last tick. */
void ch_path_ticks_end(struct ch_seen *seen) {
    if (!seen->ticked) return;
    ch_ticked_end(seen->ticked);
    seen->ticked = NULL;
    seen->wall_ns += seen->ticked_cpu_ns - seen->cpu_ns;
    seen->cpu_ns = seen->ticked_cpu_ns;
    seen->apart_cpu_ns = seen->ticked_apart_ns;
}

/* A thread may block the signal. */
void ch_path_ticks_check(struct ch_seen *seen) {
    uint64_t patience = PERIODS * ch_period();
    if (seen->cpu_ns > seen->ticked_cpu_ns + (patience > PATIENCE_NS ? patience : PATIENCE_NS)) ch_path_ticks_end(seen);
}

static void say_without(const char *why) {
    ch_ticks_say_none(why,
                      "`profile` gives CPU time only where a sample found a thread running, and none to short methods");
}

void ch_path_ticks_start(void) {
    ch_ticks_of_paths.store = store;
    if (!ch_ticks_start(&ch_ticks_of_paths, ch_period()))
        say_without("this process has no signal for ticks of CPU time");
}

void ch_path_ticks_look(void) {
    if (!ch_ticks_of_paths.on || ch_ticks_come()) return;
    ch_ticks_stop(&ch_ticks_of_paths);
    ch_path_ticks_give();
    for (struct ch_block *b = ch_blocks(); b; b = ch_load_acquire(&b->next))
        if (b->seen) ch_path_ticks_end(b->seen);
    say_without("the program has taken the signal for ticks of CPU time");
}
