/* The rule `cpu`: samples of the CPU and wall time of all threads, without any probe.
 *
 * 1. Each thread stores at ticks of its CPU time at which instruction it is (cpu_ticks.c). A thread of the agent's,
 *    attached to the JVM, is woken by that, takes the thread's stack (JVMTI GetStackTrace, which stops that thread
 *    alone), and finds the node of the code that the tick fell on (ticked_code.c). What the thread used since the last
 *    look, by its CPU clock, is divided among its ticks.
 * 2. It also wakes at a random moment of each period and looks at threads for their wall time. A thread whose CPU clock
 *    stood still since the last look is where it was; it costs a reading of the clock. The stacks of the others are
 *    taken, at most STACKS in a period, by turns. What went by since the last look belongs to the stack that is found.
 * 3. A thread that does not run is looked at less and less often. So is one with very many frames, which it has to walk
 *    itself.
 * 4. Where there are no ticks (of this process, or of a thread that is older than the agent), CPU time is given to the
 *    stack at a random moment if the thread is seen running, as in path_sampler.c; what was used before waits until
 *    then. That time is rounded to safepoints.
 * 5. The rest of the time when a thread ends belongs to the stack on which it was last seen running, if it is little;
 *    else it was not seen. Time in the agent's class hook is the agent's.
 * 6. At VMDeath the thread settles and says that it has: after that, it may not call the JVM.
 * 7. It may be stopped and started again. Meanwhile the list of threads stays as it is, since each knows its place in
 *    it.
 */
#include "sampling.h"
#include "../base/waiting.h"
#include "inlined_code.h"
#include "../threads/thread_names.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define MARKED 50000000u /* ns between two signs of life, if the process is killed */
/* ns for each frame of a stack, until the thread is looked at again: a frame takes it 0.3 to 0.8 us
 * (tools/bench/deep.py) */
#define REST 16000u
#define LOOK_AROUND 100000000u /* ns between two looks for threads that are not Java's */
enum { STACKS = 64, MOST_BACKOFF = 16, LEFT = 2 /* periods of CPU time */, PATIENCE_MS = 3000 };

static uint64_t period_ns;
static struct ch_stack_form form;
static jobject own; /* the thread's object */
static struct ch_calls calls;
static struct ch_java_thread **threads;
static size_t count, room, turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* by CLOCK_MONOTONIC */
static bool runs, stopping, ran_before, threads_apart, ticks;
static uint64_t system_ns; /* of the process, when this was last asked */

struct known { /* a Java thread, by its number in the kernel */
    uint32_t hash, tid;
};
static CH_TABLE(struct known) known_tids;

static void take_rule(void) {
    struct ch_cpu_sampler wanted = ch_wanted.samplers.cpu;
    period_ns = wanted.period_us * 1000;
    form.depth = wanted.frames < 1 ? 1 : wanted.frames > CH_MOST_DEPTH ? CH_MOST_DEPTH : wanted.frames;
    form.lines = wanted.lines;
    threads_apart = wanted.threads;
}

/* ---- looking */

/* Asked when its stack has been taken: if it was waiting on that stack, it is waiting still. Before, it could stop to
 * run until the stack is taken, which takes long on a busy processor. */
static bool is_running(struct ch_java_thread *t, uint64_t spent, uint64_t gone) {
    uint64_t cpu = 0, again = 0;
    if (spent >= gone - gone / 32) return true;
    if (ch_java_thread_clock(t, &cpu) && ch_java_thread_clock(t, &again) && again > cpu) return true;
    return t->tid && ch_was_interrupted(t->tid, &t->asked, t->wall_ns);
}

static struct ch_stack_form form_of(JNIEnv *env, struct ch_java_thread *t) {
    struct ch_stack_form wanted = form;
    if (threads_apart && !t->number) t->number = ch_thread_number(env, t->thread);
    wanted.thread = threads_apart ? t->number : 0;
    wanted.context = ch_load_relaxed(&t->context);
    return wanted;
}

/* Reads its clocks: the time since the last look, of which the CPU time waits to be given to a node. */
static bool read_clocks(struct ch_java_thread *t, uint64_t *spent, uint64_t *gone) {
    uint64_t cpu = 0, now = ch_monotonic_ns();
    if (!ch_java_thread_clock(t, &cpu)) {
        if (!t->tid) t->ended_cpu_ns = t->cpu_ns, t->ended_wall_ns = now, t->ended = true;
        return false; /* it has just ended */
    }
    *spent = cpu > t->cpu_ns ? cpu - t->cpu_ns : 0;
    *gone = now - t->wall_ns;
    t->cpu_ns = cpu;
    t->wall_ns = now;
    t->waiting_ns += *spent;
    return true;
}

