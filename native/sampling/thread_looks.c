/* Looks at a Java thread: its clocks, its stack, and the code on which its ticks fell.
 *
 * 1. CPU time since the last look, by the thread's clock, is divided among its ticks. Wall time since then goes with
 *    it.
 * 2. Without ticks, it is given to the stack at a random moment if the thread is seen running; it waits until then.
 * 3. A thread whose CPU clock stood still since the last look is where it was; it costs a reading of the clock. It is
 *    looked at less and less often. So is one with very many frames, which it has to walk itself.
 * 4. The rest of the time when a thread ends belongs to the stack on which it was last seen running, if it is little;
 *    else it was not seen.
 * 5. Time in the agent's class hook is the agent's, CPU and wall time.
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

struct passed { /* since the last look */
    uint64_t cpu, wall;
    uint64_t agents; /* of the wall time: in the agent's work */
};

/* Off the wall time since the last look. What was read too early or too late, the next look makes up for. */
static uint64_t take_off_agents(struct ch_java_thread *t, uint64_t now, uint64_t wall) {
    uint64_t since = ch_load_relaxed(&t->agents_since_ns), agents = ch_load_relaxed(&t->agents_ns);
    if (since && now > since) agents += now - since;
    uint64_t more = agents > t->agents_taken_ns ? agents - t->agents_taken_ns : 0;
    if (more > wall) more = wall;
    t->agents_taken_ns += more;
    return more;
}

/* Reads its clocks. The CPU time waits to be given to a node. */
static bool read_clocks(struct ch_java_thread *t, struct passed *passed) {
    uint64_t cpu, now;
    if (!clocks_of(t, &cpu, &now)) {
        if (!t->tid) t->ended_cpu_ns = t->cpu_ns, t->ended_wall_ns = now, t->ended = true;
        return false; /* it has just ended */
    }
    passed->cpu = cpu > t->cpu_ns ? cpu - t->cpu_ns : 0;
    passed->wall = now > t->wall_ns ? now - t->wall_ns : 0;
    passed->agents = take_off_agents(t, now, passed->wall);
    t->cpu_ns = cpu;
    t->wall_ns = now;
    t->waiting_ns += passed->cpu;
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
    struct passed passed;
    if (!read_clocks(t, &passed)) return false;
    bool moved = passed.cpu || !t->seen, running = false;
    uint32_t taken = 0;
    if (moved) {
        taken = ch_java_stack_take(env, t->thread, ch_cpu.form.depth);
        t->node = ch_java_stack(env, &ch_cpu.calls, form_of(env, t));
    }
    if (!t->ticked) {
        if (moved && t->seen && t->backoff == 1) ch_calls_interval(&ch_cpu.calls, passed.wall);
        bool ending = !t->node && t->ran; /* it has no frames any more */
        running = passed.cpu && !ending && is_running(t, passed.cpu, passed.wall);
    }
    t->seen = true;
    ch_calls_tree(&ch_cpu.calls)->samples++;
    if (running) {
        give(t, t->node, t->waiting_ns, passed.wall - passed.agents);
        t->waiting_ns = 0;
    } else {
        ch_calls_add(&ch_cpu.calls, t->node, 0, passed.wall - passed.agents);
    }
    t->backoff = moved ? 1 : t->backoff < MOST_BACKOFF ? t->backoff * 2 : MOST_BACKOFF;
    rest(t, taken, period);
    return moved;
}

/* The wall time for ticks that fell on the program, of which there are `theirs` of `periods`. The agent's code has its
 * share in it: its work for classes, or its part of a probe. */
static uint64_t programs_wall(const struct passed *passed, uint64_t theirs, uint64_t periods) {
    uint64_t agents = passed->wall - passed->wall * theirs / periods;
    return passed->wall - (agents > passed->agents ? agents : passed->agents);
}

void ch_thread_ticked(JNIEnv *env, struct ch_ticked *ticked, uint64_t period) {
    struct ch_java_thread *t = ticked->thread;
    struct ch_tree *tree = ch_calls_tree(&ch_cpu.calls);
    struct ch_tick fell[CH_TICKS_KEPT];
    struct ch_ran_at at[CH_TICKS_KEPT];
    struct passed passed;
    uint64_t periods = 0, theirs = 0;
    uint32_t n = ch_ticks_take(ticked, fell);
    bool agents = ch_load_relaxed(&t->agents_since_ns);
    if (!n || !read_clocks(t, &passed)) return;
    struct ch_stack_form wanted = form_of(env, t);
    uint32_t taken = ch_java_stack_take(env, t->thread, ch_cpu.form.depth);
    t->node = ch_java_stack(env, &ch_cpu.calls, wanted);
    if (t->seen) ch_calls_interval(&ch_cpu.calls, passed.wall);
    for (uint32_t i = 0; i < n; i++) {
        at[i] = agents ? (struct ch_ran_at){0, CH_RAN_AGENT, false}
                       : ch_ran_in_java(env, &ch_cpu.calls, wanted, t->node, &fell[i]);
        periods += fell[i].periods;
        if (at[i].ran != CH_RAN_AGENT) theirs += fell[i].periods;
    }
    uint64_t wall = agents ? passed.wall - passed.agents : programs_wall(&passed, theirs, periods);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t cpu = t->waiting_ns * fell[i].periods / periods;
        tree->samples++;
        tree->cpu_ns[at[i].ran] += cpu;
        if (at[i].unjoined) tree->unjoined_cpu_ns += cpu;
        if (at[i].ran == CH_RAN_AGENT)
            t->given_ns += cpu;
        else
            give(t, at[i].node, cpu, wall * fell[i].periods / theirs);
    }
    if (!theirs) ch_calls_add(&ch_cpu.calls, t->node, 0, wall);
    t->seen = true;
    t->waiting_ns = 0;
    t->backoff = 2; /* it should tick again before it is looked at for its wall time */
    rest(t, taken, period);
}

void ch_thread_settle(struct ch_java_thread *t) {
    uint64_t cpu, now;
    (void)clocks_of(t, &cpu, &now);
    uint64_t wall = now > t->wall_ns ? now - t->wall_ns : 0;
    uint64_t left = t->waiting_ns + (cpu > t->cpu_ns ? cpu - t->cpu_ns : 0);
    bool belongs = t->ran && left <= LEFT * ch_cpu.period_ns + t->given_ns / 8;
    if (belongs)
        ch_calls_add(&ch_cpu.calls, t->ran, left, 0);
    else
        ch_calls_tree(&ch_cpu.calls)->unseen_cpu_ns += left;
    if (t->seen) ch_calls_add(&ch_cpu.calls, t->node, 0, wall - take_off_agents(t, now, wall));
}

void ch_thread_look_anew(struct ch_java_thread *t) {
    t->waiting_ns = t->given_ns = t->due = 0;
    t->seen = false;
    t->ran = 0;
    t->wall_ns = ch_monotonic_ns();
    t->agents_taken_ns = ch_load_relaxed(&t->agents_ns);
    ch_java_thread_clock(t, &t->cpu_ns);
}
