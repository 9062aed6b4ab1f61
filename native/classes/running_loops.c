/* Finds the methods that run a loop of short turns at this moment. HotSpot never compiles the old version of a method
 * again: when its class is changed, such a loop goes on in the interpreter until the method returns, 10 to 500 times
 * slower.
 *
 * 1. The threads that are looked at: those that run Java code at a first look, and the virtual threads that they carry.
 *    Candidates are all activations on their stacks of methods of these classes that can still jump back (loops.c).
 * 2. Then these threads are looked at again and again for some ms. A candidate has ended once the method is no longer
 *    there, or a method below it is elsewhere: short activations, however often they are called, are seen to end.
 * 3. One that stays, and is the topmost in at least one look of 64, runs a short loop. Loops that wait, or whose turns
 *    are mostly spent in other methods, are seldom the topmost: a dispatcher of tasks is as fast interpreted, as far as
 *    can be measured.
 * 4. A thread that is in a probe runs a handler, which may take its time, or be the one that changes the classes.
 *    Whether a loop below is short, its looks do not tell. If rules were taken away, it counts as short as long as the
 *    thread stays there: its probes do no harm. New rules are wanted now.
 * 5. No look stops other threads than the one that is looked at, and none is waited for longer than it takes to reach a
 *    safepoint.
 */
#include "../sampling/sampling.h"
#include "classes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_FRAMES = 2048, MOST_CANDIDATES = 512, MOST_THREADS = 256 };
enum {
    DECIDED = 8,
    ONE_IN = 64,
    LEAST_LOOKS = 8,
    LONGER = 5 /* times, until there were so many */,
    MOST_LOOKS = 4000,
    PAUSE_NS = 100000,
    FIRST_NS = 1000000000 /* for the first look at all threads */
};

struct candidate {
    jthread thread;
    jint place; /* from the outermost frame on, which is 0 */
    uint64_t below; /* a hash of the frames below it, with where they are */
    jmethodID method;
    jlocation last; /* the last place in it that jumps back */
    jint of; /* which of the classes */
    uint32_t topmost; /* in how many looks */
    bool in_loop; /* a method below it may call it again and again */
    bool ended, runs; /* it is decided */
    bool in_probe; /* its thread was in the last look */
};

struct look {
    JNIEnv *env;
    jvmtiFrameInfo *frames;
    bool in_probe; /* the thread that was looked at last */
    jclass classes[MOST_CANDIDATES]; /* those of candidates */
    jint n_classes;
    struct candidate candidates[MOST_CANDIDATES];
    uint32_t n, undecided;
    jthread threads[MOST_THREADS]; /* that have candidates, one after the other as these */
    uint32_t n_threads;
};

/* ---- the stack of a thread */

static bool is_tracker(JNIEnv *env, jmethodID method) {
    jclass c = NULL;
    char name[64] = "";
    if ((*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, method, &c)) return false;
    bool found = ch_name_of_class(c, name, sizeof name) && ch_is_tracker(NULL, name);
    (*env)->DeleteLocalRef(env, c);
    return found;
}

/* The tracker's own frames are left out. */
static jint without_probe(struct look *l, jint n) {
    jint own = 0;
    while (own < n && is_tracker(l->env, l->frames[own].method)) own++;
    memmove(l->frames, &l->frames[own], (size_t)(n - own) * sizeof *l->frames);
    l->in_probe = own;
    return own ? n - own : 0;
}

/* The number of frames; 0: the thread does not run Java code now, or its stack is deeper than any with a loop at the
 * top. */
static jint stack_of(struct look *l, jthread thread) {
    jint n = 0, state = 0;
    const jint runs = JVMTI_THREAD_STATE_ALIVE | JVMTI_THREAD_STATE_RUNNABLE;
    l->in_probe = false;
    if ((*ch_jvmti)->GetThreadState(ch_jvmti, thread, &state) || (state & runs) != runs) return 0;
    if ((*ch_jvmti)->GetStackTrace(ch_jvmti, thread, 0, MOST_FRAMES, l->frames, &n) || n == MOST_FRAMES) return 0;
    if (!n || l->frames[0].location >= 0) return n;
    return ch_rules_are_fewer() ? without_probe(l, n)
                                : 0; /* a native method is the topmost of most that wait for input */
}

