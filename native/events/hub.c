/* From when until when there are events: the script is run when the agent is loaded, its handlers are called from VMInit until VMDeath.
 *
 * 1. The script says which events it wants. For calls of methods it adds rules, so it runs before these are in force.
 * 2. At VMInit the JVM's events are enabled, and the handlers of `start` are called.
 * 3. At VMDeath no event comes any more, the rings are drained, the handlers of `end` are called, and what was lost goes into the report.
 */
#include "../base/clock.h"
#include "../locks/locks.h"
#include "events.h"
#include <stdlib.h>
#include <string.h>

static bool scripted;

/* ---- what Python asks */

static void enable(uint32_t handler, bool on) {
    if (handler < CH_MOST_HANDLERS) ch_handlers[handler].on = on;
}

static uint64_t lost(uint32_t handler) { return handler < CH_MOST_HANDLERS ? __atomic_load_n(&ch_handlers[handler].lost, __ATOMIC_RELAXED) : 0; }

static bool site(uint32_t slot, struct ch_site *out) {
    const struct ch_probed *p = ch_probed(slot);
    if (p) *out = p->site;
    return p;
}

char *(*ch_events_ask)(JNIEnv *env, const char *line);

static char *ask(JNIEnv *env, const char *line) { return ch_events_ask ? ch_events_ask(env, line) : NULL; }

static void note(const char *text) { ch_meta_add(CH_META_NOTE, 0, 0, text, strlen(text)); }

static void say(const char *text) { ch_say("%s", text); }

static int64_t span(int64_t took) {
    uint64_t second = ch_clock_ticks ? ch_clock_ticks_of(1000000000) : 0;
    return second ? (int64_t)((double)took * 1e9 / (double)second) : took;
}

static uint64_t when(uint64_t time) { return ch_monotonic_ns() - (uint64_t)span((int64_t)(ch_about_now() - time)); }

static bool sample(void (*take)(JNIEnv *, jthread, jobject, jclass, jlong), uint64_t bytes) {
    static struct ch_sample_taker jvmpi;
    if (!take) ch_samples_stop(&jvmpi);
    if (!take) return true;
    jvmpi.take = take;
    return ch_samples_start(&jvmpi, bytes, NULL);
}

/* ---- objects that have ids of JVMPI's */

static void freed(uint64_t number) {
    ch_python_bridge()->freed(number);
    ch_ring_wait();
}

static struct ch_weak_set watched = {.freed = freed};

static bool watch_freed(JNIEnv *env) { return ch_weak_open(&watched, env); }

static void watch(JNIEnv *env, jobject object, uint64_t number) { (void)ch_weak_add(&watched, env, object, number); }

/* ---- the same, for events that the hub does not know */

static bool tell_one(uint32_t handler, struct ch_call *call) {
    struct ch_handler *h = &ch_handlers[handler];
    return ch_events_on && h->on && !ch_call_is_running() && ch_tell(h, call);
}

/* ---- the script */

static struct ch_hub hub = {.handler = ch_handler_add, .enable = enable, .lost = lost, .name = ch_name_of, .site = site, .note = note, .say = say,
                            .tag = ch_tag, .tag_of = ch_tag_of, .sample_every = ch_allocations_sample, .sample = sample, .ask = ask,
                            .runs_handler = ch_call_is_running, .on_own_stack = ch_call_on_own_stack, .when = when, .span = span, .tell = tell_one,
                            .will_ask_owners = ch_owners_start, .monitor_usage = ch_monitor_usage, .watch_freed = watch_freed, .watch = watch};

char *ch_events_script(const char *path, char *rules, size_t *bytes) {
    if (scripted) {
        ch_say("a script of handlers was run in this JVM before: to run another one, restart the JVM");
        free(rules);
        return NULL;
    }
    hub.jvmti = ch_jvmti;
    hub.vm = ch_vm;
    char *all = rules ? ch_python_script(&hub, path, rules, *bytes) : NULL;
    free(rules);
    scripted = all;
    *bytes = all ? strlen(all) : 0;
    return all;
}

static void tell(uint32_t event, JNIEnv *env) {
    struct ch_call call = {.record = {.time = ch_about_now()}, .env = env};
    for (struct ch_handler *h = ch_handlers_of(event); h; h = h->next)
        if (h->on) ch_tell(h, &call);
}

void ch_events_start(JNIEnv *env) {
    if (!scripted || !ch_python_bridge()->prepare(env) || !ch_jvm_events_start(env)) {
        if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
        if (scripted) ch_say("this JVM does not let handlers see its objects; none is called");
        scripted = false;
        return;
    }
    ch_handlers_measure();
    tell(CH_EVENT_START, env);
    ch_events_on = true;
    ch_transforms_start(env, ch_jvm_events_environment());
    ch_worker_start(env);
}

void ch_events_stop(JNIEnv *env) {
    if (!scripted || !ch_events_on) return;
    hub.dead = true; /* first: handlers that are called until the queues are empty do not wait for the JVM's end */
    ch_jvm_events_stop(env);
    ch_weak_close(&watched, env);
    ch_events_on = false;
    ch_worker_stop();
    tell(CH_EVENT_END, env);
}

void ch_events_undo(JNIEnv *env) {
    if (scripted) ch_transforms_undo(env);
}

/* ---- commands */

bool ch_events_take_commands(void) { return scripted && ch_handler_exists(CH_EVENT_COMMAND); }

char *ch_events_command(JNIEnv *env, const char *line) {
    struct ch_handler *h = scripted && ch_events_on ? ch_handlers_of(CH_EVENT_COMMAND) : NULL;
    struct ch_call call = {.record = {.time = ch_about_now()}, .env = env, .text = line};
    if (h) ch_tell(h, &call);
    return call.answer;
}
