/* Functions that take the place of native methods: each calls the one before, whatever its parameters and its result
 * are.
 *
 * 1. A stub says its number, and goes on in code that all share. It keeps the registers that may hold arguments, and
 *    asks `ch_native_enters`.
 * 2. If nobody gets an event of the call, it jumps to the method's function, as if it had never been there.
 * 3. Else it copies the arguments that are on the stack, as many words as that function needs, calls it, keeps the
 *    result, and calls `ch_native_leaves`.
 */
#include "native_methods.h"

struct ch_native_way (*ch_native_enters)(uint64_t number, JNIEnv *env, jobject self);
void (*ch_native_leaves)(uint64_t number, JNIEnv *env);

#define TEXT(number) #number
#define STUBS(number) TEXT(number)

#if defined __x86_64__
__asm__(".text\n.p2align 4\n.hidden ch_native_stubs\n.globl ch_native_stubs\n.type ch_native_stubs, @function\n"
        "ch_native_stubs:\n"
        " .set number, 0\n .rept " STUBS(
            CH_NATIVE_STUBS) "\n"
                             " .p2align 4\n push $number\n jmp ch_native_call\n .set number, number + 1\n .endr\n"
                             ".size ch_native_stubs, .-ch_native_stubs\n"
                             ".p2align 4\n.type ch_native_call, @function\n"
                             "ch_native_call:\n .cfi_startproc\n .cfi_def_cfa_offset 16\n"
                             " push %rbp\n .cfi_def_cfa_offset 24\n .cfi_offset %rbp, -24\n"
                             " mov %rsp, %rbp\n .cfi_def_cfa_register %rbp\n"
                             " sub $120, %rsp\n"
                             " mov %rdi, (%rsp)\n mov %rsi, 8(%rsp)\n mov %rdx, 16(%rsp)\n mov %rcx, 24(%rsp)\n mov "
                             "%r8, 32(%rsp)\n mov %r9, 40(%rsp)\n"
                             " movsd %xmm0, 48(%rsp)\n movsd %xmm1, 56(%rsp)\n movsd %xmm2, 64(%rsp)\n movsd %xmm3, "
                             "72(%rsp)\n"
                             " movsd %xmm4, 80(%rsp)\n movsd %xmm5, 88(%rsp)\n movsd %xmm6, 96(%rsp)\n movsd %xmm7, "
                             "104(%rsp)\n"
                             " mov %rsi, %rdx\n mov %rdi, %rsi\n mov 8(%rbp), %rdi\n"
                             " call *ch_native_enters(%rip)\n"
                             " mov %rax, %r11\n mov %rdx, %rax\n"
                             " mov (%rsp), %rdi\n mov 8(%rsp), %rsi\n mov 16(%rsp), %rdx\n mov 24(%rsp), %rcx\n mov "
                             "32(%rsp), %r8\n mov 40(%rsp), %r9\n"
                             " movsd 48(%rsp), %xmm0\n movsd 56(%rsp), %xmm1\n movsd 64(%rsp), %xmm2\n movsd 72(%rsp), "
                             "%xmm3\n"
                             " movsd 80(%rsp), %xmm4\n movsd 88(%rsp), %xmm5\n movsd 96(%rsp), %xmm6\n movsd "
                             "104(%rsp), %xmm7\n"
                             " test %rax, %rax\n js 3f\n"
                             " lea 1(%rax), %r10\n and $-2, %r10\n shl $3, %r10\n sub %r10, %rsp\n"
                             "1: sub $1, %rax\n js 2f\n mov 24(%rbp,%rax,8), %r10\n mov %r10, (%rsp,%rax,8)\n jmp 1b\n"
                             "2: call *%r11\n"
                             " lea -120(%rbp), %rsp\n mov %rax, 8(%rsp)\n movsd %xmm0, 48(%rsp)\n"
                             " mov 8(%rbp), %rdi\n mov (%rsp), %rsi\n"
                             " call *ch_native_leaves(%rip)\n"
                             " mov 8(%rsp), %rax\n movsd 48(%rsp), %xmm0\n"
                             " .cfi_remember_state\n leave\n .cfi_def_cfa %rsp, 16\n add $8, %rsp\n "
                             ".cfi_def_cfa_offset 8\n ret\n .cfi_restore_state\n"
                             "3: leave\n .cfi_def_cfa %rsp, 16\n add $8, %rsp\n .cfi_def_cfa_offset 8\n jmp *%r11\n"
                             " .cfi_endproc\n.size ch_native_call, .-ch_native_call\n");
