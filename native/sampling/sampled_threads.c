/* All Java threads: the list of them, and to whose ticks the sampler listens.
 *
 * 1. A thread enters the list in the period after its start, but ticks from its start on.
 * 2. At most STACKS are taken in a period, by turns.
 * 3. The list stays while the sampler is stopped, since each thread knows its place in it.
 * 4. One thread calls these, except at a thread's begin.
 */
#include "sampling.h"
#include <stdlib.h>

enum { STACKS = 64 };

static struct ch_java_thread **threads;
static size_t count, room, turn;

struct known { /* a Java thread, by its number in the kernel */
    uint32_t hash, tid;
};
static CH_TABLE(struct known) known_tids;

static bool is_tid(const void *entry, const void *tid) {
    return ((const struct known *)entry)->tid == *(const uint32_t *)tid;
}

bool ch_sampled_is_java(uint32_t tid) { return ch_table_find(&known_tids, ch_hash_number(tid), is_tid, &tid); }

static void listen_to(struct ch_java_thread *t) {
    uint32_t tid = ch_cpu.ticks ? ch_java_thread_tid(t) : 0;
    if (!tid) return;
    if (!ch_sampled_is_java(tid)) ch_table_add(&known_tids, ch_hash_number(tid), &(struct known){.tid = tid});
    ch_ticked_begin(&t->ticked, tid, t, true);
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
    for (size_t i = 0; t->tid && i < count; i++) /* it was there before it told its number: goes on where that ends */
        if (!threads[i]->tid && (*env)->IsSameObject(env, threads[i]->thread, t->thread)) {
            threads[i]->ended_cpu_ns = t->cpu_ns;
            threads[i]->ended_wall_ns = t->wall_ns;
            threads[i]->ended = true;
            ch_thread_settle(threads[i]);
            forget(env, i--);
        }
    for (size_t i = 0; !t->tid && i < count; i++)
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
    listen_to(t);
}

void ch_sampled_take_new(JNIEnv *env) {
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

void ch_sampled_look(JNIEnv *env, uint64_t period) {
    int stacks = 0;
    ch_sampled_take_new(env);
    for (size_t i = 0; i < count; i++) {
        struct ch_java_thread *t = threads[i];
        if (!ch_load_acquire(&t->ended)) continue;
        ch_thread_settle(t);
        forget(env, i--);
    }
    for (size_t n = count; n && stacks < STACKS; n--) {
        if (++turn >= count) turn = 0;
        if (threads[turn]->due <= period) stacks += ch_thread_look(env, threads[turn], period);
    }
}

void ch_sampled_settle(void) {
    for (size_t i = 0; i < count; i++) ch_thread_settle(threads[i]);
}

void ch_sampled_listen_no_more(void) {
    for (size_t i = 0; i < count; i++) listen_no_more(threads[i]);
    ch_table_clear(&known_tids);
}

void ch_sampled_begin_again(JNIEnv *env) {
    ch_sampled_take_new(env);
    for (size_t i = 0; i < count; i++) {
        struct ch_java_thread *t = threads[i];
        if (ch_load_acquire(&t->ended)) {
            forget(env, i--);
            continue;
        }
        ch_thread_look_anew(t);
        listen_to(t);
    }
}

/* It ticks at once: it may be a short one. */
void ch_sampled_begin_thread(JNIEnv *env, jthread thread) {
    ch_java_thread_started(env, thread);
    struct ch_java_thread *t = ch_self.java;
    if (t && t->tid && ch_load_acquire(&ch_cpu.ticks)) ch_ticked_begin(&t->ticked, t->tid, t, true);
}
