/* From when until when there are events: scripts are run when the agent is loaded, its handlers are called from VMInit
 * until the end of Java's shutdown, or VMDeath.
 *
 * 1. They say which events they want. For calls of methods they add rules, so they run before these are in force.
 * 2. At VMInit the JVM's events are enabled, and the handlers of `start` are called.
 * 3. Then no event comes any more, the queues are drained, the handlers of `end` are called, and what was lost goes
 *    into the report.
 * 4. While the program runs, others can take their place: they are run, and if one is wrong, nothing has changed. Else
 *    their rules are put in force; then the older handlers are off, what is queued for them is handled, those of `end`
 *    among them are called; the new ones are on, and their `start` is called.
 */
#include "../moments/moments.h"
#include "../base/waiting.h"
#include "../base/clock.h"
#include "../blocks/sealing.h"
#include "../locks/locks.h"
#include "events.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURN_MS = 10000 };

static bool scripted;

/* ---- what Python asks */

static void enable(uint32_t handler, bool on) {
    if (handler >= CH_MOST_HANDLERS) return;
    ch_store(&ch_handlers[handler].on, on);
    if (on) ch_probes_listen();
}

static void leave(uint32_t handler) {
    if (handler >= CH_MOST_HANDLERS) return;
    ch_handlers[handler].leaving = ch_load_relaxed(&ch_handlers[handler].on);
    enable(handler, false);
}

static void follow(JNIEnv *env) {
    struct ch_error error = {0};
    if (!ch_load_acquire(&ch_events_on)) return;
    (void)ch_jvm_events_start(env, &error);
    ch_error_say(&error);
}

static void options(uint32_t handler, bool lossy, uint32_t frames) {
    if (handler >= CH_MOST_HANDLERS) return;
    ch_store_relaxed(&ch_handlers[handler].lossy, lossy);
    ch_store_relaxed(&ch_handlers[handler].frames, frames);
}

static uint64_t lost(uint32_t handler) {
    return handler < CH_MOST_HANDLERS ? ch_load_relaxed(&ch_handlers[handler].lost) : 0;
}

static uint32_t counter(void) { return ch_slots_take(1); }

static uint64_t counted(uint32_t slot) {
    uint64_t n = 0;
    if (!ch_slots_there((jint)slot, 1)) return 0;
    ch_lock();
    for (struct ch_block *b = ch_blocks(); b; b = b->next) n += ch_load_relaxed(ch_slot(b, slot));
    n += ch_load_relaxed(ch_shared_slot(slot)) + ch_sealed_sum(slot);
    ch_unlock();
    return n;
}

static bool site(uint32_t slot, struct ch_site *out) {
    const struct ch_probed *p = ch_probed(slot);
    if (p) *out = p->site;
    return p;
}

char *(*ch_events_ask)(JNIEnv *env, const char *line);

static char *ask(JNIEnv *env, const char *line) { return ch_events_ask ? ch_events_ask(env, line) : NULL; }

static bool note(const char *text) {
    return ch_load_relaxed(&ch_header->how_ended) == CH_RUNNING && ch_meta_add(CH_META_NOTE, 0, 0, text, strlen(text));
}

static int64_t span(int64_t took) {
    uint64_t second = ch_clock_ticks ? ch_clock_ticks_of(1000000000) : 0;
    return second ? (int64_t)((double)took * 1e9 / (double)second) : took;
}

static uint64_t when(uint64_t time) { return ch_monotonic_ns() - (uint64_t)span((int64_t)(ch_about_now() - time)); }

static void (*take_sample)(JNIEnv *env, jthread thread, jobject object, jclass c, jlong size);

static void sampled(JNIEnv *env, jthread thread, jobject object, jclass c, jlong size) {
    if (!ch_self.silent && !ch_self.measuring) take_sample(env, thread, object, c, size); /* else it is the agent's */
}

static bool sample(void (*take)(JNIEnv *, jthread, jobject, jclass, jlong), uint64_t bytes) {
    static struct ch_sample_taker jvmpi = {.take = sampled};
    if (!take) ch_samples_stop(&jvmpi);
    if (!take) return true;
    take_sample = take;
    return ch_samples_start(&jvmpi, bytes, NULL);
}

