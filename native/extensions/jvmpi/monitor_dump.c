/* A dump of all monitors that somebody has, wants or waits for, with all threads.
 *
 * 1. All other threads are suspended, but those that run a handler (handler_threads.c). Until they are resumed,
 *    Python's lock is not taken.
 * 2. Of each thread: its state, stack, the monitors that it has, and the one that it wants or waits on. From JDK 23 on,
 *    the JVM no longer names the one that a thread waits on: it is `this` of the native method at the top of its stack.
 * 3. Of each monitor the JVM says the owner and how often he entered it; who wants it and who waits for it follows from
 *    2.
 */
#include "jvmpi.h"
#include <stdlib.h>

enum { MOST_FRAMES = 512 };

struct thread {
    jthread thread;
    uint64_t id, wants, waits; /* ids of monitors */
    jint state, n;
    bool suspended;
    jvmtiFrameInfo *frames;
};
struct monitor {
    uint64_t id, owner;
    jint count;
};
struct all {
    JNIEnv *env;
    struct thread *threads;
    struct monitor *monitors;
    jint n;
    size_t used, room;
    jvmtiError error;
    bool given_up;
};

static struct monitor *monitor_of(struct all *all, uint64_t id) {
    for (size_t i = 0; i < all->used; i++)
        if (all->monitors[i].id == id) return &all->monitors[i];
    if (all->used == all->room) {
        size_t room = all->room ? all->room * 2 : 64;
        struct monitor *more = realloc(all->monitors, room * sizeof *more);
        if (!more) return NULL;
        all->monitors = more;
        all->room = room;
    }
    all->monitors[all->used] = (struct monitor){.id = id};
    return &all->monitors[all->used++];
}

/* `owner`: who has it, if that is known. */
static uint64_t note(struct all *all, jobject monitor, const struct thread *owner) {
    jvmtiMonitorUsage u = {0};
    uint64_t id = ch_id(all->env, monitor);
    struct monitor *m = id ? monitor_of(all, id) : NULL;
    if (m && owner && !m->owner) { /* the JVM may not say it: a thread attaches itself */
        m->owner = owner->id;
        m->count = 1;
    }
    if (m && !ch_hub->monitor_usage(ch_jvmpi, monitor, &u)) {
        m->owner = ch_id_thread(all->env, u.owner);
        m->count = u.entry_count;
        ch_free(u.waiters);
        ch_free(u.notify_waiters);
    }
    return id;
}

static void look(struct all *all, struct thread *t) {
    jvmtiMonitorStackDepthInfo *owned = NULL;
    jobject wanted = NULL;
    jint n = 0;
    if (!ch_local_frame(all->env, 64)) return;
    if ((*ch_jvmpi)->GetThreadState(ch_jvmpi, t->thread, &t->state)) t->state = 0;
    t->frames = malloc(MOST_FRAMES * sizeof *t->frames);
    if (t->frames && (*ch_jvmpi)->GetStackTrace(ch_jvmpi, t->thread, 0, MOST_FRAMES, t->frames, &t->n)) t->n = 0;
    if (!(*ch_jvmpi)->GetOwnedMonitorStackDepthInfo(ch_jvmpi, t->thread, &n, &owned))
        for (jint i = 0; i < n; i++) note(all, owned[i].monitor, t);
    ch_free(owned);
    bool waits = t->state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT;
    if ((*ch_jvmpi)->GetCurrentContendedMonitor(ch_jvmpi, t->thread, &wanted)) wanted = NULL;
    if (!wanted && waits && t->n && (*ch_jvmpi)->GetLocalInstance(ch_jvmpi, t->thread, 0, &wanted)) wanted = NULL;
    if (wanted && (waits || t->state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER))
        *(waits ? &t->waits : &t->wants) = note(all, wanted, NULL);
    (*all->env)->PopLocalFrame(all->env, NULL);
}

