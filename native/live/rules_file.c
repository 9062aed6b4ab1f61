/* The rules that the agent is given: a file, compiled or as text; or its own, in a bundle. */
#include "live.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if the compiled rules are of the supported version and complete, including the last line. */
static bool is_whole(const char *path, const char *text, size_t bytes, struct ch_error *error) {
    static const char first[] = "classhook-rules 9 ";
    const char *end = memrchr(text, '\n', bytes ? bytes - 1 : 0);
    if (strncmp(text, first, sizeof first - 1))
        return ch_fail(error, "the rules %s were compiled by another version of classhook: compile them again", path);
    if (text[bytes - 1] == '\n' && end && !strncmp(end + 1, "end\t", 4)) return true;
    return ch_fail(error, "the compiled rules %s are damaged or cut short: compile them again", path);
}

/* The limit of rules/parse.py; a device might never end. */
enum { MOST_RULES = 16 << 20 };

/* Reads the rules of a bundle; or none: only classes woven ahead of time are counted. */
static char *read_own(size_t *bytes, struct ch_error *error) {
    *bytes = 0;
    if (!ch_is_bundle()) return strdup("");
    char *text = ch_bundle_rules(bytes, error);
    if (!text || is_whole("of this bundle", text, *bytes, error)) return text;
    free(text);
    return NULL;
}

char *ch_rules_read(const char *path, size_t *bytes, struct ch_error *error) {
    static const char magic[] = "classhook-rules ";
    if (!path) return read_own(bytes, error);
    FILE *f = fopen(path, "re");
    char *text = NULL;
    size_t n = 0, room = 0;
    bool failed = false;
    if (!f) {
        ch_fail(error, "cannot read the rules %s: %m", path);
        return NULL;
    }
    do {
        char *more = realloc(text, (room = room ? room * 2 : 65536) + 1);
        failed = !more;
        if (failed) break;
        text = more;
        n += fread(text + n, 1, room - n, f);
        failed = ferror(f);
    } while (n == room && room <= MOST_RULES);
    if (failed) ch_fail(error, "cannot read the rules %s: %m", path);
    fclose(f);
    if (!failed && n > MOST_RULES) {
        ch_fail(error, "the rules %s are larger than 16 MiB", path);
        failed = true;
    }
    if (failed) {
        free(text);
        return NULL;
    }
    text[n] = 0;
    if (strncmp(text, magic,
                sizeof magic - 1)) { /* rules not compiled ahead: compile them now, at the cost of startup time */
        char *compiled = ch_python_compile(path, text, n, error);
        free(text);
        text = compiled;
        n = text ? strlen(text) : 0;
    }
    if (text && !is_whole(path, text, n, error)) {
        free(text);
        return NULL;
    }
    *bytes = n;
    return text;
}
