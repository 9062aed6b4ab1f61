/* The interface between native_methods.c and native_stubs.c. */
#ifndef CLASSHOOK_NATIVE_METHODS_H
#define CLASSHOOK_NATIVE_METHODS_H
#include <jni.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CH_NATIVE_STUBS 4096 /* a number for the assembler, too */

struct ch_native_way { /* in the two registers of a result */
    void *function; /* the method's, before */
    intptr_t words; /* of its arguments, on the stack; below 0: nobody is told of the call */
};

_Static_assert(sizeof(struct ch_native_way) == 16, "both are returned in registers");

/* Called by stubs: whoever gives one away sets them before. */
extern struct ch_native_way (*ch_native_enters)(uint64_t number, JNIEnv *env, jobject self)
    __attribute__((visibility("hidden")));
extern void (*ch_native_leaves)(uint64_t number, JNIEnv *env) __attribute__((visibility("hidden")));

extern char ch_native_stubs[] __attribute__((visibility("hidden")));
void *ch_native_stub(uint32_t number);
uint32_t ch_native_words(const char *descriptor); /* of a method: those of its arguments that are on the stack */
#endif
