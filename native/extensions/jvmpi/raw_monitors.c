/* Raw monitors, each a capsule of Python's. JVMTI's own do not say whether a thread would have to wait, nor who has
 * one; so these are our own, and all contentions are known.
 *
 * 1. To enter has two steps: a thread that finds another owner is told so, and waits in the second one, for its caller
 *    reports the contention between them.
 * 2. One owner leaves for each contention, before that thread enters: whoever leaves is told whether there is one that
 *    nobody has left for yet.
 * 3. To wait has two steps, too, since to wait is to leave. A notification between them is not lost.
 * 4. Threads wait without the GIL, in native code. They are not interrupted: the program's interruptions are for the
 *    program.
 */
#include "../../base/waiting.h"
#include "jvmpi.h"
#include <errno.h>
#include <stdlib.h>

static const char NAME[] = "classhook_jvmpi.raw_monitor";

struct raw {
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    uint64_t owner; /* a thread; 0: none */
    uint32_t count; /* how often it has entered */
    uint32_t wanted; /* contentions for which no owner has left yet */
    uint32_t notified; /* how often */
    uint32_t users; /* threads that are in it, and the capsule */
    bool gone;
};

static void give_up(struct raw *r) {
    pthread_mutex_lock(&r->lock);
    bool last = !--r->users;
    pthread_mutex_unlock(&r->lock);
    if (!last) return;
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static void forget(PyObject *capsule) { give_up(PyCapsule_GetPointer(capsule, NAME)); }

/* raw_create(): None: this thread is none of Java's, or there is no memory. */
PyObject *ch_raw_create(PyObject *self, PyObject *unused) {
    struct raw *r = ch_is_foreign() ? NULL : calloc(1, sizeof *r);
    (void)self, (void)unused;
    if (!r) Py_RETURN_NONE;
    ch_condition_init(&r->changed);
    pthread_mutex_init(&r->lock, NULL);
    r->users = 1;
    return PyCapsule_New(r, NAME, forget);
}

/* ---- what is done with a monitor. Answers are numbers: below 0, it was not done. */

enum { NOT_DONE = -1, DONE, CONTENDED };

struct act {
    struct raw *raw;
    uint64_t thread;
    long long argument;
    int answer;
};

static bool leave(struct raw *r) {
    bool wanted = r->wanted;
    if (wanted) r->wanted--;
    r->owner = 0;
    pthread_cond_broadcast(&r->changed);
    return wanted;
}

static void enter(struct act *a) {
    struct raw *r = a->raw;
    a->answer = r->owner && r->owner != a->thread ? CONTENDED : DONE;
    if (a->answer == CONTENDED) r->wanted++;
    if (a->answer == CONTENDED) return;
    r->owner = a->thread;
    r->count++;
}

/* The owner of the monitor that the thread waits for on which queued events are told; 0: it waits for none. */
static uint64_t holds_up;

bool ch_raw_holds_up(void) {
    uint64_t owner = ch_load_relaxed(&holds_up);
    return owner && owner == ch_id_own_thread();
}

static void enter_at_last(struct act *a) {
    struct raw *r = a->raw;
    bool tells = ch_hub->drains();
    while (r->owner && r->owner != a->thread && !r->gone) {
        if (tells) ch_store_relaxed(&holds_up, r->owner);
        pthread_cond_wait(&r->changed, &r->lock);
    }
    if (tells) ch_store_relaxed(&holds_up, 0);
    if (r->gone) return;
    a->answer = DONE;
    r->owner = a->thread;
    r->count++;
}

static void leave_once(struct act *a) {
    if (a->raw->owner == a->thread) a->answer = --a->raw->count ? DONE : leave(a->raw) ? CONTENDED : DONE;
}

static void notify_all(struct act *a) {
    if (a->raw->owner != a->thread) return;
    a->answer = DONE;
    a->raw->notified++;
    pthread_cond_broadcast(&a->raw->changed);
}

static void destroy(struct act *a) {
    if (a->raw->owner && a->raw->owner != a->thread) return;
    a->answer = DONE;
    a->raw->gone = true;
    pthread_cond_broadcast(&a->raw->changed);
}

static void (*const acts[])(struct act *) = {enter, enter_at_last, leave_once, notify_all, destroy};
enum { ACTS = sizeof acts / sizeof *acts };

static void act(void *argument) {
    struct act *a = argument;
    pthread_mutex_lock(&a->raw->lock);
    if (!a->raw->gone) acts[a->argument](a);
    pthread_mutex_unlock(&a->raw->lock);
}

static bool is_monitor(PyObject *capsule, struct act *a) {
    a->raw = PyCapsule_IsValid(capsule, NAME) ? PyCapsule_GetPointer(capsule, NAME) : NULL;
    a->thread = a->raw ? ch_id_own_thread() : 0;
    a->answer = NOT_DONE;
    return a->thread;
}

static void run(void (*work)(void *), struct act *a) {
    struct raw *r = a->raw;
    pthread_mutex_lock(&r->lock);
    r->users++;
    pthread_mutex_unlock(&r->lock);
    ch_without_gil(work, a);
    give_up(r);
}

/* raw_act(monitor, what) */
PyObject *ch_raw_act(PyObject *self, PyObject *args) {
    struct act a;
    PyObject *monitor;
    (void)self;
    if (!PyArg_ParseTuple(args, "OL", &monitor, &a.argument)) return NULL;
    if (!is_monitor(monitor, &a) || a.argument < 0 || a.argument >= ACTS) return PyLong_FromLong(a.answer);
    if (acts[a.argument] == enter_at_last)
        run(act, &a);
    else
        act(&a);
    return PyLong_FromLong(a.answer);
}

/* ---- to wait */

struct waiting {
    struct act act;
    uint32_t count, notified;
    struct timespec end;
    bool for_ever;
};

static void begin_to_wait(void *argument) {
    struct waiting *w = argument;
    struct raw *r = w->act.raw;
    pthread_mutex_lock(&r->lock);
    if (!r->gone && r->owner == w->act.thread) {
        w->count = r->count;
        w->notified = r->notified;
        r->count = 0;
        w->act.answer = leave(r) ? CONTENDED : DONE;
    }
    pthread_mutex_unlock(&r->lock);
}

static void wait_and_enter(void *argument) {
    struct waiting *w = argument;
    struct raw *r = w->act.raw;
    pthread_mutex_lock(&r->lock);
    while (r->notified == w->notified && !r->gone)
        if (w->for_ever)
            pthread_cond_wait(&r->changed, &r->lock);
        else if (pthread_cond_timedwait(&r->changed, &r->lock, &w->end) == ETIMEDOUT)
            break;
    enter_at_last(&w->act);
    if (w->act.answer == DONE) r->count = w->count;
    pthread_mutex_unlock(&r->lock);
}

/* raw_wait(monitor): (answer, what raw_wait_on is given) */
PyObject *ch_raw_wait(PyObject *self, PyObject *monitor) {
    struct waiting w = {.count = 0};
    (void)self;
    if (is_monitor(monitor, &w.act)) begin_to_wait(&w);
    return Py_BuildValue("(iII)", w.act.answer, w.count, w.notified);
}

/* raw_wait_on(monitor, count, notified, ms): until it is notified, or the time has passed, and it has entered again; 0:
 * no limit. */
PyObject *ch_raw_wait_on(PyObject *self, PyObject *args) {
    struct waiting w;
    PyObject *monitor;
    long long ms;
    (void)self;
    if (!PyArg_ParseTuple(args, "OIIL", &monitor, &w.count, &w.notified, &ms)) return NULL;
    w.for_ever = ms <= 0;
    w.end = ch_in_ms(CLOCK_MONOTONIC, w.for_ever ? 0 : (uint64_t)ms);
    if (is_monitor(monitor, &w.act)) run(wait_and_enter, &w.act); /* which begins with it */
    return PyLong_FromLong(w.act.answer);
}

/* raw_state(monitor): (owner, how often it has entered) */
PyObject *ch_raw_state(PyObject *self, PyObject *monitor) {
    struct raw *r = PyCapsule_GetPointer(monitor, NAME);
    (void)self;
    if (!r) return NULL;
    pthread_mutex_lock(&r->lock);
    unsigned long long owner = r->owner;
    uint32_t count = r->count;
    pthread_mutex_unlock(&r->lock);
    return Py_BuildValue("(KI)", owner, count);
}
