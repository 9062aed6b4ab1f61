/* The sampler of profiled methods: one thread that looks at the paths of all others, a few at a time, and adds what it
 * saw to the tree of calls.
 *
 * 1. It is no thread of the JVM's: it reads memory that the probes write and the kernel's CPU clocks. It wakes each
 *    period (sampling_period.c), at a random moment of it, so that it does not beat with the program
 *    (sampling_schedule.c).
 * 2. CPU time is given by ticks of the threads' own (path_ticks.c), and as much wall time with it. The rest of the wall
 *    time that went by since the last look at a thread belongs to the path on which it is found now. The little CPU
 *    time between the last tick and the end of a thread belongs to the last path of profiled methods on which it was
 *    seen.
 * 3. Where there are no ticks, CPU time is only given to a path on which the thread was seen running; what a thread
 *    used and was not seen using waits until then. It runs if it used most of the time since the last look, or if its
 *    clock goes on between two readings; if neither, others may run on its processor, and the kernel is asked whether
 *    it was interrupted, though not often.
 * 4. A thread that neither runs nor changed its path is looked at less and less often. There are at most LOOKS in a
 *    millisecond, by turns: what they cost then does not depend on the number of threads.
 * 5. How a path is read while its thread goes on: path_reader.c.
 */
#include "profiled_methods.h"
#include "seen_paths.h"
#include "../base/waiting.h"
#include "../threads/thread_names.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include "../base/clock.h"

#define MOST_LEFT 20000000u /* ns of CPU time that was not seen used, and is given to the path seen last */
#define MOST_BACKOFF_NS 100000000u /* between two looks at a thread */
#define MS 1000000u
#define MARKED_NS (64 * MS)
enum { LOOKS = 4, VISITS = 1024, MOST_BACKOFF = 128 /* periods */, STACK_BYTES = 256 << 10 };

static pthread_t thread;
static bool started, stopping;
static pthread_mutex_t stop_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop_asked; /* by CLOCK_MONOTONIC */
static struct ch_process_time process_time;
static uint32_t takings_before; /* of blocks, before the sampler was there */

/* ---- looking */

static void begin_with(struct ch_block *b, uint64_t owner, uint64_t now) {
    bool newer = owner >> 32 > takings_before; /* than the sampler */
    struct ch_seen *seen = b->seen;
    seen->owner = owner;
    seen->cpu_ns = b->taken_cpu_ns;
    seen->wall_ns = newer ? b->taken_wall_ns : now;
    seen->apart_cpu_ns = newer ? 0 : ch_apart_until(&b->apart_cpu, seen->cpu_ns);
    seen->apart_wall_ns = newer ? 0 : ch_apart_until(&b->apart_wall, now);
    seen->waiting_ns = 0;
    seen->frames.n = 0;
    seen->node = 0;
    seen->backoff_ns = 0;
    ch_path_ticks_begin(b);
}

/* Gives the last time until these clocks, if it is little, to the path seen last. */
static void give_rest(struct ch_seen *seen, uint64_t cpu, uint64_t wall) {
    if (cpu > seen->cpu_ns) seen->waiting_ns += cpu - seen->cpu_ns;
    uint64_t gone = wall > seen->wall_ns ? wall - seen->wall_ns : 0;
    if (seen->node) ch_seen_give(seen, seen->node, seen->waiting_ns <= MOST_LEFT ? seen->waiting_ns : 0, gone);
    seen->waiting_ns = 0;
}

/* The block's owner of the last look has left it. */
static void finish_with(const struct ch_block *b, struct ch_seen *seen) {
    ch_path_ticks_end(seen);
    if (ch_load_acquire(&b->ended) == seen->owner)
        give_rest(seen, ch_load_relaxed(&b->ended_cpu_ns), ch_load_relaxed(&b->ended_wall_ns));
    else
        give_rest(seen, 0, 0);
}

static bool runs(uint32_t tid, struct ch_seen *seen, uint64_t used, uint64_t gone) {
    uint64_t cpu = 0;
    if (used >= gone - gone / 8) return true;
    if (ch_cpu_clock(tid, &cpu) && cpu > seen->cpu_ns) return true;
    return used && ch_was_interrupted(tid, &seen->asked, seen->wall_ns);
}

