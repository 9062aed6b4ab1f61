/* Threads of the process that are not Java's: the JVM's own (collector, compilers, ...), those of native libraries, and
 * the agent's.
 *
 * 1. The kernel lists all threads of the process; those that are no Java threads are found there by a look now and
 *    then. One that ended between two looks was not seen.
 * 2. Their time is in the tree below a frame for what they are, and one with their name without its number.
 * 3. The agent's own threads are in no stack: their time is summed up beside (CH_RAN_AGENT).
 * 4. A Java thread that is older than the agent has a number in the kernel that the agent does not know: it is the
 *    thread whose CPU clock shows what the JVM says of it.
 */
#include "../threads/threads.h"
#include "sampling.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ch_native_thread *all;

/* ---- what a thread is */

/* By the begins of their names, of which the kernel keeps 15 bytes. */
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

static void name_of(uint32_t tid, char *to, size_t room) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%u/comm", tid);
    FILE *f = fopen(path, "re");
    if (!f || !fgets(to, (int)room, f)) *to = 0;
    if (f) fclose(f);
    to[strcspn(to, "\n")] = 0;
}

static void place(struct ch_calls *calls, struct ch_native_thread *t) {
    char name[32], text[40];
    const struct kind *kind = kinds;
    name_of(t->tid, name, sizeof name);
    while (strncmp(name, kind->begin, strlen(kind->begin)) != 0) kind++;
    t->ran = kind->ran;
    if (!kind->title) return;
    size_t n = strlen(name);
    while (n && (isdigit((unsigned char)name[n - 1]) || name[n - 1] == '#')) n--;
    snprintf(text, sizeof text, "[%.*s]", (int)n, name);
    t->node = ch_calls_node(calls, ch_calls_node(calls, 0, ch_frame_named(kind->title)), ch_frame_named(text));
}

/* ---- all threads */

void ch_each_tid(bool (*each)(uint32_t tid, void *with), void *with) {
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        uint32_t tid = (uint32_t)strtoul(e->d_name, NULL, 10);
        if (tid && !each(tid, with)) break;
    }
    if (folder) closedir(folder);
}

struct by_clock {
    uint64_t from, to; /* of the clocks that were read, whose order is that of the candidates */
    uint32_t n, room;
    struct clock {
        uint32_t tid;
        uint64_t ns;
    } *clocks;
};

static bool read_clock(uint32_t tid, void *with) {
    struct by_clock *b = with;
    if (b->n == b->room) {
        uint32_t room = b->room ? b->room * 2 : 64;
        struct clock *more = realloc(b->clocks, room * sizeof *more);
        if (!more) return false;
        b->clocks = more;
        b->room = room;
    }
    if (ch_cpu_clock(tid, &b->clocks[b->n].ns)) b->clocks[b->n++].tid = tid;
    return true;
}

uint32_t ch_tid_by_clock(JNIEnv *env, jthread thread) {
    struct by_clock b = {0};
    jlong before = 0, after = 0;
    uint32_t found = 0, fitting = 0;
    (void)env;
    if ((*ch_jvmti)->GetThreadCpuTime(ch_jvmti, thread, &before)) return 0;
    ch_each_tid(read_clock, &b);
    if (!(*ch_jvmti)->GetThreadCpuTime(ch_jvmti, thread, &after))
        for (uint32_t i = 0; i < b.n; i++)
            if (b.clocks[i].ns >= (uint64_t)before && b.clocks[i].ns <= (uint64_t)after) {
                found = b.clocks[i].tid;
                fitting++;
            }
    free(b.clocks);
    return fitting == 1 ? found : 0;
}

/* ---- those that are not Java's */

struct look {
    struct ch_calls *calls;
    bool (*is_java)(uint32_t tid);
};

static bool take(uint32_t tid, void *with) {
    const struct look *look = with;
    struct ch_native_thread *t = all;
    while (t && t->tid != tid) t = t->next;
    if (t) {
        t->there = !look->is_java(tid); /* it may have become one */
        if (t->there)
            ch_ticked_begin(&t->ticked, tid, t, false); /* not at first sight: it may be about to start Java */
        return true;
    }
    if (look->is_java(tid) || !(t = calloc(1, sizeof *t))) return true;
    *t = (struct ch_native_thread){.tid = tid, .there = true, .next = all};
    ch_cpu_clock(tid, &t->cpu_ns);
    place(look->calls, t);
    all = t;
    return true;
}

void ch_native_threads_look(struct ch_calls *calls, bool (*is_java)(uint32_t tid)) {
    struct look look = {calls, is_java};
    for (struct ch_native_thread *t = all; t; t = t->next) t->there = false;
    ch_each_tid(take, &look);
    for (struct ch_native_thread **at = &all, *t; (t = *at);) {
        if (t->there) {
            at = &t->next;
            continue;
        }
        if (t->ticked) ch_ticked_end(t->ticked);
        *at = t->next;
        free(t);
    }
}

static uint64_t used(struct ch_native_thread *t) {
    uint64_t cpu = t->cpu_ns, before = t->cpu_ns;
    if (!ch_cpu_clock(t->tid, &cpu) || cpu < before) return 0;
    t->cpu_ns = cpu;
    return cpu - before;
}

/* Gives a part of its time to the code on which a tick fell; returns whose it is. */
static enum ch_ran give(struct ch_calls *calls, const struct ch_native_thread *t, uint64_t pc, uint64_t cpu) {
    if (t->ran == CH_RAN_AGENT) return CH_RAN_AGENT;
    struct ch_ran_at at = ch_ran_natively(calls, t->node, pc);
    if (at.ran == CH_RAN_AGENT) return CH_RAN_AGENT;
    ch_calls_add(calls, at.node, cpu, 0);
    return t->ran;
}

void ch_native_thread_ticked(struct ch_calls *calls, struct ch_ticked *ticked) {
    struct ch_native_thread *t = ticked->thread;
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
    for (struct ch_native_thread *t = all, *next; t; t = next) {
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
}
