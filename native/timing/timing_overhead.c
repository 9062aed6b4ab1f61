/* The cost of timing in the running program: a record's `inside` and `around`.
 *
 * 1. Probes divide a thread's time into stretches, each from one reading of the clock to the next: before a method's
 *    entry, which is its caller's own time, and before its exit, which is its own. Each stretch also has what comes
 *    after the first reading in one probe and before the second one in the next. So what a method's probes cost is two
 *    figures: `around` in the stretches before its entries, `inside` in those before its exits.
 * 2. Both depend on the caches and on what is around: the processor begins an instruction before earlier ones have
 *    ended, a reading of the clock, too, if there is no fence before it. So the time of a loop's last multiplications
 *    may be in the next method's stretch; a fence before each reading would take longer than all else that a probe
 *    does.
 * 3. So a few stretches, chosen at random, are measured. Such a one as it usually is; and the one after it alone: with
 *    a fence and a reading at the end of the probe before, and both at the begin of the next one. The difference of the
 *    means is the figure; it may be negative, where other stretches have the time. The sums are right: what one stretch
 *    has too much, its neighbour lacks.
 * 4. Times vary, and differences of means with them: with few readings the figure is nearer to that of a loop at the
 *    start. Stretches above LONGEST tell nothing: the thread may have been interrupted. Old readings lose weight, since
 *    code gets compiled.
 * 5. A sampled activation stands for many others, so its readings are fenced, and its figures those of a loop at the
 *    start.
 * 6. The time of measuring itself is charged to the frame, as callees' time is: it is in no reported time.
 */
#include "timing_overhead.h"
#include <math.h>

enum {
    LONGEST = 2048,  /* ticks */
    SPREAD = 80,     /* of the figure, in ticks, if nothing is known but the loop's */
    FEW = 8,
    NEAR = 16,
    MOST = 256,      /* readings; then the old ones count half */
    ENOUGH = 48,     /* readings after which fewer are made */
    SOMETIMES = 127,
    RARELY = 1023 /* masks */
};

struct ch_costs ch_costs = {.rarely = UINT32_MAX};

static void charge(struct ch_frame *f, int64_t ticks) {
    f->callees += ticks;
    f->probes += ticks;
    f->probes_below += ticks;
    f->special |= CH_CHARGED;
}

static void read_gauge(struct ch_gauge *g, int64_t ticks) {
    if (ticks > LONGEST) return;
    double x = (double)ticks, mean = g->n > 0 ? g->sum / g->n : 0;
    if (g->n >= FEW &&
        x > mean) { /* one that is far off is not to have much weight: the thread may have been interrupted */
        double most = mean + 2 * sqrt((g->squares - g->sum * mean) / g->n + 1) + NEAR;
        if (x > most) x = most;
    }
    if (g->n >= MOST) {
        g->n /= 2;
        g->sum /= 2;
        g->squares /= 2;
    }
    g->n++;
    g->sum += x;
    g->squares += x * x;
}

/* The square of the standard error of the mean. */
static double error_of(const struct ch_gauge *g) {
    double variance = (g->squares - g->sum * g->sum / g->n) / (g->n - 1);
    return (variance > 1 ? variance : 1) / g->n;
}

static int32_t difference(const struct ch_stretch *stretch, int64_t at_start) {
    const struct ch_gauge *usual = &stretch->usual, *alone = &stretch->alone;
    if (usual->n < 2 || alone->n < 2) return (int32_t)at_start;
    double found = usual->sum / usual->n - alone->sum / alone->n, known = SPREAD * SPREAD;
    double part = known / (known + error_of(usual) + error_of(alone)),
           ticks = (double)at_start + part * (found - (double)at_start);
    return (int32_t)(ticks < 0 ? ticks - 0.5 : ticks + 0.5);
}

static void learn(struct ch_record *r, bool at_exit) {
    if (at_exit)
        r->inside = difference(&r->before_exit, ch_costs.inside);
    else
        r->around = difference(&r->before_entry, ch_costs.around);
    double n = r->before_exit.alone.n < r->before_entry.alone.n ? r->before_exit.alone.n : r->before_entry.alone.n;
    r->rarely = n < ENOUGH ? CH_MEASURED_FIRST : n < 2 * ENOUGH ? SOMETIMES : RARELY;
}

void ch_stretch_seen(struct ch_record *r, bool at_exit, int64_t ticks) {
    if (ticks < 0) return; /* the probe before it was not as usual */
    read_gauge(at_exit ? &r->before_exit.usual : &r->before_entry.usual, ticks);
    learn(r, at_exit);
}

void ch_alone_begins(struct ch_stack *s, uint64_t since) {
    s->since = since;
    s->fenced = true;
    ch_self.plain = NULL;
    s->last = ch_now(); /* nothing comes after it that would take time */
}

/* The longer a stretch is, the more of the call and return around it the processor did at the same time: at most half
 * of what they take. */
static int64_t beside_overhead(int64_t ticks) {
    int64_t most = ch_costs.alone / 2;
    return ticks > 0 ? ticks + most * ticks / (ticks + most + 1) : ticks;
}

void ch_alone_ends(struct ch_stack *s, struct ch_frame *f, struct ch_record *r, bool at_exit, uint64_t arrived,
                   uint64_t now) {
    int64_t alone = beside_overhead((int64_t)(arrived - s->last) - ch_costs.alone);
    int64_t taken_off = at_exit ? r ? r->inside : ch_costs.fenced_inside : r ? r->around : ch_costs.fenced_around;
    charge(f, (int64_t)(now - s->since) - alone - taken_off);
    s->fenced = false;
    s->last = CH_NO_TIME;
    if (!r) return;
    read_gauge(at_exit ? &r->before_exit.alone : &r->before_entry.alone, alone);
    learn(r, at_exit);
}
