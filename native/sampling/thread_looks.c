/* Looks at a Java thread: its clocks, its stack, and the code on which its ticks fell.
 *
 * 1. CPU time since the last look, by the thread's clock, is divided among its ticks. Wall time since then goes with
 *    it.
 * 2. Without ticks, it is given to the stack at a random moment if the thread is seen running; it waits until then.
 * 3. A thread whose CPU clock stood still since the last look is where it was; it costs a reading of the clock. It is
 *    looked at less and less often. So is one with very many frames, which it has to walk itself.
 * 4. The rest of the time when a thread ends belongs to the stack on which it was last seen running, if it is little;
 *    else it was not seen. Time in the agent's class hook is the agent's.
 */
#include "../threads/thread_names.h"
#include "sampling.h"

/* ns for each frame of a stack, until the thread is looked at again: a frame takes it 0.3 to 0.8 us
 * (tools/bench/deep.py) */
#define REST 16000u
enum { MOST_BACKOFF = 16, LEFT = 2 /* periods of CPU time */ };

struct ch_cpu ch_cpu;

/* Asked when its stack has been taken: if it was waiting on that stack, it is waiting still. Before, it could stop to
 * run until the stack is taken, which takes long on a busy processor. */
static bool is_running(struct ch_java_thread *t, uint64_t spent, uint64_t gone) {
    uint64_t cpu = 0, again = 0;
    if (spent >= gone - gone / 32) return true;
    if (ch_java_thread_clock(t, &cpu) && ch_java_thread_clock(t, &again) && again > cpu) return true;
    return t->tid && ch_was_interrupted(t->tid, &t->asked, t->wall_ns);
}

static struct ch_stack_form form_of(JNIEnv *env, struct ch_java_thread *t) {
    struct ch_stack_form wanted = ch_cpu.form;
    if (ch_cpu.threads_apart && !t->number) t->number = ch_thread_number(env, t->thread);
    wanted.thread = ch_cpu.threads_apart ? t->number : 0;
    wanted.context = ch_load_relaxed(&t->context);
    return wanted;
}

/* Its clocks, now or as they were at its end. False: it has just ended. */
static bool clocks_of(const struct ch_java_thread *t, uint64_t *cpu, uint64_t *wall) {
    bool ended = ch_load_acquire(&t->ended);
    *cpu = ended ? t->ended_cpu_ns : t->cpu_ns;
    *wall = ended ? t->ended_wall_ns : ch_monotonic_ns();
    return ended || ch_java_thread_clock(t, cpu);
}

/* Reads its clocks: the time since the last look, of which the CPU time waits to be given to a node. */
static bool read_clocks(struct ch_java_thread *t, uint64_t *spent, uint64_t *gone) {
    uint64_t cpu, now;
    if (!clocks_of(t, &cpu, &now)) {
        if (!t->tid) t->ended_cpu_ns = t->cpu_ns, t->ended_wall_ns = now, t->ended = true;
        return false; /* it has just ended */
    }
    *spent = cpu > t->cpu_ns ? cpu - t->cpu_ns : 0;
    *gone = now > t->wall_ns ? now - t->wall_ns : 0;
    t->cpu_ns = cpu;
    t->wall_ns = now;
    t->waiting_ns += *spent;
    return true;
}

static void rest(struct ch_java_thread *t, uint32_t taken, uint64_t period) {
    uint64_t frames = (uint64_t)taken * REST / ch_cpu.period_ns;
    t->due = period + (frames > t->backoff ? frames : t->backoff);
}

static void give(struct ch_java_thread *t, uint32_t node, uint64_t cpu, uint64_t wall) {
    ch_calls_add(&ch_cpu.calls, node, cpu, wall);
    t->ran = node;
    t->given_ns += cpu;
}

