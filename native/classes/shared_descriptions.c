/* Classes that are alike but for their names: a program may make any number of them. After the first MOST, the others
 * share one description and its slots.
 *
 * 1. Alike are classes with the same description, but for their own name, wherever that stands in it, and for digits of
 *    the package and the source file; by the same rules.
 * 2. How the names of the first ones begin, but for digits at its end, with an asterisk behind it, is the name of the
 *    others. Classes whose names begin otherwise are alike among themselves.
 * 3. Not alike are those with probes of coverage, since a report looks at their code, and those that allocate objects
 *    named like themselves, whose sizes may differ.
 */
#include "../objects/objects.h"
#include "classes.h"
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 };

struct kind {
    struct ch_keyed is;
    const char *name; /* of the first class, with dots; in the metadata, which stays */
    uint32_t beginning; /* how much of it all have */
    uint32_t classes;
    uint32_t first_slot;
    bool shared; /* the later ones have a description */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CH_TABLE(struct kind) kinds;

/* ---- descriptions with another name in the place of the class's own */

/* `char` has no sign on aarch64. */
static bool is_part_of_name(char c) { return isalnum((unsigned char)c) || strchr("_$/.-", c) || c & 0x80; }

/* `L` begins a name in a descriptor, where something else may also end in L: what is before it then. */
static bool begins_name(const char *start, const char *at) {
    if (at == start || !is_part_of_name(at[-1])) return true;
    return at[-1] == 'L' &&
           (at - 1 == start || strchr("(;[)\t", at[-2]) || (at - 2 > start && strchr("BCDFIJSZ", at[-2])));
}

static bool ends_name(const char *at, const char *end) { return at == end || *at == '$' || !is_part_of_name(*at); }

struct text {
    char *bytes;
    size_t n;
};

static void append(struct text *t, const char *bytes, size_t n) {
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
}

static void append_as(struct text *t, const char *bytes, size_t n, bool slashes) {
    append(t, bytes, n);
    for (char *c = t->bytes + t->n - n; c < t->bytes + t->n; c++)
        if (*c == (slashes ? '.' : '/')) *c = slashes ? '/' : '.';
}

/* The description with `other` for the name, each in the form, with dots or slashes, in which it stands; `more` bytes
 * are left free behind it. */
static struct text renamed(const char *description, size_t bytes, const char *name, const char *other,
                           size_t other_bytes, size_t more) {
    size_t n = strlen(name);
    struct text t = {malloc(bytes + (bytes / n + 1) * other_bytes + more), 0};
    const char *end = description + bytes;
    for (const char *at = description; t.bytes && at < end;) {
        bool fits = *at == *name && (size_t)(end - at) >= n && ends_name(at + n, end) && begins_name(description, at),
             slashes = false;
        for (size_t i = 0; fits && i < n; i++) {
            bool separates = name[i] == '/';
            fits = separates ? at[i] == '/' || at[i] == '.' : at[i] == name[i];
            slashes |= separates && at[i] == '/';
        }
        if (fits)
            append_as(&t, other, other_bytes, slashes);
        else
            append(&t, at, 1);
        at += fits ? n : 1;
    }
    return t;
}

/* ---- kinds */

static size_t without_digits(const char *from, size_t n, char *to) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)from[i])) to[kept++] = from[i];
    return kept;
}

static bool of_own_type(struct ch_text type) { return memchr(type.at, '*', type.bytes); }

static bool kind_of(const char *name, const char *description, size_t bytes, struct ch_key rules, struct ch_key *key) {
    struct text t = renamed(description, bytes, name, "*", 1, 0);
    struct ch_line class;
    if (!t.bytes || ch_allocates(t.bytes, t.n, of_own_type) ||
        !ch_probe_table_has(t.bytes, t.n, CH_LINE_CLASS, &class)) {
        free(t.bytes);
        return false;
    }
    const char *slash = strrchr(name, '/');
    char *start = t.bytes + (class.text.at - t.bytes), *further = start + class.text.bytes;
    size_t kept = without_digits(start, class.text.bytes, start);
    *key = ch_hash(ch_hash(rules, further, (size_t)(t.bytes + t.n - further)), start, kept);
    free(t.bytes);
    char package[1024];
    size_t n = slash ? (size_t)(slash - name) : 0;
    if (n >= sizeof package) return false;
    *key = ch_hash(*key, package, without_digits(name, n, package));
    return true;
}

