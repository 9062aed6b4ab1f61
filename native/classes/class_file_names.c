/* The names in a class file: its own, since JNI can define a class without giving its name, and then the hook gets
 * none; and those of its direct supertypes.
 *
 * 1. The entries of the constant pool are found by walking over it (JVMS 4.4).
 * 2. After the pool come the access flags, this_class, super_class and the interfaces (JVMS 4.1): indices of Class
 *    entries, each of which has the index of a Utf8 entry.
 */
#include "classes.h"
#include <stdlib.h>
#include <string.h>

enum { POOL_AT = 10, UTF8 = 1, CLASS = 7 };

static size_t two_bytes(const unsigned char *p) { return (size_t)p[0] << 8 | p[1]; }

struct class_file {
    const unsigned char *data, *end, *behind_pool;
    size_t entries;
    uint32_t *entry_at; /* by index; 0: none */
};

static bool open_class(struct class_file *c, const unsigned char *data, size_t bytes) {
    *c = (struct class_file){.data = data, .end = data + bytes};
    if (bytes < POOL_AT) return false;
    c->entries = two_bytes(data + POOL_AT - 2);
    if (!(c->entry_at = calloc(c->entries + 1, sizeof *c->entry_at))) return false;
    const unsigned char *at = data + POOL_AT;
    for (size_t i = 1; i < c->entries; i++) {
        size_t entry = ch_pool_entry_bytes(at, c->end);
        if (!entry) return false;
        c->entry_at[i] = (uint32_t)(at - data);
        i += ch_pool_takes_two(*at);
        at += entry;
    }
    c->behind_pool = at;
    return c->end - at >= 8;
}

static const unsigned char *entry(const struct class_file *c, size_t index, unsigned tag) {
    const unsigned char *at = index < c->entries && c->entry_at[index] ? c->data + c->entry_at[index] : NULL;
    return at && c->end - at >= 3 && *at == tag ? at : NULL;
}

/* The name of the Class entry whose index is at `at`; NULL if there is none, or the class file is damaged. */
static char *name_at(const struct class_file *c, const unsigned char *at) {
    if (!(at = entry(c, two_bytes(at), CLASS)) || !(at = entry(c, two_bytes(at + 1), UTF8))) return NULL;
    size_t n = two_bytes(at + 1);
    return (size_t)(c->end - at) < 3 + n ? NULL : strndup((const char *)at + 3, n);
}

char *ch_class_name(const unsigned char *data, size_t bytes) {
    struct class_file c;
    char *name = open_class(&c, data, bytes) ? name_at(&c, c.behind_pool + 2) : NULL;
    free(c.entry_at);
    return name;
}

struct ch_key ch_class_key(jobject loader, const char *name) {
    jint hash = 0;
    if (loader) (void)(*ch_jvmti)->GetObjectHashCode(ch_jvmti, loader, &hash);
    return ch_hash_own((struct ch_key){loader ? 1 : 0, (uint32_t)hash}, name, strlen(name));
}

bool ch_class_supertypes(const unsigned char *data, size_t bytes, bool (*each)(void *, const char *), void *context) {
    struct class_file c;
    bool all = open_class(&c, data, bytes);
    size_t interfaces = all ? two_bytes(c.behind_pool + 6) : 0;
    for (size_t i = 0; all && i <= interfaces; i++) {
        const unsigned char *at = c.behind_pool + (i ? 6 + 2 * i : 4);
        char *name = c.end - at >= 2 ? name_at(&c, at) : NULL;
        if (name || i || two_bytes(at)) all = name && each(context, name); /* java.lang.Object has no super_class */
        free(name);
    }
    free(c.entry_at);
    return all;
}