static void look_at_all(void *argument) {
    struct all *all = argument;
    jthread *threads = NULL, self = NULL;
    all->error = (*ch_jvmpi)->GetAllThreads(ch_jvmpi, &all->n, &threads);
    if (all->error || (*ch_jvmpi)->GetCurrentThread(ch_jvmpi, &self) ||
        !(all->threads = calloc((size_t)all->n + 1, sizeof *all->threads)))
        return;
    (void)ch_local_room(all->env, all->n + 64);
    for (jint i = 0; i < all->n; i++) {
        struct thread *t = &all->threads[i];
        t->thread = threads[i];
        t->id = ch_id_thread(all->env, threads[i]);
        if (!(*all->env)->IsSameObject(all->env, t->thread, self) && !ch_thread_runs_handler(t->id))
            t->suspended = !(*ch_jvmpi)->SuspendThread(ch_jvmpi, t->thread);
        if (t->suspended && ch_thread_runs_handler(t->id))
            t->suspended = (*ch_jvmpi)->ResumeThread(ch_jvmpi, t->thread) && false;
    }
    for (jint i = 0; i < all->n; i++) {
        if ((all->given_up = ch_is_ending(all->env))) break;
        look(all, &all->threads[i]);
    }
    for (jint i = 0; i < all->n; i++) {
        if (all->threads[i].suspended) (*ch_jvmpi)->ResumeThread(ch_jvmpi, all->threads[i].thread);
        (*all->env)->DeleteLocalRef(all->env, all->threads[i].thread);
    }
    ch_free(threads);
    (*all->env)->DeleteLocalRef(all->env, self);
}

static void forget(struct all *all) {
    for (jint i = 0; all->threads && i < all->n; i++) free(all->threads[i].frames);
    free(all->threads);
    free(all->monitors);
}

static PyObject *appended(PyObject *list, PyObject *one) {
    if (list && one) PyList_Append(list, one);
    Py_XDECREF(one);
    return list;
}

static PyObject *those_that(struct all *all, uint64_t monitor, bool waits) {
    PyObject *ids = PyList_New(0);
    for (jint i = 0; i < all->n; i++)
        if ((waits ? all->threads[i].waits : all->threads[i].wants) == monitor)
            ids = appended(ids, PyLong_FromUnsignedLongLong(all->threads[i].id));
    return ids;
}

static PyObject *frames_of(const struct thread *t) {
    PyObject *frames = PyList_New(0);
    for (jint i = 0; i < t->n; i++)
        if (ch_method(t->frames[i].method) && !ch_method_is_ours(t->frames[i].method))
            frames =
                appended(frames, Py_BuildValue("(iK)", (int)ch_method_line(t->frames[i].method, t->frames[i].location),
                                               (unsigned long long)ch_method_newest(t->frames[i].method)));
    return frames;
}

static PyObject *thread_row(const struct thread *t) {
    jint state = t->suspended ? t->state & ~JVMTI_THREAD_STATE_SUSPENDED : t->state;
    return Py_BuildValue("(KlN)", (unsigned long long)t->id, ch_status_of(state), frames_of(t));
}

/* monitor_dump(): ([(thread, status, [(line, method)])], [(monitor, owner, entered, [who wants it], [who waits])]);
 * None: the JVM does not say it. */
PyObject *ch_monitor_dump(PyObject *self, PyObject *unused) {
    struct all all = {.env = ch_here()};
    jvmtiCapabilities c = {0};
    (void)self, (void)unused;
    if (!all.env || (*ch_jvmpi)->GetCapabilities(ch_jvmpi, &c) || !c.can_get_owned_monitor_stack_depth_info ||
        !c.can_get_current_contended_monitor)
        Py_RETURN_NONE;
    ch_in_jvm(look_at_all, &all);
    if (all.given_up) { /* now it ends */
        forget(&all);
        all = (struct all){.env = all.env};
        ch_in_jvm(look_at_all, &all);
    }
    PyObject *threads = PyList_New(0), *monitors = PyList_New(0);
    for (jint i = 0; all.threads && i < all.n; i++) threads = appended(threads, thread_row(&all.threads[i]));
    for (size_t i = 0; i < all.used; i++) {
        const struct monitor *m = &all.monitors[i];
        monitors = appended(monitors, Py_BuildValue("(KKiNN)", (unsigned long long)m->id, (unsigned long long)m->owner,
                                                    (int)m->count, those_that(&all, m->id, false),
                                                    those_that(&all, m->id, true)));
    }
    forget(&all);
    return Py_BuildValue("(NN)", threads, monitors);
}
