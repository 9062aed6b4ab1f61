/* Handlers on the event's own thread, on a stack of ours.
 *
 * 1. An application's thread may have little stack left, so Python runs on a stack of its own, which the thread gets at
 *    its first handler and keeps. `ch_call_on` calls a function there: a few instructions, where swapcontext would make
 *    two system calls.
 * 2. Functions that may run Java must not be called there: the JVM would find the stack pointer out of the thread's
 *    bounds. It goes back to the thread's own stack, below where that was left: `ch_call_on` again.
 * 3. While a handler runs on a thread, what happens there calls no other one.
 */
#include "events.h"
#include <pthread.h>
#include <sys/mman.h>

/* Calls work(argument) with the stack pointer at `top`; stores in `left` where the stack was left. */
void ch_call_on(void *top, void (*work)(void *), void *argument, void **left) __attribute__((visibility("hidden")));
#if defined __x86_64__
__asm__(".text\n.p2align 4\n.hidden ch_call_on\n.globl ch_call_on\n.type ch_call_on, @function\n"
        "ch_call_on:\n .cfi_startproc\n"
        " push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n"
        " mov %rsp, %rbp\n .cfi_def_cfa_register %rbp\n"
        " mov %rsp, (%rcx)\n"
        " mov %rdi, %rsp\n"
        " mov %rdx, %rdi\n"
        " call *%rsi\n"
        " mov %rbp, %rsp\n"
        " pop %rbp\n .cfi_def_cfa %rsp, 8\n"
        " ret\n .cfi_endproc\n.size ch_call_on, .-ch_call_on\n");
#elif defined __aarch64__
__asm__(".text\n.p2align 4\n.hidden ch_call_on\n.globl ch_call_on\n.type ch_call_on, %function\n"
        "ch_call_on:\n .cfi_startproc\n"
        " stp x29, x30, [sp, #-16]!\n .cfi_def_cfa_offset 16\n .cfi_offset x29, -16\n .cfi_offset x30, -8\n"
        " mov x29, sp\n .cfi_def_cfa_register x29\n"
        " str x29, [x3]\n"
        " mov sp, x0\n"
        " mov x0, x2\n"
        " blr x1\n"
        " mov sp, x29\n"
        " ldp x29, x30, [sp], #16\n .cfi_def_cfa sp, 0\n"
        " ret\n .cfi_endproc\n.size ch_call_on, .-ch_call_on\n");
#else
#error "a processor that classhook does not know"
#endif

enum { BELOW = 256 }; /* bytes between where a stack was left and what goes on there */

struct stack {
    struct stack *next;
}; /* at the low end of its stack, below a guard page */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stack *spare;
static __thread struct {
    struct stack *stack;
    void *left;
    bool running;
} self __attribute__((tls_model("initial-exec")));

static struct stack *take_stack(void) {
    pthread_mutex_lock(&lock);
    struct stack *s = spare;
    if (s) spare = s->next;
    pthread_mutex_unlock(&lock);
    if (s) return s;
    char *p = mmap(NULL, CH_PYTHON_STACK + CH_CHUNK, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (p == MAP_FAILED) return NULL;
    mprotect(p + CH_CHUNK, CH_CHUNK, PROT_NONE);
    return (struct stack *)p;
}

void ch_calls_leave(void) {
    struct stack *s = self.stack;
    if (!s || self.running) return;
    self.stack = NULL;
    pthread_mutex_lock(&lock);
    s->next = spare;
    spare = s;
    pthread_mutex_unlock(&lock);
}

bool ch_call_is_running(void) { return self.running; }

bool ch_call_python(void (*work)(void *), void *argument) {
    if (self.running || (!self.stack && !(self.stack = take_stack()))) return false;
    self.running = true;
    ch_call_on((char *)self.stack + CH_PYTHON_STACK + CH_CHUNK - 64, work, argument, &self.left);
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
