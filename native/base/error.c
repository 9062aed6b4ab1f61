/* Errors as values, and messages on stderr. */
#include "error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REFUSED "the JVM refused %s (JVMTI error %d)"

static void add(struct ch_error *e, const char *format, va_list args) {
    size_t n = strlen(e->text), gap = n ? 1 : 0;
    if (n + gap >= sizeof e->text - 1) return;
    if (gap) e->text[n] = '\n';
    vsnprintf(e->text + n + gap, sizeof e->text - n - gap, format, args);
}

bool ch_fail(struct ch_error *e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(e, format, args);
    va_end(args);
    return false;
}

void ch_warn(struct ch_error *e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(e, format, args);
    va_end(args);
}

/* In another phase, the JVM is ending: nothing more will be measured. */
bool ch_check(struct ch_error *e, jvmtiError code, const char *what) {
    if (code && code != JVMTI_ERROR_WRONG_PHASE) ch_warn(e, REFUSED, what, (int)code);
    return !code;
}

void ch_error_say(const struct ch_error *e) {
    for (const char *line = e->text, *end; *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        fprintf(stderr, "%s%.*s\n", *line == ' ' ? "" : "classhook: ", (int)(end - line), line);
    }
}

void ch_say(const char *format, ...) {
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "classhook: %s\n", text);
}

bool ch_ok(jvmtiError code, const char *what) {
    if (code && code != JVMTI_ERROR_WRONG_PHASE) ch_say(REFUSED, what, (int)code);
    return !code;
}
