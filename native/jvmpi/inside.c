/* Which threads run a handler just now: such a thread must not be suspended. It may have Python's lock, and would keep it where it stops.
 *
 * A thread says so before it takes the lock, and then calls the JVM, which stops it there if it is suspended already. Whoever suspends looks
 * afterwards, and resumes a thread that has said so.
 */
#include "jvmpi.h"
#include <stdlib.h>

struct inside {
    uint64_t id;
    volatile bool now, taken;
    struct inside *next;
};
static struct inside *all;
static __thread struct inside *own;

static struct inside *enter_list(void) {
    struct inside *i;
    for (i = __atomic_load_n(&all, __ATOMIC_ACQUIRE); i; i = i->next) { /* of a thread that has ended */
        bool taken = false;
        if (__atomic_compare_exchange_n(&i->taken, &taken, true, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return i;
    }
    if (!(i = calloc(1, sizeof *i))) return NULL;
    i->taken = true;
    i->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all, &i->next, i, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {}
    return i;
}

void ch_inside_begin(void) {
    JNIEnv *env = ch_jvmpi ? ch_here() : NULL;
    if (!env || (!own && !(own = enter_list()))) return;
    if (!own->id) own->id = ch_id_own_thread(); /* 0 before the JVM is up */
    __atomic_store_n(&own->now, true, __ATOMIC_SEQ_CST);
    (void)(*env)->ExceptionCheck(env);
}

void ch_inside_end(void) {
    if (own) __atomic_store_n(&own->now, false, __ATOMIC_SEQ_CST);
}

void ch_inside_leave(void) {
    if (!own) return;
    own->id = 0;
    __atomic_store_n(&own->taken, false, __ATOMIC_RELEASE);
    own = NULL;
}

bool ch_is_inside(uint64_t id) {
    for (struct inside *i = __atomic_load_n(&all, __ATOMIC_ACQUIRE); i; i = i->next)
        if (i->id == id && __atomic_load_n(&i->now, __ATOMIC_SEQ_CST)) return true;
    return false;
}
