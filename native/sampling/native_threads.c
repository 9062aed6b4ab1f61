/* Threads of the process that are not Java's: the JVM's own (collector, compilers, ...), those of native libraries, and
 * the agent's.
 *
 * 1. The kernel lists all threads of the process; those that are no Java threads are found there by a look now and
 *    then. One that ended between two looks was not seen.
 * 2. Their time is in the tree below a frame for what they are, and one with their name without its number.
 * 3. The agent's own threads are in no stack: their time is summed up beside (CH_RAN_AGENT).
 */
#include "../threads/threads.h"
#include "sampling.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEW 500000000u /* ns that a new thread may have used, of those between two looks and some more */

static struct thread {
    uint32_t tid;
    uint32_t node; /* below which its code is */
    enum ch_ran ran;
    bool there; /* at the last look */
    uint64_t cpu_ns; /* that it had used at the last tick */
    struct ch_ticked *ticked;
    struct thread *next;
} *all;
static bool looked; /* since the sampler began: threads that were not there then are new */

/* ---- what a thread is */

/* By the begins of their names. The kernel keeps 15 bytes of a name: of a longer one the first, or, from newer JVMs,
 * some of both ends, with dots between ("C2 Comp..hread0"). */
static const struct kind {
    const char *begin, *title;
    enum ch_ran ran;
} kinds[] = {
    {"classhook", NULL, CH_RAN_AGENT},
    {"G1 ", "[garbage collector]", CH_RAN_COLLECTOR},
    {"GC Thread", "[garbage collector]", CH_RAN_COLLECTOR},
    {"ParGC", "[garbage collector]", CH_RAN_COLLECTOR},
    {"Shenandoah", "[garbage collector]", CH_RAN_COLLECTOR},
    {"XDirector", "[garbage collector]", CH_RAN_COLLECTOR},
    {"XDriver", "[garbage collector]", CH_RAN_COLLECTOR},
    {"XWorker", "[garbage collector]", CH_RAN_COLLECTOR},
    {"ZDirector", "[garbage collector]", CH_RAN_COLLECTOR},
    {"ZDriver", "[garbage collector]", CH_RAN_COLLECTOR},
    {"ZStat", "[garbage collector]", CH_RAN_COLLECTOR},
    {"ZUncommitter", "[garbage collector]", CH_RAN_COLLECTOR},
    {"ZWorker", "[garbage collector]", CH_RAN_COLLECTOR},
    {"C1 Compiler", "[JIT compiler]", CH_RAN_COMPILERS},
    {"C2 Compiler", "[JIT compiler]", CH_RAN_COMPILERS},
    {"JVMCI", "[JIT compiler]", CH_RAN_COMPILERS},
    {"Sweeper thread", "[JVM]", CH_RAN_JVM},
    {"VM Thread", "[JVM]", CH_RAN_JVM},
    {"VM Periodic", "[JVM]", CH_RAN_JVM},
    {"Service Thread", "[JVM]", CH_RAN_JVM},
    {"Monitor Deflati", "[JVM]", CH_RAN_JVM},
    {"Signal Dispatch", "[JVM]", CH_RAN_JVM},
    {"", "[native threads]", CH_RAN_NATIVE},
};

static bool begins(const char *name, const char *with) {
    enum { KEPT = 7, DOTS = 2 };
    size_t n = strlen(with);
    bool cut = strlen(name) > KEPT && !strncmp(name + KEPT, "..", DOTS);
    return !strncmp(name, with, cut && n > KEPT ? KEPT : n);
}

static void place(struct ch_calls *calls, struct thread *t) {
    char name[CH_KERNEL_NAME], text[CH_KERNEL_NAME + 2];
    const struct kind *kind = kinds;
    ch_thread_kernel_name(t->tid, name);
    while (!begins(name, kind->begin)) kind++;
    t->ran = kind->ran;
    if (!kind->title) return;
    size_t n = strlen(name);
    while (n && (isdigit((unsigned char)name[n - 1]) || name[n - 1] == '#')) n--;
    snprintf(text, sizeof text, "[%.*s]", (int)n, name);
    t->node = ch_calls_node(calls, ch_calls_node(calls, 0, ch_frame_named(kind->title)), ch_frame_named(text));
}

/* ---- all of them */

static bool take(uint32_t tid, void *calls) {
    bool java = ch_sampled_is_java(tid);
    struct thread *t = all;
    while (t && t->tid != tid) t = t->next;
    if (t) {
        t->there = !java; /* it may have become one */
        /* not at first sight: it may be about to start Java */
        if (t->there) ch_ticked_begin(&t->ticked, tid, t, false);
        return true;
    }
    if (java || !(t = calloc(1, sizeof *t))) return true;
    *t = (struct thread){.tid = tid, .there = true, .next = all};
    uint64_t cpu = 0;
    /* one with more has been there, but was Java's */
    if (ch_cpu_clock(tid, &cpu) && (!looked || cpu > NEW)) t->cpu_ns = cpu;
    place(calls, t);
    all = t;
    return true;
}

void ch_native_threads_look(struct ch_calls *calls) {
    for (struct thread *t = all; t; t = t->next) t->there = false;
    ch_each_thread(take, calls);
    looked = true;
    for (struct thread **at = &all, *t; (t = *at);) {
        if (t->there) {
            at = &t->next;
            continue;
        }
        if (t->ticked) ch_ticked_end(t->ticked);
        *at = t->next;
        free(t);
    }
}

static uint64_t used(struct thread *t) {
    uint64_t cpu = t->cpu_ns, before = t->cpu_ns;
    if (!ch_cpu_clock(t->tid, &cpu) || cpu < before) return 0;
    t->cpu_ns = cpu;
    return cpu - before;
}

/* Gives a part of its time to the code on which a tick fell; returns whose it is. */
static enum ch_ran give(struct ch_calls *calls, const struct thread *t, uint64_t pc, uint64_t cpu) {
    if (t->ran == CH_RAN_AGENT) return CH_RAN_AGENT;
    struct ch_ran_at at = ch_ran_natively(calls, t->node, pc);
    if (at.ran == CH_RAN_AGENT) return CH_RAN_AGENT;
    ch_calls_add(calls, at.node, cpu, 0);
    return t->ran;
}

void ch_native_thread_ticked(struct ch_calls *calls, struct ch_ticked *ticked) {
    struct thread *t = ticked->thread;
    struct ch_tick tick[CH_TICKS_KEPT];
    uint32_t n = ch_ticks_take(ticked, tick);
    uint64_t periods = 0, spent = n ? used(t) : 0;
    for (uint32_t i = 0; i < n; i++) periods += tick[i].periods;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t cpu = spent * tick[i].periods / periods;
        ch_calls_tree(calls)->cpu_ns[give(calls, t, tick[i].pc, cpu)] += cpu;
    }
}

/* Adds the time since the last tick: of others than the agent's threads, it was not seen. */
void ch_native_threads_settle(struct ch_calls *calls) {
    for (struct thread *t = all, *next; t; t = next) {
        next = t->next;
        uint64_t spent = used(t);
        if (t->ran == CH_RAN_AGENT)
            ch_calls_tree(calls)->cpu_ns[CH_RAN_AGENT] += spent;
        else
            ch_calls_tree(calls)->unseen_cpu_ns += spent;
        if (t->ticked) ch_ticked_end(t->ticked);
        free(t);
    }
    all = NULL;
    looked = false;
}
