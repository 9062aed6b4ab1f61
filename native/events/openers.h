/* The code that opens a file: see openers.c. */
#ifndef CLASSHOOK_OPENERS_H
#define CLASSHOOK_OPENERS_H
#include "events.h"
#include <string.h>

enum { CH_OPENER_DEPTH = 320, CH_OPENERS = 16 };
struct ch_opener_stack {
    jmethodID methods[CH_OPENER_DEPTH]; /* innermost first */
    uint32_t n;
};
struct ch_openers {
    uint32_t numbers[CH_OPENERS]; /* of the program's methods, innermost first, as records have them */
    uint32_t n;
    bool direct; /* only plain input of the JDK is below it */
    bool loads, searches; /* below it classes are loaded, or resources sought */
};
/* this thread's, at most so deep: up to CH_OPENER_DEPTH */
void ch_opener_stack(struct ch_opener_stack *s, uint32_t depth);
struct ch_openers ch_openers(JNIEnv *env, const struct ch_opener_stack *s);

static inline bool ch_begins(const char *text, const char *start) { return !strncmp(text, start, strlen(start)); }
bool ch_begins_with_one(const char *text, const char *const *starts, size_t n);
#define CH_BEGINS_WITH_ONE(text, starts) ch_begins_with_one(text, starts, sizeof(starts) / sizeof *(starts))

#endif
