/* What the next run does of each method under a budget: times all its calls, has its path sampled, or only counts it.
 *
 * The budget is a share of the CPU time that was sampled. It is given out in two rounds:
 * 1. Frames on the path, for the methods whose calls take most by themselves. What remains, at the end of this order, is called so often
 *    for so little that frames would cost more than they tell: it is only counted. What a call of it takes is remembered.
 * 2. Timing, for the methods whose calls take most from entry to exit, if it costs no more than the budget's share of that.
 *
 * A change makes the next run weave a class anew, so what an earlier run decided stands as long as it is not far off (`stands`).
 */
#include "stacks.h"
#include <stdlib.h>

enum {
    FRAME_NS = 3,          /* of a frame on the path, beyond a count (tests/bench/probes.py) */
    PATHS = 700,           /* per mille of the budget that the first round may use */
    UNSEEN_NS = 100000,    /* what may not have been seen of a method: else one that is called rarely looks as if it took nothing */
    WORTH_NOTHING = 10     /* calls: a method with fewer is timed without more ado */
};

static double self_of_a_call(const struct ch_budgeted *m) { return (double)(m->cpu_self_ns + UNSEEN_NS) / (double)m->calls; }
static double time_of_a_call(const struct ch_budgeted *m) { return m->mean_ns; }

static int by_self(const void *a, const void *b) {
    double x = self_of_a_call(*(struct ch_budgeted *const *)a), y = self_of_a_call(*(struct ch_budgeted *const *)b);
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_time(const void *a, const void *b) {
    double x = time_of_a_call(*(struct ch_budgeted *const *)a), y = time_of_a_call(*(struct ch_budgeted *const *)b);
    return x < y ? 1 : x > y ? -1 : 0;
}

static double cost_of(const struct ch_budgeted *m, enum ch_tier tier) {
    double calls = (double)m->calls;
    return tier == CH_TIMED ? calls * ch_pace_cost_ns() : tier == CH_PATH_SAMPLED ? calls * FRAME_NS : 0;
}

/* `slack`: how much more timing may cost than the budget says, of the method's own time. */
static bool may_be_timed(const struct ch_budgeted *m, double slack) {
    return m->calls <= WORTH_NOTHING || ch_pace_cost_ns() * 1000 <= time_of_a_call(m) * m->budget * slack;
}

/* Whether what was decided before still fits these figures, within a half. */
static bool stands(struct ch_budgeted *const *all, size_t n, double cpu_ns) {
    double spent = 0, allowed = 0, unknown = 0;
    bool only_counted = false;
    for (size_t i = 0; i < n; i++) {
        enum ch_tier tier = all[i]->tier;
        if (tier == CH_TIMED && !may_be_timed(all[i], 2)) return false;
        if (tier == CH_UNKNOWN) unknown += cost_of(all[i], CH_PATH_SAMPLED);
        only_counted |= tier == CH_ONLY_COUNTED;
        spent += cost_of(all[i], tier);
        if (cpu_ns * all[i]->budget / 1000 > allowed) allowed = cpu_ns * all[i]->budget / 1000;
    }
    return unknown < allowed / 20 && spent < allowed * 1.3 && (!only_counted || spent > allowed / 2);
}

static void give_out(struct ch_budgeted **all, size_t n, double cpu_ns) {
    double spent = 0;
    qsort(all, n, sizeof *all, by_self);
    for (size_t i = 0; i < n; i++) {
        double more = cost_of(all[i], CH_PATH_SAMPLED);
        bool fits = spent + more <= cpu_ns * all[i]->budget / 1000 * PATHS / 1000;
        all[i]->tier = fits ? CH_PATH_SAMPLED : CH_ONLY_COUNTED;
        if (fits) spent += more;
    }
    qsort(all, n, sizeof *all, by_time);
    for (size_t i = 0; i < n; i++) {
        double more = cost_of(all[i], CH_TIMED) - cost_of(all[i], all[i]->tier);
        if (!may_be_timed(all[i], 1) || spent + more > cpu_ns * all[i]->budget / 1000) continue;
        all[i]->tier = CH_TIMED;
        spent += more;
    }
}

void ch_tiers_decide(struct ch_budgeted *methods, size_t n) {
    struct ch_path_times *times = NULL;
    struct ch_budgeted **called = malloc((n + 1) * sizeof *called);
    uint64_t cpu_ns = ch_tree_times(&times);
    size_t k = 0;
    ch_lock();
    for (size_t i = 0; called && times && i < n; i++) {
        struct ch_budgeted *m = &methods[i];
        ch_pace_figures(m, times);
        if (m->calls) called[k++] = m;
    }
    ch_unlock();
    if (k && !stands(called, k, (double)cpu_ns)) give_out(called, k, (double)cpu_ns);
    /* what is new to an assignment that stands is found out by the next run */
    free(times);
    free(called);
}