static uint64_t later(uint64_t backoff_ns) {
    uint64_t period = ch_period(),
             most = period * MOST_BACKOFF < MOST_BACKOFF_NS ? period * MOST_BACKOFF : MOST_BACKOFF_NS;
    return !backoff_ns ? period : backoff_ns * 2 < most ? backoff_ns * 2 : most;
}

/* Without ticks: gives what it used, if it is running now. */
static void give_seen(struct ch_seen *seen, uint32_t node, uint64_t used, uint64_t gone) {
    seen->waiting_ns += used;
    bool running = seen->waiting_ns && runs(ch_owner_tid(seen->owner), seen, used, gone);
    ch_tree()->samples++;
    if (used && !seen->backoff_ns) ch_calls_interval(&ch_profiled, gone);
    ch_seen_give(seen, node, running ? seen->waiting_ns : 0, gone);
    if (running) seen->waiting_ns = 0;
}

static void look(struct ch_block *b, uint64_t owner) {
    struct ch_seen *seen = b->seen;
    uint64_t cpu = 0;
    bool idle = false;
    if (!ch_cpu_clock(ch_owner_tid(owner), &cpu)) return; /* it has just ended */
    uint64_t now = ch_monotonic_ns();
    if (seen->owner != owner) {
        if (seen->owner) finish_with(b, seen);
        begin_with(b, owner, now);
    }
    uint64_t spent = cpu - seen->cpu_ns, gone = now - seen->wall_ns;
    uint64_t used = ch_seen_own(&seen->apart_cpu_ns, ch_apart_until(&b->apart_cpu, cpu), spent);
    gone = ch_seen_own(&seen->apart_wall_ns, ch_apart_until(&b->apart_wall, now), gone);
    uint32_t root = ch_seen_root(b), node = ch_frames_read(ch_seen_path(b), root, &seen->frames, &idle);
    seen->cpu_ns = cpu;
    seen->wall_ns = now;
    if (seen->ticked) {
        ch_calls_add(&ch_profiled, node, 0, gone - (used < gone ? used : gone));
        ch_path_ticks_check(seen);
    } else {
        seen->given_ns += spent - used;
        give_seen(seen, node, used, gone);
    }
    if (node != root) seen->node = node;
    seen->backoff_ns = idle && !used ? later(seen->backoff_ns) : 0;
    seen->due_ns = now + seen->backoff_ns;
}

/* Looks at those whose turn it is, from `b` on; where to go on next time. */
static struct ch_block *look_around(struct ch_block *b) {
    struct ch_block *from = b;
    uint64_t now = ch_monotonic_ns(), period = ch_period() > MS ? ch_period() : MS, looks = 0, visits = 0;
    for (; looks < LOOKS * period / MS && visits < VISITS * period / MS; visits++) {
        uint64_t owner = ch_load_acquire(&b->owner);
        if (owner && !b->seen) b->seen = calloc(1, sizeof *b->seen);
        if (!owner && b->seen) ch_path_ticks_end(b->seen);
        if (owner && b->seen && (b->seen->due_ns <= now || b->seen->owner != owner)) {
            look(b, owner);
            looks++;
        }
        b = ch_load_acquire(&b->next);
        if (!b) b = ch_blocks();
        if (b == from) break;
    }
    return b;
}

/* At the end: what threads used and were not seen using. */
static void settle(void) {
    for (struct ch_block *b = ch_blocks(); b; b = b->next) {
        uint64_t used = b->all_ended_cpu_ns, cpu = 0, owner = ch_load_acquire(&b->owner);
        bool living = owner && ch_cpu_clock(ch_owner_tid(owner), &cpu);
        if (living) used += cpu - b->taken_cpu_ns;
        if (living && b->seen && b->seen->owner == owner && b->seen->ticked) {
            ch_path_ticks_end(b->seen);
            give_rest(b->seen, cpu, ch_monotonic_ns());
        } else if (b->seen && b->seen->owner && b->seen->owner != owner) {
            finish_with(b, b->seen);
        }
        uint64_t given = b->seen ? b->seen->given_ns : 0;
        if (used > given) ch_tree()->unseen_cpu_ns += used - given;
    }
}

/* ... or until there is nothing to do any more. */
static void wait_until(const struct timespec *t) {
    pthread_mutex_lock(&stop_lock);
    while (!stopping && !pthread_cond_timedwait(&stop_asked, &stop_lock, t)) {}
    pthread_mutex_unlock(&stop_lock);
}