bool ch_thread_look(JNIEnv *env, struct ch_java_thread *t, uint64_t period) {
    uint64_t spent = 0, gone = 0;
    if (!read_clocks(t, &spent, &gone)) return false;
    bool moved = spent || !t->seen, running = false;
    uint32_t taken = 0;
    if (moved) {
        taken = ch_java_stack_take(env, t->thread, ch_cpu.form.depth);
        t->node = ch_java_stack(env, &ch_cpu.calls, form_of(env, t));
    }
    if (!t->ticked) {
        if (moved && t->seen && t->backoff == 1) ch_calls_interval(&ch_cpu.calls, gone);
        bool ending = !t->node && t->ran; /* it has no frames any more */
        running = spent && !ending && is_running(t, spent, gone);
    }
    t->seen = true;
    ch_calls_tree(&ch_cpu.calls)->samples++;
    if (running) {
        give(t, t->node, t->waiting_ns, gone);
        t->waiting_ns = 0;
    } else {
        ch_calls_add(&ch_cpu.calls, t->node, 0, gone);
    }
    t->backoff = moved ? 1 : t->backoff < MOST_BACKOFF ? t->backoff * 2 : MOST_BACKOFF;
    rest(t, taken, period);
    return moved;
}

void ch_thread_ticked(JNIEnv *env, struct ch_ticked *ticked, uint64_t period) {
    struct ch_java_thread *t = ticked->thread;
    struct ch_tree *tree = ch_calls_tree(&ch_cpu.calls);
    struct ch_tick fell[CH_TICKS_KEPT];
    uint64_t spent = 0, gone = 0, periods = 0;
    uint32_t n = ch_ticks_take(ticked, fell);
    for (uint32_t i = 0; i < n; i++) periods += fell[i].periods;
    bool apart = ch_load_relaxed(&t->apart);
    if (!n || !read_clocks(t, &spent, &gone)) return;
    if (apart) {
        tree->cpu_ns[CH_RAN_AGENT] += t->waiting_ns;
        t->waiting_ns = 0;
        return;
    }
    struct ch_stack_form wanted = form_of(env, t);
    uint32_t taken = ch_java_stack_take(env, t->thread, ch_cpu.form.depth);
    t->node = ch_java_stack(env, &ch_cpu.calls, wanted);
    if (t->seen) ch_calls_interval(&ch_cpu.calls, gone);
    for (uint32_t i = 0; i < n; i++) {
        struct ch_ran_at at = ch_ran_in_java(env, &ch_cpu.calls, wanted, t->node, &fell[i]);
        uint64_t cpu = t->waiting_ns * fell[i].periods / periods;
        tree->samples++;
        tree->cpu_ns[at.ran] += cpu;
        if (at.unjoined) tree->unjoined_cpu_ns += cpu;
        if (at.ran == CH_RAN_AGENT)
            t->given_ns += cpu;
        else
            give(t, at.node, cpu, gone * fell[i].periods / periods);
    }
    t->seen = true;
    t->waiting_ns = 0;
    t->backoff = 2; /* it should tick again before it is looked at for its wall time */
    rest(t, taken, period);
}

void ch_thread_settle(struct ch_java_thread *t) {
    uint64_t cpu, wall;
    (void)clocks_of(t, &cpu, &wall);
    uint64_t left = t->waiting_ns + (cpu > t->cpu_ns ? cpu - t->cpu_ns : 0);
    bool belongs = t->ran && left <= LEFT * ch_cpu.period_ns + t->given_ns / 8;
    if (belongs)
        ch_calls_add(&ch_cpu.calls, t->ran, left, 0);
    else
        ch_calls_tree(&ch_cpu.calls)->unseen_cpu_ns += left;
    if (t->seen && wall > t->wall_ns) ch_calls_add(&ch_cpu.calls, t->node, 0, wall - t->wall_ns);
}

void ch_thread_look_anew(struct ch_java_thread *t) {
    t->waiting_ns = t->given_ns = t->due = 0;
    t->seen = false;
    t->ran = 0;
    t->wall_ns = ch_monotonic_ns();
    ch_java_thread_clock(t, &t->cpu_ns);
}
