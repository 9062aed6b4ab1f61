/* inlined_code.c: which inline function of Kotlin an instruction belongs to. One thread uses it, the sampler of
 * stacks. */
#ifndef CLASSHOOK_INLINED_CODE_H
#define CLASSHOOK_INLINED_CODE_H
#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#define CH_INLINED "[inline]" /* instead of a function's name that is not known */
struct ch_inlined {
    jmethodID function; /* NULL: the class is not loaded where it was written */
    uint32_t class_number; /* of that class */
    uint32_t line, call_line; /* where it was written; of the method itself, where the function is called */
    char signature[1024], source[256]; /* of that class: its name, and its source file's */
};
void ch_inlined_ask(void);
bool ch_inlined_in(jclass c, const char *source); /* whether methods of the class have inlined code, by its line map */
/* False: this line of the method was written there. */
bool ch_inlined_at(JNIEnv *env, jmethodID method, uint32_t line, struct ch_inlined *found);
#endif