static uint64_t with(uint64_t hash, const jvmtiFrameInfo *f) {
    return (hash ^ (uint64_t)(uintptr_t)f->method ^ (uint64_t)f->location << 48) * UINT64_C(0x9E3779B97F4A7C15) + 1;
}

/* ---- the first look */

/* The place of the method's class among those of candidates; -1: there is no room for more. */
static jint class_of(struct look *l, jmethodID method) {
    jclass c = NULL;
    if ((*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, method, &c)) return -1;
    for (jint i = 0; i < l->n_classes; i++)
        if ((*l->env)->IsSameObject(l->env, l->classes[i], c)) {
            (*l->env)->DeleteLocalRef(l->env, c);
            return i;
        }
    l->classes[l->n_classes] = c; /* there are no more classes than candidates */
    return l->n_classes++;
}

/* An obsolete method is in the interpreter already. */
static bool can_get_slower(const jvmtiFrameInfo *f, struct ch_loops loops) {
    jboolean old = JNI_FALSE;
    return loops.last >= 0 && !(*ch_jvmti)->IsMethodObsolete(ch_jvmti, f->method, &old) && !old;
}

/* False: the thread has none, and is not kept. */
static bool find_candidates(struct look *l, jthread thread) {
    jint n = stack_of(l, thread);
    uint64_t below = 0;
    bool in_loop = false;
    uint32_t before = l->n;
    for (jint i = n; i-- > 0 && l->n < MOST_CANDIDATES;) {
        const jvmtiFrameInfo *f = &l->frames[i];
        struct ch_loops loops = f->location < 0 ? (struct ch_loops){-1, false} : ch_loops_at(f->method, f->location);
        jint of = can_get_slower(f, loops) ? class_of(l, f->method) : -1;
        if (of >= 0)
            l->candidates[l->n++] = (struct candidate){thread, n - 1 - i, below, f->method, loops.last, of,
                                                       i == 0, in_loop,   false, false,     l->in_probe};
        below = with(below, f);
        in_loop |= loops.around;
    }
    return l->n > before;
}