/* A sign of life, if the process is killed; when it was. */
static uint64_t mark(void) {
    ch_clock_mark();
    ch_path_ticks_look();
    ch_process_time_add(&ch_profiled, &process_time);
    ch_tree()->period_ns = ch_period();
    return ch_monotonic_ns();
}

static void *sample(void *unused) {
    struct ch_moments moments = ch_moments_begin();
    struct ch_block *b = ch_blocks();
    uint64_t marked_ns = ch_monotonic_ns();
    prctl(PR_SET_NAME, "classhook");
    prctl(PR_SET_TIMERSLACK, 1UL);
    ch_shorten_time_slice();
    while (!ch_load_relaxed(&stopping)) {
        uint64_t period = ch_period(), at = ch_next_moment(&moments, period);
        const struct timespec t = ch_moment(at);
        if (period > MS) /* nobody minds to wait for less at the end */
            wait_until(&t);
        else
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        ch_path_ticks_give();
        b = look_around(b);
        if (ch_monotonic_ns() - marked_ns >= MARKED_NS) marked_ns = mark();
    }
    ch_ticks_stop(&ch_ticks_of_paths);
    ch_path_ticks_give();
    settle();
    ch_process_time_add(&ch_profiled, &process_time);
    return unused;
}

/* ---- starting and stopping */

/* With the program's signals blocked, but not those that its own faults cause: disk_full_guard.c takes them. */
static bool start(void) {
    sigset_t all, old;
    pthread_attr_t attributes;
    ch_lock();
    bool there = ch_tree() || ch_calls_start(&ch_profiled, CH_TREE);
    takings_before = ch_path_takings();
    ch_path_ticks_start();
    ch_process_time_begin(&process_time);
    for (struct ch_block *b = ch_blocks(); b; b = b->next) { /* what threads used before is not ours to tell */
        if (b->owner) ch_cpu_clock(ch_owner_tid(b->owner), &b->taken_cpu_ns);
        ch_store_relaxed(&b->all_ended_cpu_ns, 0);
        if (b->seen) b->seen->owner = b->seen->given_ns = 0;
    }
    ch_unlock();
    if (!there || pthread_attr_init(&attributes) || !ch_condition_init(&stop_asked)) return false;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool begun = !pthread_create(&thread, &attributes, sample, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    return begun;
}

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* Starts the sampler where a class has profiled methods. */
static void look_at_class(const struct ch_woven_class *woven) {
    if (ch_wanted.profile) ch_profiled_add(woven);
    if (!ch_period_asked(woven->table, woven->bytes)) return;
    pthread_mutex_lock(&starting);
    if (!started) {
        started = true;
        if (!start()) ch_say("the sampler could not be started: %m; profiled methods are only counted");
    }
    if (ch_tree()) ch_tree()->period_ns = ch_period();
    pthread_mutex_unlock(&starting);
}

static void end(void) {
    pthread_mutex_lock(&stop_lock);
    ch_store_relaxed(&stopping, true);
    pthread_cond_signal(&stop_asked);
    pthread_mutex_unlock(&stop_lock);
    pthread_join(thread, NULL);
    thread = 0;
    stopping = started = false;
}

static void stop(JNIEnv *env, bool at_death) {
    (void)env, (void)at_death;
    if (thread && !stopping) end();
    ch_code_stop(CH_CODE_OF_PATHS);
}

/* The JIT shall keep debug information at each instruction: from the JVM's start, or before classes are woven. */
static void listen_early(struct ch_error *error) {
    (void)error;
    if (ch_wanted.profile) (void)ch_code_listen(CH_CODE_OF_PATHS);
}

static void prepare(JNIEnv *env, struct ch_error *error) {
    (void)env;
    listen_early(error);
}

/* The sampler starts if it was stopped, and looked at paths before. */
static void resume(JNIEnv *env, jthread self, struct ch_error *error) {
    (void)env, (void)self, (void)error;
    if (!ch_wanted.profile) return;
    if (ch_code_listen(CH_CODE_OF_PATHS)) ch_code_ask();
    pthread_mutex_lock(&starting);
    if (ch_period() && !started) started = start();
    pthread_mutex_unlock(&starting);
}

const struct ch_measure ch_measure_profile = {.name = "profile",
                                              .early = listen_early,
                                              .prepare = prepare,
                                              .start = resume,
                                              .stop = stop,
                                              .on_class = look_at_class};