static void rest(struct ch_java_thread *t, uint32_t taken, uint64_t tick) {
    uint64_t frames = (uint64_t)taken * REST / period_ns;
    t->due = tick + (frames > t->backoff ? frames : t->backoff);
}

static void give(struct ch_java_thread *t, uint32_t node, uint64_t cpu, uint64_t wall) {
    ch_calls_add(&calls, node, cpu, wall);
    t->ran = node;
    t->given_ns += cpu;
}

/* Looks where a thread is. True if its stack was taken. */
static bool look(JNIEnv *env, struct ch_java_thread *t, uint64_t tick) {
    uint64_t spent = 0, gone = 0;
    if (!read_clocks(t, &spent, &gone)) return false;
    bool moved = spent || !t->seen, running = false;
    uint32_t taken = 0;
    if (moved) {
        taken = ch_java_stack_take(env, t->thread, form.depth);
        t->node = ch_java_stack(env, &calls, form_of(env, t));
    }
    if (!t->ticked) {
        if (moved && t->seen && t->backoff == 1) ch_calls_interval(&calls, gone);
        bool ending = !t->node && t->ran; /* it has no frames any more */
        running = spent && !ending && is_running(t, spent, gone);
    }
    t->seen = true;
    ch_calls_tree(&calls)->samples++;
    if (running) {
        give(t, t->node, t->waiting_ns, gone);
        t->waiting_ns = 0;
    } else {
        ch_calls_add(&calls, t->node, 0, gone);
    }
    t->backoff = moved ? 1 : t->backoff < MOST_BACKOFF ? t->backoff * 2 : MOST_BACKOFF;
    rest(t, taken, tick);
    return moved;
}