static void look_first(struct look *l) {
    jthread *all = NULL;
    jint n = 0;
    uint64_t until = ch_monotonic_ns() + FIRST_NS;
    if ((*ch_jvmti)->GetAllThreads(ch_jvmti, &n, &all)) return;
    (void)ch_local_room(l->env, n + MOST_CANDIDATES + 64);
    for (jint i = 0; i < n; i++) {
        bool full = l->n_threads == MOST_THREADS || l->n == MOST_CANDIDATES || ch_monotonic_ns() > until, kept = false;
        jthread mounted = full ? NULL : ch_java_mounted_on(l->env, all[i]), looked_at = mounted ? mounted : all[i];
        if (!full) kept = find_candidates(l, looked_at);
        if (kept) l->threads[l->n_threads++] = looked_at;
        if (mounted && !kept) (*l->env)->DeleteLocalRef(l->env, mounted);
        if (mounted || !kept) (*l->env)->DeleteLocalRef(l->env, all[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)all);
}

/* Forgets loops of other classes than these; `of` becomes a place among these. */
static void keep_those_of(struct look *l, jint n, const jclass *classes) {
    jint to[MOST_CANDIDATES];
    uint32_t kept = 0;
    for (jint i = 0; i < l->n_classes; i++) to[i] = -1;
    for (jint i = 0; i < n && l->n_classes; i++)
        for (jint k = 0; k < l->n_classes; k++)
            if (to[k] < 0 && (*l->env)->IsSameObject(l->env, classes[i], l->classes[k])) to[k] = i;
    for (uint32_t i = 0; i < l->n; i++) {
        struct candidate c = l->candidates[i];
        c.of = to[c.of];
        if (c.of >= 0) l->candidates[kept++] = c;
    }
    l->n = l->undecided = kept;
}

/* ---- later looks */

static void decide(struct look *l, struct candidate *c, bool ended, bool runs) {
    c->ended = ended;
    c->runs = runs;
    l->undecided--;
}

/* At those from `first` on, which are of one thread, from its outermost frame on; the first one of the next thread.
 * `ran`: whether it runs. */
static uint32_t look_at_thread(struct look *l, uint32_t first, uint32_t looks, bool *ran) {
    jthread thread = l->candidates[first].thread;
    uint32_t end = first, open = 0;
    for (; end < l->n && l->candidates[end].thread == thread; end++)
        open += !l->candidates[end].ended && !l->candidates[end].runs;
    if (!open) return end;
    jint n = stack_of(l, thread), at = 0;
    uint64_t below = 0;
    *ran |= n > 0;
    for (uint32_t i = first; i < end; i++) {
        struct candidate *c = &l->candidates[i];
        if (c->ended || c->runs) continue;
        if (n) c->in_probe = l->in_probe;
        if (looks >= ONE_IN && !c->topmost && !c->in_probe) decide(l, c, true, false);
        if (!n || c->ended) continue; /* it waits, for now */
        for (; at < c->place && at < n; at++) below = with(below, &l->frames[n - 1 - at]);
        const jvmtiFrameInfo *f = at < n ? &l->frames[n - 1 - at] : NULL;
        if (!f || f->method != c->method || f->location > c->last || below != c->below) {
            decide(l, c, true, false);
            continue;
        }
        c->topmost += at == n - 1;
        if (looks >= LEAST_LOOKS && !c->in_loop && c->topmost > looks / 2)
            decide(l, c, false, true); /* no method below calls it again */
    }
    return end;
}

/* On a machine with few processors, a look may wait until the thread has one. */
static bool goes_on(uint32_t looks, uint64_t took, uint64_t ns) {
    return looks < MOST_LOOKS && (took < ns || (looks < LEAST_LOOKS && took < LONGER * ns));
}

static void look_again(struct look *l, uint64_t ns) {
    uint64_t began = ch_monotonic_ns();
    uint32_t looks = 1;
    for (; l->undecided && goes_on(looks, ch_monotonic_ns() - began, ns); looks++) {
        bool ran = false;
        for (uint32_t i = 0; i < l->n;) i = look_at_thread(l, i, looks, &ran);
        if (!ran) nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        struct candidate *c = &l->candidates[i];
        if (!c->ended && !c->runs) c->runs = c->in_probe || (c->topmost && c->topmost >= looks / ONE_IN);
    }
}

/* ---- */

static void describe(JNIEnv *env, const struct candidate *c, jclass class, struct ch_running_loop *to) {
    jvmtiThreadInfo info = {0};
    char *name = NULL, class_name[512] = "";
    ch_name_of_class(class, class_name, sizeof class_name);
    for (char *p = class_name; *p; p++)
        if (*p == '/') *p = '.';
    if ((*ch_jvmti)->GetMethodName(ch_jvmti, c->method, &name, NULL, NULL)) name = NULL;
    bool known = !(*ch_jvmti)->GetThreadInfo(ch_jvmti, c->thread, &info);
    const char *thread = info.name && *info.name ? info.name : "without a name";
    snprintf(to->text, sizeof to->text, "%.512s::%.200s (thread %.100s)", class_name, name ? name : "?", thread);
    to->of = c->of;
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)name);
    if (!known) return;
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)info.name);
    if (info.thread_group) (*env)->DeleteLocalRef(env, info.thread_group);
    if (info.context_class_loader) (*env)->DeleteLocalRef(env, info.context_class_loader);
}

uint32_t ch_running_loops(JNIEnv *env, jint n, const jclass *classes, uint64_t ns, struct ch_running_loop *found,
                          uint32_t most) {
    jvmtiCapabilities bytecodes = {.can_get_bytecodes = 1};
    struct look *l = n ? calloc(1, sizeof *l) : NULL;
    uint32_t count = 0;
    if (l) l->frames = malloc(MOST_FRAMES * sizeof *l->frames);
    if (!l || !l->frames || (*ch_jvmti)->AddCapabilities(ch_jvmti, &bytecodes)) {
        if (l) free(l->frames);
        free(l);
        return 0;
    }
    l->env = env;
    look_first(l);
    keep_those_of(l, n, classes);
    look_again(l, ns);
    for (uint32_t i = 0; i < l->n && count < most; i++) {
        bool known = !l->candidates[i].runs;
        for (uint32_t k = 0; k < count; k++) known |= found[k].of == l->candidates[i].of;
        if (!known) describe(env, &l->candidates[i], classes[l->candidates[i].of], &found[count++]);
    }
    for (jint i = 0; i < l->n_classes; i++) (*env)->DeleteLocalRef(env, l->classes[i]);
    for (uint32_t i = 0; i < l->n_threads; i++) (*env)->DeleteLocalRef(env, l->threads[i]);
    free(l->frames);
    free(l);
    return count;
}
