/* Stacks to run Python on, and calls on another stack. */
#ifndef CLASSHOOK_PYTHON_STACKS_H
#define CLASSHOOK_PYTHON_STACKS_H
#include <stddef.h>

#define CH_PYTHON_STACK ((size_t)8 << 20) /* bytes of each */

struct ch_python_stack *ch_python_stack_take(void); /* NULL: no memory */
void ch_python_stack_give(struct ch_python_stack *s);
/* Calls work(argument) there; stores in `left` where this thread's own stack was left. */
void ch_call_on_python_stack(struct ch_python_stack *s, void (*work)(void *), void *argument, void **left);
/* The same with the stack pointer at `top`. */
void ch_call_on(void *top, void (*work)(void *), void *argument, void **left) __attribute__((visibility("hidden")));
#endif