/* The length of the common beginning of both. */
static uint32_t common(const struct kind *k, const char *name) {
    uint32_t i = 0;
    while (i < k->beginning && (name[i] == k->name[i] || (name[i] == '/' && k->name[i] == '.'))) i++;
    return i;
}

static bool is_full(const struct kind *k) { return k->classes == MOST; }

/* Finds the kind's entry, whose key may be another one, or sets `k` to NULL. False: there are too many kinds of this
 * key. */
static bool find_kind(struct ch_key *key, const char *name, struct kind **k) {
    enum { MOST_BEGINNINGS = 16 };
    int i = 1;
    for (; (*k = ch_table_find_key(&kinds, key)) && is_full(*k) && common(*k, name) < (*k)->beginning; i++) {
        if (i == MOST_BEGINNINGS) return false;
        *key = ch_hash(*key, (*k)->name, (*k)->beginning);
    }
    return true;
}

static void add(struct kind *k, const char *name) {
    k->beginning = common(k, name);
    if (++k->classes < MOST) return;
    while (k->beginning && isdigit((unsigned char)k->name[k->beginning - 1])) k->beginning--;
}

struct ch_alike ch_alike_find(const char *name, const char *description, size_t bytes, struct ch_key rules) {
    struct ch_alike a = {.name = name, .description = description, .bytes = bytes};
    struct ch_line line;
    bool fits = *name && !strpbrk(name, "\\\t\n\r") && !ch_probe_table_has(description, bytes, CH_LINE_ORIGINAL, &line);
    if (!fits || !(a.is_known = kind_of(name, description, bytes, rules, &a.kind))) return a;
    pthread_mutex_lock(&lock);
    struct ch_key key = a.kind;
    struct kind *k;
    a.shares = find_kind(&key, name, &k) && k && k->shared;
    a.first_slot = a.shares ? k->first_slot : 0;
    pthread_mutex_unlock(&lock);
    return a;
}

/* Lock held. */
static struct ch_meta *describe_all(struct kind *k, const struct ch_alike *a, enum ch_meta_kind as, uint32_t first_slot,
                                    uint32_t slots) {
    enum { MORE = 16 }; /* bytes of a record */
    char name[1024];
    size_t n = k->beginning;
    if (n + 1 >= sizeof name) return NULL;
    memcpy(name, k->name, n);
    name[n++] = '*';
    struct text t = renamed(a->description, a->bytes, a->name, name, n, MORE);
    if (!t.bytes) return NULL;
    struct ch_probe_table_writer w = ch_probe_table_extend(t.bytes, t.n, t.n + MORE);
    ch_probe_table_write(&w, &(struct ch_line){.kind = CH_LINE_ALIKE});
    struct ch_meta *m = ch_meta_add(as, first_slot, slots, t.bytes, w.bytes);
    free(t.bytes);
    k->shared = m != NULL;
    k->first_slot = first_slot;
    return m;
}

struct ch_meta *ch_alike_describe(const struct ch_alike *a, enum ch_meta_kind as, uint32_t first_slot, uint32_t slots) {
    pthread_mutex_lock(&lock);
    struct ch_key key = a->kind;
    struct kind *k = NULL;
    bool fits = a->is_known && find_kind(&key, a->name, &k);
    bool of_all = fits && k && is_full(k) && !k->shared && describe_all(k, a, as, first_slot, slots);
    struct ch_meta *m = of_all ? NULL : ch_meta_add(as, first_slot, slots, a->description, a->bytes);
    struct ch_line class;
    if (fits && m && !k && ch_probe_table_has((const char *)(m + 1), m->bytes, CH_LINE_CLASS, &class))
        k = ch_table_add_key(
            &kinds, &(struct kind){.is.key = key, .name = class.class.name.at, .beginning = (uint32_t)strlen(a->name)});
    if (fits && m && k && !is_full(k)) add(k, a->name);
    pthread_mutex_unlock(&lock);
    return m;
}