/* ---- objects that have ids of JVMPI's */

static void freed(uint64_t number) {
    ch_python_bridge()->freed(number);
    ch_queue_wait();
}

static struct ch_weak_set watched = {.freed = freed};

static bool watch_freed(JNIEnv *env) { return ch_weak_open(&watched, env); }

static void watch(JNIEnv *env, jobject object, uint64_t number) { (void)ch_weak_add(&watched, env, object, number); }

/* Delivers queued events; freed objects are found first. */
static void deliver(JNIEnv *env, bool (*in_vain)(void)) {
    ch_weak_look(&watched, env);
    ch_worker_await(in_vain);
}

static uint32_t count_watched(void) { return ch_weak_count(&watched); }

static bool each_watched(JNIEnv *env, void (*each)(JNIEnv *, jobject, uint64_t, void *), void *argument) {
    return ch_weak_each(&watched, env, each, argument);
}

/* ---- the same, for events that the hub does not know. Those without JNI do not come from a handler on this thread */

static bool tell_one(uint32_t handler, struct ch_call *call) {
    struct ch_handler *h = &ch_handlers[handler];
    return ch_load_acquire(&ch_events_on) && ch_load_relaxed(&h->on) && (!call->env || !ch_call_is_running()) &&
           ch_handler_notify(h, call);
}

/* ---- the script */

static struct ch_hub hub = {.handler = ch_handler_add,
                            .enable = enable,
                            .leave = leave,
                            .remove = ch_handler_remove,
                            .follow = follow,
                            .options = options,
                            .lost = lost,
                            .handled = &ch_events_handled,
                            .stack = ch_stack_frames,
                            .counter = counter,
                            .counted = counted,
                            .name = ch_name_of,
                            .site = site,
                            .note = note,
                            .tag = ch_tag,
                            .is_value = ch_is_value,
                            .tag_of = ch_tag_of,
                            .heap_rows = ch_walk_rows,
                            .heap_find = ch_walk_find,
                            .sample_every = ch_allocations_sample,
                            .sample = sample,
                            .ask = ask,
                            .runs_handler = ch_call_is_running,
                            .on_own_stack = ch_call_on_own_stack,
                            .when = when,
                            .span = span,
                            .tell = tell_one,
                            .will_ask_owners = ch_owners_start,
                            .monitor_usage = ch_monitor_usage,
                            .as_boot_class = ch_as_boot_class,
                            .watch_freed = watch_freed,
                            .watch = watch,
                            .may_collect = ch_may_collect,
                            .context_begins = ch_named_context_begins,
                            .context_ends = ch_named_context_ends,
                            .context_ambient = ch_named_context_ambient,
                            .test = ch_test_note,
                            .state = ch_state_note,
                            .find_figures = ch_heap_figures_find,
                            .figures = ch_heap_figures,
                            .drains = ch_queues_drains,
                            .deliver = deliver,
                            .watched = count_watched,
                            .each_watched = each_watched};

static char *asked(const char *verb, const char *words, const char *rules, size_t bytes, struct ch_error *error) {
    char *request = malloc(strlen(verb) + strlen(words) + 2);
    if (!request) {
        ch_fail(error, "no memory for the scripts of handlers");
        return NULL;
    }
    sprintf(request, "%s\n%s", verb, words);
    char *answer = ch_python_scripts(&hub, request, rules, bytes, error);
    free(request);
    return answer;
}

char *ch_events_scripts(const char *words, char *rules, size_t *bytes, struct ch_error *error) {
    hub.jvmti = ch_jvmti;
    hub.vm = ch_vm;
    char *all = rules ? asked("run", words, rules, *bytes, error) : NULL;
    free(rules);
    scripted = all;
    *bytes = all ? strlen(all) : 0;
    return all;
}

/* All that are on; those of them that have not been told yet; those of scripts that are replaced. */
enum whom { ALL, FRESH, LEAVING };

static void tell(uint32_t event, JNIEnv *env, enum whom whom) {
    struct ch_call call = {.record = {.time = ch_about_now()}, .env = env};
    for (struct ch_handler *h = ch_handlers_of(event); h; h = h->next)
        if (whom == LEAVING ? h->leaving : ch_load_relaxed(&h->on) && (whom == ALL || h->fresh)) {
            h->fresh = false;
            ch_handler_notify(h, &call);
        }
}

