/* A class's name, read from its class file: JNI can define a class without giving its name, and then the hook gets none.
 *
 * 1. After the constant pool come the access flags and this_class (JVMS 4.1).
 * 2. this_class is the index of a Class entry, which has the index of a Utf8 entry. The pool must be walked for each (JVMS 4.4).
 */
#include "classes.h"
#include <string.h>

enum { POOL_AT = 10, UTF8 = 1, LONG = 5, DOUBLE = 6, CLASS = 7, TAGS = 21 };

/* Size of an entry including its tag, by tag; for Utf8, without its text. 0: no such tag. */
static const unsigned char entry_bytes[TAGS] = {0, 3, 0, 5, 5, 9, 9, 3, 3, 5, 5, 5, 5, 0, 0, 4, 3, 5, 5, 3, 3};

static size_t two_bytes(const unsigned char *p) { return (size_t)p[0] << 8 | p[1]; }

/* The constant pool entry with this index; constant_pool_count gives the end of the pool. NULL if the class file is damaged. */
static const unsigned char *entry(const unsigned char *data, const unsigned char *end, size_t index) {
    const unsigned char *at = data + POOL_AT;
    for (size_t i = 1; i < index; i++) {
        if (end - at < 3 || *at >= TAGS || !entry_bytes[*at]) return NULL;
        i += *at == LONG || *at == DOUBLE; /* takes two indices (JVMS 4.4.5) */
        at += entry_bytes[*at] + (*at == UTF8 ? two_bytes(at + 1) : 0);
    }
    return end - at >= 4 ? at : NULL;
}

char *ch_class_name(const unsigned char *data, size_t bytes) {
    const unsigned char *end = data + bytes, *at;
    if (bytes < POOL_AT || !(at = entry(data, end, two_bytes(data + POOL_AT - 2)))) return NULL;
    if (!(at = entry(data, end, two_bytes(at + 2))) || *at != CLASS) return NULL;
    if (!(at = entry(data, end, two_bytes(at + 1))) || *at != UTF8) return NULL;
    size_t n = two_bytes(at + 1);
    return (size_t)(end - at) < 3 + n ? NULL : strndup((const char *)at + 3, n);
}
