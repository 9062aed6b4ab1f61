/* The rules `cpu` and `profile`: samples of the CPU and wall time of all threads, without any probe.
 *
 * 1. Each thread stores at ticks of its CPU time at which instruction it is (cpu_ticks.c). A thread of the agent's,
 *    attached to the JVM, is woken by that, takes the thread's stack (JVMTI GetStackTrace, which stops that thread
 *    alone), and finds the node of the code that the tick fell on (thread_looks.c, ticked_code.c).
 * 2. It also wakes at a random moment of each period and looks at threads for their wall time (sampled_threads.c), and
 *    now and then for threads that are not Java's (native_threads.c).
 * 3. Where there are no ticks, CPU time is sampled at these moments, too, rounded to safepoints, and the data says so.
 * 4. At VMDeath the thread settles and says that it has: after that, it may not call the JVM.
 * 5. It may be stopped and started again.
 * 6. Without rules, it waits until a class is loaded that was woven ahead of time and has profiled methods.
 */
#include "sampling.h"
#include "../base/waiting.h"
#include "inlined_code.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

#define MARKED 50000000u /* ns between two signs of life, if the process is killed */
#define FORGET 1000000000u /* ns between two looks for threads that have ended, while it waits */
#define LOOK_AROUND 100000000u /* ns between two looks for threads that are not Java's */
enum { PATIENCE_MS = 3000, PERIOD_AHEAD = 4000 /* us, of classes woven ahead of time */ };

static jobject own; /* the thread's object */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* by CLOCK_MONOTONIC */
static bool runs, stopping, ran_before;
static bool waits, asked; /* for a class that asks for samples; one does */
static struct ch_process_time process_time;

static void take_rule(void) {
    struct ch_cpu_sampler wanted = ch_wanted.samplers.cpu;
    waits = ch_wanted.ahead;
    if (waits) wanted.period_us = PERIOD_AHEAD, wanted.frames = CH_MOST_DEPTH;
    ch_cpu.period_ns = wanted.period_us * 1000;
    ch_cpu.form.depth = wanted.frames < 1 ? 1 : wanted.frames > CH_MOST_DEPTH ? CH_MOST_DEPTH : wanted.frames;
    ch_cpu.form.lines = wanted.lines;
    ch_cpu.threads_apart = wanted.threads;
}

/* ---- ticks */

static void say_without_ticks(const char *why) {
    char text[256];
    int n = snprintf(text, sizeof text, "%s, so that samples give time to the method with the next safepoint", why);
    ch_meta_add(CH_META_NOTE, 0, 0, text, (size_t)n);
}

static void start_ticks(void) {
    ch_process_time_begin(&process_time);
    bool started = ch_code_listen() && ch_ticks_start(ch_cpu.period_ns);
    if (started)
        ch_code_ask();
    else
        say_without_ticks("this process has no signal for ticks of CPU time, or this JVM does not describe its code");
    ch_store_release(&ch_cpu.ticks, started);
}

static void stop_ticks(void) {
    if (!ch_cpu.ticks) return;
    ch_store_release(&ch_cpu.ticks, false);
    ch_ticks_stop();
    ch_sampled_listen_no_more();
    ch_native_threads_settle(&ch_cpu.calls);
    ch_process_time_add(&ch_cpu.calls, &process_time);
    ch_code_stop();
}

static void look_at_ticks(JNIEnv *env, uint64_t period) {
    for (struct ch_ticked *t = ch_ticked_now(), *then; t; t = then) {
        then = t->then;
        if (t->java)
            ch_thread_ticked(env, t, period);
        else
            ch_native_thread_ticked(&ch_cpu.calls, t);
    }
}

/* Now and then: it costs some us a thread. */
static void look_at_native_threads(void) {
    static uint64_t due;
    uint64_t now = ch_monotonic_ns();
    if (!ch_cpu.ticks || now < due) return;
    due = now + LOOK_AROUND;
    if (ch_ticks_come()) {
        ch_native_threads_look(&ch_cpu.calls);
        return;
    }
    stop_ticks();
    say_without_ticks("the program has taken the signal for ticks of CPU time");
}

/* ---- the sampler's thread */

/* Looks at ticks meanwhile. False: there is nothing to do any more. */
static bool wait_until(JNIEnv *env, uint64_t at, uint64_t period) {
    while (!ch_load_acquire(&stopping) && ch_monotonic_ns() < at) {
        ch_ticks_wait(at);
        if (ch_cpu.ticks) look_at_ticks(env, period);
    }
    return !ch_load_acquire(&stopping);
}

static void settle(JNIEnv *env) {
    ch_sampled_take_new(env);
    if (ch_cpu.ticks) look_at_ticks(env, 0);
    ch_sampled_settle();
    stop_ticks();
}