enum { STUB_BYTES = 16, INTEGERS = 6 };
#elif defined __aarch64__
__asm__(
    ".text\n.p2align 4\n.hidden ch_native_stubs\n.globl ch_native_stubs\n.type ch_native_stubs, %function\n"
    "ch_native_stubs:\n"
    " .set number, 0\n .rept " STUBS(
        CH_NATIVE_STUBS) "\n"
                         " movz w16, #number\n b ch_native_call\n .set number, number + 1\n .endr\n"
                         ".size ch_native_stubs, .-ch_native_stubs\n"
                         ".p2align 4\n.type ch_native_call, %function\n"
                         "ch_native_call:\n .cfi_startproc\n"
                         " stp x29, x30, [sp, #-16]!\n .cfi_def_cfa_offset 16\n .cfi_offset x29, -16\n .cfi_offset "
                         "x30, -8\n"
                         " mov x29, sp\n .cfi_def_cfa_register x29\n"
                         " sub sp, sp, #144\n"
                         " stp x0, x1, [sp]\n stp x2, x3, [sp, #16]\n stp x4, x5, [sp, #32]\n stp x6, x7, [sp, #48]\n"
                         " stp d0, d1, [sp, #64]\n stp d2, d3, [sp, #80]\n stp d4, d5, [sp, #96]\n stp d6, d7, [sp, "
                         "#112]\n str x16, [sp, #128]\n"
                         " mov x2, x1\n mov x1, x0\n mov x0, x16\n"
                         " adrp x17, ch_native_enters\n ldr x17, [x17, #:lo12:ch_native_enters]\n blr x17\n"
                         " mov x16, x0\n mov x9, x1\n"
                         " ldp x0, x1, [sp]\n ldp x2, x3, [sp, #16]\n ldp x4, x5, [sp, #32]\n ldp x6, x7, [sp, #48]\n"
                         " ldp d0, d1, [sp, #64]\n ldp d2, d3, [sp, #80]\n ldp d4, d5, [sp, #96]\n ldp d6, d7, [sp, "
                         "#112]\n"
                         " tbnz x9, #63, 3f\n"
                         " add x10, x9, #1\n and x10, x10, #-2\n sub sp, sp, x10, lsl #3\n add x11, x29, #16\n"
                         "1: subs x9, x9, #1\n b.mi 2f\n ldr x10, [x11, x9, lsl #3]\n str x10, [sp, x9, lsl #3]\n b "
                         "1b\n"
                         "2: blr x16\n"
                         " sub sp, x29, #144\n str x0, [sp, #8]\n str d0, [sp, #64]\n"
                         " ldr x0, [sp, #128]\n ldr x1, [sp]\n"
                         " adrp x17, ch_native_leaves\n ldr x17, [x17, #:lo12:ch_native_leaves]\n blr x17\n"
                         " ldr x0, [sp, #8]\n ldr d0, [sp, #64]\n"
                         " .cfi_remember_state\n mov sp, x29\n ldp x29, x30, [sp], #16\n .cfi_def_cfa sp, 0\n ret\n "
                         ".cfi_restore_state\n"
                         "3: mov sp, x29\n ldp x29, x30, [sp], #16\n .cfi_def_cfa sp, 0\n br x16\n"
                         " .cfi_endproc\n.size ch_native_call, .-ch_native_call\n");
enum { STUB_BYTES = 8, INTEGERS = 8 };
#else
#error "a processor that classhook does not know"
#endif

void *ch_native_stub(uint32_t number) { return ch_native_stubs + (size_t)number * STUB_BYTES; }

/* One word each. The first two are JNI's environment and the object, or class. */
uint32_t ch_native_words(const char *descriptor) {
    enum { FLOATS = 8 };
    uint32_t integers = 2, floats = 0;
    for (const char *at = descriptor + 1; *at && *at != ')'; at++) {
        uint32_t *kind = *at == 'F' || *at == 'D' ? &floats : &integers;
        ++*kind;
        while (*at == '[') at++;
        if (*at == 'L') at += strcspn(at, ";)");
    }
    return (integers > INTEGERS ? integers - INTEGERS : 0) + (floats > FLOATS ? floats - FLOATS : 0);
}
