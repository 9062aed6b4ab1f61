/* The names in a class's constant pool (JVMS 4.4.7): a rule about an annotation, a method or a call matches no
 * class without its name.
 *
 * 1. A class file begins with its pool; of a loaded class, JVMTI gives it. There it is at least what the class file
 *    had: HotSpot never removes entries.
 * 2. A glob that begins with an `@` is one over a class name, which must be there as a descriptor:
 *    `Lcom/acme/Audited;`.
 * 3. A pool that cannot be read may have all names.
 */
#include "classes.h"
#include <string.h>

enum { COUNT_AT = 8, POOL_AT = 10, UTF8 = 1, LONG = 5, DOUBLE = 6, TAGS = 21, LONGEST = 1024 };

/* Size of an entry including its tag, by tag; for Utf8, without its text. 0: no such tag. */
static const unsigned char entry_bytes[TAGS] = {0, 3, 0, 5, 5, 9, 9, 3, 3, 5, 5, 5, 5, 0, 0, 4, 3, 5, 5, 3, 3};

static size_t two_bytes(const unsigned char *p) { return (size_t)p[0] << 8 | p[1]; }

size_t ch_pool_entry_bytes(const unsigned char *at, const unsigned char *end) {
    if (end - at < 3 || *at >= TAGS || !entry_bytes[*at]) return 0;
    size_t bytes = entry_bytes[*at] + (*at == UTF8 ? two_bytes(at + 1) : 0);
    return bytes <= (size_t)(end - at) ? bytes : 0;
}

bool ch_pool_takes_two(unsigned char tag) { return tag == LONG || tag == DOUBLE; }

struct ch_pool ch_pool_of(jclass c) { return (struct ch_pool){.of = c}; }

struct ch_pool ch_pool_in(const unsigned char *data, size_t bytes) {
    struct ch_pool p = {.asked = true};
    if (bytes < POOL_AT) return p;
    p.entries = two_bytes(data + COUNT_AT);
    p.at = data + POOL_AT;
    p.end = data + bytes;
    return p;
}

void ch_pool_free(struct ch_pool *p) {
    if (p->fetched) (*ch_jvmti)->Deallocate(ch_jvmti, p->fetched);
    p->fetched = NULL;
}

static void fetch(struct ch_pool *p) {
    static const jvmtiCapabilities pools = {.can_get_constant_pool = 1};
    static bool added;
    jint entries = 0, bytes = 0;
    p->asked = true;
    if (!ch_load_relaxed(&added)) ch_store_relaxed(&added, !(*ch_jvmti)->AddCapabilities(ch_jvmti, &pools));
    if ((*ch_jvmti)->GetConstantPool(ch_jvmti, p->of, &entries, &bytes, &p->fetched)) {
        p->fetched = NULL;
        return;
    }
    p->entries = (size_t)entries;
    p->at = p->fetched;
    p->end = p->fetched + bytes;
}

static bool glob_is(const char *glob, size_t bytes, bool exact, const char *text, size_t n) {
    char name[LONGEST];
    if (exact) return bytes == n && !memcmp(glob, text, n);
    if (n >= sizeof name || memchr(text, 0, n)) return true; /* not compared */
    memcpy(name, text, n);
    name[n] = 0;
    return ch_glob(glob, name);
}

static bool is_descriptor(const char *text, size_t n) { return n > 2 && *text == 'L' && text[n - 1] == ';'; }

bool ch_pool_has(struct ch_pool *p, const char *glob) {
    if (!p->asked) fetch(p);
    if (!p->at) return true;
    bool annotation = *glob == '@';
    if (annotation) glob++;
    size_t bytes = strlen(glob);
    bool exact = !strchr(glob, '*');
    const unsigned char *at = p->at;
    for (size_t i = 1; i < p->entries; i++) {
        size_t entry = ch_pool_entry_bytes(at, p->end);
        if (!entry) return true;
        if (*at == UTF8) {
            const char *text = (const char *)at + 3;
            size_t n = entry - 3;
            if (!annotation ? glob_is(glob, bytes, exact, text, n)
                            : is_descriptor(text, n) && glob_is(glob, bytes, exact, text + 1, n - 2))
                return true;
        }
        i += ch_pool_takes_two(*at);
        at += entry;
    }
    return false;
}
