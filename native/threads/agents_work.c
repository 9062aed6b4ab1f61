/* The agent's work in a thread of the program: it looks up or weaves a class that the thread loads. The time of this
 * belongs to no method.
 *
 * 1. Samplers leave out its CPU time and its wall time (`agents_ns`).
 * 2. The starts of active timed calls are moved on by its duration, as if the clock had stood still.
 * 3. The start of a watched call is in a local variable of its method. So if calls are watched, the work is noted, and
 *    subtracted when the call ends. A virtual thread also subtracts the work for others on the same carrier.
 */
#include "../base/clock.h"
#include "../base/sorted.h"
#include "../timing/shadow_stacks.h"
#include "threads.h"
#include <stdlib.h>
#include <string.h>

struct ch_agents_work {
    size_t n, room;
    struct work {
        uint64_t ended, ticks; /* ticks: of all until then */
    } all[];
};

static void note(uint64_t ended, uint64_t ticks) {
    enum { FIRST_ROOM = 16, MOST = 1 << 14 };
    struct ch_agents_work *w = ch_self.agents_work;
    if (w && w->n == MOST) { /* calls that began before the older half keep what is in it */
        w->n -= MOST / 2;
        memmove(w->all, w->all + MOST / 2, w->n * sizeof *w->all);
    }
    if (!w || w->n == w->room) {
        size_t room = w ? w->room * 2 : FIRST_ROOM;
        struct ch_agents_work *more = realloc(w, sizeof *w + room * sizeof *w->all);
        if (!more) return;
        if (!w) more->n = 0;
        more->room = room;
        ch_self.agents_work = w = more;
    }
    w->all[w->n] = (struct work){ended, (w->n ? w->all[w->n - 1].ticks : 0) + ticks};
    w->n++;
}

uint64_t ch_agents_work_since(uint64_t begun) {
    const struct ch_agents_work *w = ch_self.agents_work;
    if (!w) return 0;
    size_t first = ch_first_where(w->n, i, w->all[i].ended > begun);
    return w->all[w->n - 1].ticks - (first ? w->all[first - 1].ticks : 0);
}

void ch_agents_work_forget(void) {
    free(ch_self.agents_work);
    ch_self.agents_work = NULL;
}

uint64_t ch_agents_work_begins(void) {
    struct ch_java_thread *t = ch_self.java;
    if (ch_self.agents_depth++) return 0;
    if (t) ch_store_relaxed(&t->agents_since_ns, ch_monotonic_ns());
    return ch_about_now();
}

void ch_agents_work_ends(uint64_t began) {
    struct ch_java_thread *t = ch_self.java;
    if (--ch_self.agents_depth) return;
    uint64_t now = ch_about_now(), took = now > began ? now - began : 0;
    if (t && t->agents_since_ns) { /* else the thread is known only since the work began */
        ch_store_relaxed(&t->agents_ns, t->agents_ns + ch_monotonic_ns() - t->agents_since_ns);
        ch_store_relaxed(&t->agents_since_ns, 0);
    }
    if (ch_self.stack) ch_stack_stood_still(ch_self.stack, took);
    if (ch_wanted.watch) note(now, took);
}
