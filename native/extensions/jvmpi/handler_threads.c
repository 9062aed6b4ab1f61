/* The threads that run a handler just now: such a thread must not be suspended. It may have Python's lock, and would
 * keep it where it stops.
 *
 * A thread says so before it takes the lock, and then calls the JVM, which stops it there if it is suspended already.
 * The suspending thread looks afterwards, and resumes a thread that has said so.
 */
#include "jvmpi.h"
#include <stdlib.h>

struct handler_thread {
    uint64_t id;
    bool now, taken;
    struct handler_thread *next;
};
static struct handler_thread *all;
static __thread struct handler_thread *own;

static struct handler_thread *enter_list(void) {
    struct handler_thread *i;
    for (i = ch_load_acquire(&all); i; i = i->next) { /* of a thread that has ended */
        bool taken = false;
        if (ch_replace_acquire(&i->taken, &taken, true)) return i;
    }
    if (!(i = calloc(1, sizeof *i))) return NULL;
    i->taken = true;
    ch_push(&all, i, next);
    return i;
}

void ch_handler_thread_enters(void) {
    JNIEnv *env = ch_jvmpi ? ch_here() : NULL;
    if (!env || (!own && !(own = enter_list()))) return;
    if (!own->id) own->id = ch_id_own_thread(); /* 0 before the JVM is up */
    ch_store(&own->now, true);
    (void)(*env)->ExceptionCheck(env);
}

void ch_handler_thread_left(void) {
    if (own) ch_store(&own->now, false);
}

void ch_handler_thread_ends(void) {
    if (!own) return;
    own->id = 0;
    ch_store_release(&own->taken, false);
    own = NULL;
}

bool ch_thread_runs_handler(uint64_t id) {
    for (struct handler_thread *i = ch_load_acquire(&all); i; i = i->next)
        if (i->id == id && ch_load(&i->now)) return true;
    return false;
}