static void transform(JNIEnv *env) {
    struct ch_error error = {0};
    if (!ch_events_are_on()) return;
    (void)ch_jvm_events_start(env, &error); /* there was none before */
    ch_transforms_renew(env, ch_jvm_events_environment());
}

bool ch_events_start(JNIEnv *env, struct ch_error *error) {
    if (!scripted || !ch_python_bridge()->prepare(env) || !ch_jvm_events_start(env, error)) {
        if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
        if (scripted) ch_warn(error, "this JVM does not let handlers see its objects; none is called");
        return scripted = false;
    }
    ch_handlers_measure();
    ch_worker_transforms = transform;
    ch_store_release(&hub.dead, false);
    tell(CH_EVENT_START, env, FRESH);
    ch_store_release(&ch_events_on, true);
    ch_transforms_start(env, ch_jvm_events_environment());
    ch_worker_start(env, error);
    return true;
}

bool ch_events_are_on(void) { return scripted && ch_load_acquire(&ch_events_on); }

char *ch_events_list(struct ch_error *error) { return asked("list", "", NULL, 0, error); }

/* Held while scripts change: from when they are run until they have settled. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static bool wait_for_turn(void) {
    const struct timespec until = ch_in_ms(CLOCK_REALTIME, TURN_MS);
    return !pthread_mutex_timedlock(&turn, &until);
}

char *ch_events_prepare(const char *request, struct ch_error *error) {
    const char *words = strchr(request, ' ');
    char verb[16];
    snprintf(verb, sizeof verb, "%.*s", words ? (int)(words - request) : (int)strlen(request), request);
    if (pthread_mutex_trylock(&turn)) {
        ch_fail(error, "another command is changing the scripts at this moment; try again");
        return NULL;
    }
    char *rules = asked(verb, words ? words + 1 : "", NULL, 0, error);
    if (!rules) pthread_mutex_unlock(&turn);
    return rules;
}

void ch_events_settle(JNIEnv *env, struct ch_error *error) {
    free(asked("leave", "", NULL, 0, error));
    ch_worker_stop();
    tell(CH_EVENT_END, env, LEAVING);
    free(asked("settle", "", NULL, 0, error));
    ch_transforms_undo(env);
    (void)ch_jvm_events_start(env, error);
    tell(CH_EVENT_START, env, FRESH);
    ch_transforms_start(env, ch_jvm_events_environment());
    ch_worker_start(env, error);
    pthread_mutex_unlock(&turn);
}

void ch_events_drop(void) {
    free(asked("drop", "", NULL, 0, &(struct ch_error){0}));
    pthread_mutex_unlock(&turn);
}

void ch_events_stop(JNIEnv *env) {
    if (!ch_events_are_on()) return;
    bool alone = wait_for_turn(); /* not for ever: the JVM is to end */
    /* first: handlers that are called until the queues are empty do not wait for the JVM's end */
    ch_store_release(&hub.dead, true);
    ch_queues_hurry();
    ch_jvm_events_stop(env);
    ch_weak_settle(&watched, env);
    ch_store_release(&ch_events_on, false);
    ch_worker_stop();
    tell(CH_EVENT_END, env, ALL); /* they may dump the heap, with the ids of what is watched */
    ch_weak_close(&watched, env);
    if (alone) pthread_mutex_unlock(&turn);
}

void ch_events_undo(JNIEnv *env) {
    if (scripted) ch_transforms_undo(env);
    scripted = false;
}

/* ---- commands */

bool ch_events_take_commands(void) { return scripted && ch_handler_exists(CH_EVENT_COMMAND); }

char *ch_events_command(JNIEnv *env, const char *line) {
    struct ch_call call = {.record = {.time = ch_about_now()}, .env = env, .text = line};
    struct ch_handler *h = ch_events_are_on() ? ch_handlers_of(CH_EVENT_COMMAND) : NULL;
    for (; h && !call.answer; h = h->next)
        if (ch_load_relaxed(&h->on)) ch_handler_notify(h, &call);
    return call.answer;
}
