/* States of threads, and the time that handlers may take.
 *
 * 1. A thread of the JVM gets a PyThreadState at its first handler, and keeps it: to make one takes longer than all
 *    else that a handler's call needs. If it has one because a class was woven there, that one is used, and cffi ends
 *    it.
 * 2. A thread of our own counts ticks. A handler's call notes the tick at which it began, which costs nothing. When it
 *    has taken too long, it is raised an exception, again and again if it goes on. No such exception reaches a later
 *    call.
 */
#include "embedded.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { TICK_MS = 50, STACK = 8 << 20, USED_BEFORE = 64 << 10 };

struct watch {
    struct watch *next;
    unsigned long thread; /* 0: free */
    uint32_t handler;     /* that runs; 0: none */
    uint32_t began;
    bool struck;
};

PyObject *ch_timeout;
static struct watch *all; /* with the GIL; only grows */
static uint32_t tick;
static uint32_t limits[CH_MOST_HANDLERS]; /* in ticks */
static __thread struct {
    PyThreadState *state;
    bool is_ours;
    struct watch *watch;
} self;

/* ---- states */

/* From 3.14 on, Python notices an overflow by addresses, and would look at the thread's own stack. */
static void on_this_stack(void) {
#if PY_VERSION_HEX >= 0x030E0000
    char *low = (char *)__builtin_frame_address(0) - STACK + USED_BEFORE;
    if (PyUnstable_ThreadState_SetStackProtection(PyThreadState_Get(), low, STACK - USED_BEFORE)) PyErr_Clear();
#endif
}

static void take_watch(void) {
    struct watch *w = all;
    while (w && ch_load_acquire(&w->thread)) w = w->next;
    if (!w && (w = calloc(1, sizeof *w))) {
        w->next = all;
        ch_store_release(&all, w);
    }
    if (w) ch_store_release(&w->thread, PyThread_get_thread_ident());
    self.watch = w;
}

void ch_gil_take(void) {
    ch_extension->before_handlers();
    if (self.state) {
        PyEval_RestoreThread(self.state);
    } else {
        self.is_ours = !PyGILState_GetThisThreadState();
        PyGILState_Ensure(); /* never released: the state stays */
        self.state = PyGILState_GetThisThreadState();
        take_watch();
    }
    on_this_stack();
}

void ch_gil_release(void) {
    PyEval_SaveThread();
    ch_extension->after_handlers();
}

void ch_thread_ends(void) {
    ch_extension->thread_ends();
    if (!self.state) return;
    PyEval_RestoreThread(self.state);
    if (self.watch) ch_store_release(&self.watch->thread, 0);
    if (self.is_ours) {
        PyThreadState_Clear(self.state);
        PyThreadState_DeleteCurrent();
    } else {
        PyEval_SaveThread();
    }
    self.state = NULL;
    self.watch = NULL;
}

void ch_without_gil(void (*work)(void *), void *argument) {
    PyThreadState *state = PyEval_SaveThread();
    ch_hub->on_own_stack(work, argument);
    PyEval_RestoreThread(state);
}

/* ---- limits */

void ch_watch_limit(uint32_t handler, double seconds) {
    if (handler < CH_MOST_HANDLERS) limits[handler] = seconds > 0 ? (uint32_t)(seconds * 1000 / TICK_MS) + 1 : 0;
}

void ch_watch_begin(uint32_t handler) {
    struct watch *w = self.watch;
    if (!w || !limits[handler]) return;
    ch_store_relaxed(&w->began, ch_load_relaxed(&tick));
    ch_store_release(&w->handler, handler);
}

void ch_watch_end(void) {
    struct watch *w = self.watch;
    if (!w) return;
    ch_store_release(&w->handler, 0);
    if (w->struck) PyThreadState_SetAsyncExc(w->thread, NULL);
    w->struck = false;
}

static bool is_late(const struct watch *w) {
    uint32_t handler = ch_load_acquire(&w->handler);
    return ch_load_acquire(&w->thread) && handler &&
           ch_load_relaxed(&tick) - ch_load_relaxed(&w->began) > limits[handler];
}

static void strike(struct watch *w) {
    PyGILState_STATE before = PyGILState_Ensure();
    if (is_late(w)) {
        w->struck = true;
        ch_store_relaxed(&w->began, ch_load_relaxed(&tick));
        PyThreadState_SetAsyncExc(w->thread, ch_timeout);
    }
    PyGILState_Release(before);
}

static void *watch(void *unused) {
    (void)unused;
    for (;;) {
        nanosleep(&(struct timespec){0, TICK_MS * 1000000}, NULL);
        ch_add_relaxed(&tick, 1);
        for (struct watch *w = ch_load_acquire(&all); w; w = w->next)
            if (is_late(w)) strike(w);
    }
    return NULL;
}

bool ch_watch_start(void) {
    static bool runs;
    sigset_t every, before;
    pthread_t thread;
    if (runs) return true;
    sigfillset(&every); /* signals are the JVM's */
    pthread_sigmask(SIG_SETMASK, &every, &before);
    runs = !pthread_create(&thread, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (runs) pthread_detach(thread);
    if (runs) pthread_setname_np(thread, "classhook watch");
    return runs;
}
