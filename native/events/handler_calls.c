/* Handlers on the event's own thread, on a stack of ours.
 *
 * 1. A thread gets a stack to run Python on at its first handler, and keeps it.
 * 2. Functions that may run Java must not be called there: the JVM would find the stack pointer out of the thread's
 *    bounds. It goes back to the thread's own stack, below where that was left: `ch_call_on`.
 * 3. While a handler runs on a thread, what happens there calls no other one.
 */
#include "../base/python_stacks.h"
#include "events.h"

enum { BELOW = 256 }; /* bytes between where a stack was left and what goes on there */

static __thread struct {
    struct ch_python_stack *stack;
    void *left;
    bool running;
} self __attribute__((tls_model("initial-exec")));

void ch_calls_leave(void) {
    if (!self.stack || self.running) return;
    ch_python_stack_give(self.stack);
    self.stack = NULL;
}

bool ch_call_is_running(void) { return self.running; }

bool ch_call_python(void (*work)(void *), void *argument) {
    if (self.running || (!self.stack && !(self.stack = ch_python_stack_take()))) return false;
    self.running = true;
    ch_call_on_python_stack(self.stack, work, argument, &self.left);
    self.running = false;
    return true;
}

void ch_call_on_own_stack(void (*work)(void *), void *argument) {
    void *unused;
    if (self.running)
        ch_call_on((char *)((uintptr_t)self.left & ~(uintptr_t)15) - BELOW, work, argument, &unused);
    else
        work(argument);
}