/* Gives the CPU time since the last look to the code on which the ticks fell. */
static void look_at_ticks(JNIEnv *env, struct ch_ticked *ticked, uint64_t tick) {
    struct ch_java_thread *t = ticked->thread;
    struct ch_tree *tree = ch_calls_tree(&calls);
    struct ch_tick fell[CH_TICKS_KEPT];
    uint64_t spent = 0, gone = 0, periods = 0;
    uint32_t n = ch_ticks_take(ticked, fell);
    for (uint32_t i = 0; i < n; i++) periods += fell[i].periods;
    bool apart = ch_load_relaxed(&t->apart);
    if (!n || ch_load_acquire(&t->ended) || !read_clocks(t, &spent, &gone)) return;
    if (apart) {
        tree->cpu_ns[CH_RAN_AGENT] += t->waiting_ns;
        t->waiting_ns = 0;
        return;
    }
    struct ch_stack_form wanted = form_of(env, t);
    uint32_t taken = ch_java_stack_take(env, t->thread, form.depth);
    t->node = ch_java_stack(env, &calls, wanted);
    if (t->seen) ch_calls_interval(&calls, gone);
    for (uint32_t i = 0; i < n; i++) {
        struct ch_ran_at at = ch_ran_in_java(env, &calls, wanted, &fell[i]);
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
    rest(t, taken, tick);
}

/* Adds the last time of a thread: at its end, or that of the JVM. */
static void finish(struct ch_java_thread *t, uint64_t cpu, uint64_t wall) {
    uint64_t left = t->waiting_ns + (cpu > t->cpu_ns ? cpu - t->cpu_ns : 0);
    bool belongs = t->ran && left <= LEFT * period_ns + t->given_ns / 8;
    if (belongs)
        ch_calls_add(&calls, t->ran, left, 0);
    else
        ch_calls_tree(&calls)->unseen_cpu_ns += left;
    if (t->seen && wall > t->wall_ns) ch_calls_add(&calls, t->node, 0, wall - t->wall_ns);
}

/* ---- the list of threads */

static bool is_tid(const void *entry, const void *tid) {
    return ((const struct known *)entry)->tid == *(const uint32_t *)tid;
}

static bool is_java(uint32_t tid) { return ch_table_find(&known_tids, ch_hash_number(tid), is_tid, &tid); }

static void listen_to(struct ch_java_thread *t, uint32_t tid) {
    if (!tid) return;
    if (!is_java(tid)) ch_table_add(&known_tids, ch_hash_number(tid), &(struct known){.tid = tid});
    if (ticks) ch_ticked_begin(&t->ticked, tid, t, true);
}

static void listen_no_more(struct ch_java_thread *t) {
    if (!t->ticked) return;
    struct known *known = ch_table_find(&known_tids, ch_hash_number(t->ticked->tid), is_tid, &t->ticked->tid);
    if (known) ch_table_remove(&known_tids, known);
    ch_ticked_end(t->ticked);
    t->ticked = NULL;
}

static void forget(JNIEnv *env, size_t i) {
    listen_no_more(threads[i]);
    ch_java_thread_free(env, threads[i]);
    threads[i] = threads[--count];
}

static void take(JNIEnv *env, struct ch_java_thread *t) {
    for (size_t i = 0; t->tid && i < count; i++) /* it was there before its start event, and so without a number */
        if (!threads[i]->tid && (*env)->IsSameObject(env, threads[i]->thread, t->thread)) forget(env, i--);
    for (size_t i = 0; ran_before && !t->tid && i < count; i++)
        if ((*env)->IsSameObject(env, threads[i]->thread, t->thread)) {
            ch_java_thread_free(env, t);
            return;
        }
    if (count == room) {
        size_t more_room = room ? room * 2 : 64;
        struct ch_java_thread **more = realloc(threads, more_room * sizeof *more);
        if (!more) return;
        threads = more;
        room = more_room;
    }
    threads[count++] = t;
    if (ticks) listen_to(t, t->tid ? t->tid : ch_tid_by_clock(env, t->thread));
}

static void take_new(JNIEnv *env) {
    for (struct ch_java_thread *t = ch_java_threads_new(), *next; t; t = next) {
        next = t->next;
        if (t == ch_self.java) {
            ch_self.java = NULL;
            listen_no_more(t);
            ch_java_thread_free(env, t);
        } else {
            take(env, t);
        }
    }
}

static void look_around(JNIEnv *env, uint64_t tick) {
    int stacks = 0;
    take_new(env);
    for (size_t i = 0; i < count; i++) {
        struct ch_java_thread *t = threads[i];
        if (!ch_load_acquire(&t->ended)) continue;
        finish(t, t->ended_cpu_ns, t->ended_wall_ns);
        forget(env, i--);
    }
    for (size_t n = count; n && stacks < STACKS; n--) {
        if (++turn >= count) turn = 0;
        if (threads[turn]->due <= tick) stacks += look(env, threads[turn], tick);
    }
}

static void look_at_all_ticks(JNIEnv *env, uint64_t tick) {
    for (struct ch_ticked *t = ch_ticked_now(), *then; t; t = then) {
        then = t->then;
        if (t->java)
            look_at_ticks(env, t, tick);
        else
            ch_native_thread_ticked(&calls, t);
    }
}

static uint64_t system_time(void) {
    struct rusage used = {0};
    getrusage(RUSAGE_SELF, &used);
    return (uint64_t)used.ru_stime.tv_sec * 1000000000 + (uint64_t)used.ru_stime.tv_usec * 1000;
}

/* At the end: what threads used since the last look. */
static void settle(JNIEnv *env) {
    take_new(env);
    if (ticks) look_at_all_ticks(env, 0);
    for (size_t i = 0; i < count; i++) {
        struct ch_java_thread *t = threads[i];
        uint64_t cpu = t->cpu_ns, now = ch_monotonic_ns();
        bool ended = ch_load_acquire(&t->ended);
        if (!ended) ch_java_thread_clock(t, &cpu);
        finish(t, ended ? t->ended_cpu_ns : cpu, ended ? t->ended_wall_ns : now);
        listen_no_more(t);
    }
    if (!ticks) return;
    ch_native_threads_settle(&calls);
    ch_calls_tree(&calls)->system_cpu_ns += system_time() - system_ns;
    ch_ticks_stop();
    ch_code_stop();
    ch_table_clear(&known_tids);
}

/* Begins again: the time while nobody looked is not reported. */
static void begin_again(JNIEnv *env) {
    take_new(env);
    for (size_t i = 0; i < count; i++) {
        struct ch_java_thread *t = threads[i];
        if (ch_load_acquire(&t->ended)) {
            forget(env, i--);
            continue;
        }
        t->waiting_ns = t->given_ns = t->due = 0;
        t->seen = false;
        t->ran = 0;
        t->wall_ns = ch_monotonic_ns();
        ch_java_thread_clock(t, &t->cpu_ns);
        if (ticks) listen_to(t, t->tid ? t->tid : ch_tid_by_clock(env, t->thread));
    }
}

/* ---- the sampler's thread */

/* Looks at ticks meanwhile. False: there is nothing to do any more. */
static bool wait_until(JNIEnv *env, uint64_t at, uint64_t tick) {
    while (!ch_load_acquire(&stopping) && ch_monotonic_ns() < at) {
        ch_ticks_wait(at);
        if (ticks) look_at_all_ticks(env, tick);
    }
    return !ch_load_acquire(&stopping);
}

/* Now and then: it costs some us a thread. */
static void look_at_native_threads(void) {
    static uint64_t due;
    uint64_t now = ch_monotonic_ns();
    if (!ticks || now < due) return;
    if (!ch_ticks_come()) ch_calls_tree(&calls)->torn++;
    ch_native_threads_look(&calls, is_java);
    due = now + LOOK_AROUND;
}

static void JNICALL sample(jvmtiEnv *jvmti, JNIEnv *env, void *unused) {
    struct ch_moments moments = ch_moments_begin();
    uint64_t marked = 0, now;
    (void)jvmti, (void)unused;
    ch_thread_ended(env, own); /* it needs no counters */
    prctl(PR_SET_NAME, "classhook cpu");
    ch_shorten_time_slice();
    if (ran_before) begin_again(env);
    for (uint64_t tick = 1; wait_until(env, ch_next_moment(&moments, period_ns), tick); tick++) {
        look_around(env, tick);
        look_at_native_threads();
        if ((now = ch_monotonic_ns()) - marked > MARKED) {
            ch_clock_mark();
            marked = now;
        }
    }
    settle(env);
    (*env)->DeleteGlobalRef(env, own);
    pthread_mutex_lock(&lock);
    own = NULL;
    runs = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* ---- starting and stopping */

/* The JIT shall keep debug information at each instruction. */
static void listen_early(struct ch_error *error) {
    (void)error;
    if (period_ns) (void)ch_code_listen();
}

/* Before the class hook is on. */
static void prepare(JNIEnv *env, struct ch_error *error) {
    (void)error;
    if (period_ns && !runs && !own) own = ch_new_thread(env, "classhook cpu");
}

static bool prepare_once(void) {
    ch_lock();
    bool there = ch_calls_start(&calls, CH_CPU_TREE);
    ch_unlock();
    return there && ch_java_stacks_start() && ch_condition_init(&changed);
}

static void start(JNIEnv *env, jthread self, struct ch_error *error) {
    static const jvmtiCapabilities clocks = {.can_get_thread_cpu_time = 1},
                                   places = {.can_get_source_file_name = 1, .can_get_line_numbers = 1};
    if (!period_ns || runs) return;
    ran_before = ch_calls_tree(&calls);
    if (!own || (!ran_before && !prepare_once())) {
        ch_warn(error, "no memory for samples; the rule `cpu` has no effect");
        period_ns = 0;
        return;
    }
    /* without: the few threads that are older than the agent are not sampled */
    (void)(*ch_jvmti)->AddCapabilities(ch_jvmti, &clocks);
    (void)(*ch_jvmti)->AddCapabilities(ch_jvmti, &places); /* without: frames have no source and no line */
    ch_inlined_ask();
    if ((ticks = ch_code_listen() && ch_ticks_start(period_ns))) ch_code_ask();
    system_ns = system_time();
    ch_calls_tree(&calls)->period_ns = period_ns;
    ch_java_stacks_find(env);
    ch_java_threads_find(env, self);
    runs = true;
    if (ch_check(error, (*ch_jvmti)->RunAgentThread(ch_jvmti, own, sample, NULL, JVMTI_THREAD_NORM_PRIORITY),
                 "a thread for the rule `cpu`"))
        return;
    runs = false;
    period_ns = 0;
}

static void pause(void) {
    if (!runs) return;
    const struct timespec end = ch_in_ms(CLOCK_MONOTONIC, PATIENCE_MS);
    pthread_mutex_lock(&lock);
    ch_store_release(&stopping, true);
    ch_ticks_wake();
    while (runs && !pthread_cond_timedwait(&changed, &lock, &end)) {}
    stopping = runs; /* it may be started again, if it has ended */
    pthread_mutex_unlock(&lock);
}

static void stop(JNIEnv *env, bool at_death) {
    (void)env, (void)at_death;
    pause();
}

/* At once: it may be a short one. */
static void begin_thread(JNIEnv *env, jthread thread) {
    if (!period_ns) return;
    ch_java_thread_started(env, thread);
    struct ch_java_thread *t = ch_self.java;
    if (t && t->tid && ch_load_acquire(&ticks)) ch_ticked_begin(&t->ticked, t->tid, t, true);
}

static void end_thread(JNIEnv *env, jthread thread) {
    (void)env, (void)thread;
    ch_java_thread_ended();
}

const struct ch_measure ch_measure_cpu = {.name = "cpu",
                                          .on_rules = take_rule,
                                          .early = listen_early,
                                          .prepare = prepare,
                                          .start = start,
                                          .pause = pause,
                                          .stop = stop,
                                          .on_thread_begin = begin_thread,
                                          .on_thread_end = end_thread};