/* False: no class has asked. */
static bool wait_until_asked(JNIEnv *env) {
    while (!ch_load_acquire(&asked) && !ch_load_acquire(&stopping)) {
        ch_ticks_wait(ch_monotonic_ns() + FORGET);
        ch_sampled_begin_again(env);
    }
    if (!ch_load_acquire(&asked)) return false;
    start_ticks();
    return true;
}

static void JNICALL sample(jvmtiEnv *jvmti, JNIEnv *env, void *unused) {
    struct ch_moments moments = ch_moments_begin();
    uint64_t marked = 0, now;
    (void)jvmti, (void)unused;
    ch_thread_ended(env, own); /* it needs no counters */
    prctl(PR_SET_NAME, "classhook cpu");
    ch_shorten_time_slice();
    bool begun = !waits || wait_until_asked(env);
    if (begun && (ran_before || waits)) ch_sampled_begin_again(env);
    for (uint64_t period = 1; begun && wait_until(env, ch_next_moment(&moments, ch_cpu.period_ns), period); period++) {
        ch_sampled_look(env, period);
        look_at_native_threads();
        if ((now = ch_monotonic_ns()) - marked > MARKED) {
            ch_clock_mark();
            if (ch_cpu.ticks) ch_process_time_add(&ch_cpu.calls, &process_time);
            marked = now;
        }
    }
    if (begun)
        settle(env);
    else
        ch_code_stop();
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
    if (ch_cpu.period_ns) (void)ch_code_listen();
}

/* Before the class hook is on. */
static void prepare(JNIEnv *env, struct ch_error *error) {
    (void)error;
    if (ch_cpu.period_ns && !runs && !own) own = ch_new_thread(env, "classhook cpu");
}

static bool prepare_once(void) {
    ch_lock();
    bool there = ch_calls_start(&ch_cpu.calls, CH_CPU_TREE);
    ch_unlock();
    return there && ch_java_stacks_start() && ch_condition_init(&changed);
}

static void start(JNIEnv *env, jthread self, struct ch_error *error) {
    static const jvmtiCapabilities clocks = {.can_get_thread_cpu_time = 1},
                                   places = {.can_get_source_file_name = 1, .can_get_line_numbers = 1};
    if (!ch_cpu.period_ns || runs) return;
    ran_before = ch_calls_tree(&ch_cpu.calls);
    if (!own || (!ran_before && !prepare_once())) {
        ch_warn(error, "no memory for samples of stacks; there are none");
        ch_cpu.period_ns = 0;
        return;
    }
    /* without: the few threads that are older than the agent are not sampled */
    (void)(*ch_jvmti)->AddCapabilities(ch_jvmti, &clocks);
    (void)(*ch_jvmti)->AddCapabilities(ch_jvmti, &places); /* without: frames have no source and no line */
    ch_inlined_ask();
    if (!waits) start_ticks();
    ch_calls_tree(&ch_cpu.calls)->period_ns = ch_cpu.period_ns;
    ch_java_stacks_find(env);
    ch_java_threads_find(env, self);
    ch_store_release(&stopping, false);
    runs = true;
    if (ch_check(error, (*ch_jvmti)->RunAgentThread(ch_jvmti, own, sample, NULL, JVMTI_THREAD_NORM_PRIORITY),
                 "a thread for samples of stacks"))
        return;
    stop_ticks();
    runs = false;
    ch_cpu.period_ns = 0;
}

static void pause(void) {
    if (!runs) return;
    const struct timespec end = ch_in_ms(CLOCK_MONOTONIC, PATIENCE_MS);
    pthread_mutex_lock(&lock);
    ch_store_release(&stopping, true);
    ch_ticks_wake();
    while (runs && !pthread_cond_timedwait(&changed, &lock, &end)) {}
    pthread_mutex_unlock(&lock);
}

static void stop(JNIEnv *env, bool at_death) {
    (void)env, (void)at_death;
    pause();
}

static void look_at_class(const struct ch_woven_class *woven) {
    if (!waits || ch_load_relaxed(&asked)) return;
    if (!ch_probe_table_has_probe(woven->table, woven->bytes, CH_PROBE_PROFILE) &&
        !ch_probe_table_has_probe(woven->table, woven->bytes, CH_PROBE_PROFILE_EXCEPTIONS))
        return;
    ch_store_release(&asked, true);
    ch_ticks_wake();
}

static void begin_thread(JNIEnv *env, jthread thread) {
    if (ch_cpu.period_ns) ch_sampled_begin_thread(env, thread);
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
                                          .on_class = look_at_class,
                                          .on_thread_begin = begin_thread,
                                          .on_thread_end = end_thread};
