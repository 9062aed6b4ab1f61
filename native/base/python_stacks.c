/* Calls on another stack, and stacks to run Python on.
 *
 * 1. An application's thread may have only 256 KB of stack, so Python runs on stacks of its own, which are used again.
 *    The low end of each has its place in the list of spare ones, and a guard page above that.
 * 2. `ch_call_on` takes a few instructions. swapcontext would make two system calls, and musl does not have it.
 */
#include "python_stacks.h"
#include <pthread.h>
#include <sys/mman.h>
#include "base.h"

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

struct ch_python_stack {
    struct ch_python_stack *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ch_python_stack *spare;

struct ch_python_stack *ch_python_stack_take(void) {
    pthread_mutex_lock(&lock);
    struct ch_python_stack *s = spare;
    if (s) spare = s->next;
    pthread_mutex_unlock(&lock);
    if (s) return s;
    char *p = mmap(NULL, CH_PYTHON_STACK + CH_CHUNK, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (p == MAP_FAILED) return NULL;
    mprotect(p + CH_CHUNK, CH_CHUNK, PROT_NONE);
    return (struct ch_python_stack *)p;
}

void ch_python_stack_give(struct ch_python_stack *s) {
    pthread_mutex_lock(&lock);
    s->next = spare;
    spare = s;
    pthread_mutex_unlock(&lock);
}

void ch_call_on_python_stack(struct ch_python_stack *s, void (*work)(void *), void *argument, void **left) {
    ch_call_on((char *)s + CH_PYTHON_STACK + CH_CHUNK - 64, work, argument, left);
}
