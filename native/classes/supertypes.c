/* Finds the supertypes of a class that the rules name (`Type+`) without loading them: that would change the program.
 *
 * A class's line are the names, its own and those of all its supertypes, that some pattern with a `+` matches.
 * 1. Once a class is prepared, all its supertypes are loaded: its line follows from theirs. The line of a supertype is
 *    kept in the JVMTI tag of its class, so that classes of one name in several loaders are not mixed up.
 * 2. The hook sees a class before, when its supertypes may not be loaded. It expects a line: of each supertype, that of
 *    the last class of that name, or what the JDK's image says; if one is unknown, what an earlier run found (in the
 *    cache of woven classes).
 * 3. When the class is prepared, before any of its code runs, the line is known. If another one was expected, the class
 *    is retransformed, and woven as if expected rightly; so a wrong expectation costs time, not exactness. An
 *    unexpected line is kept for the next run.
 *
 * Names that only the report needs (`alloc Type+`, `count calls Type+::m`) have a line of their own. Without such rules
 * nothing of this happens. Rules may be exchanged: patterns have the number of their generation, and so has each line
 * that is kept.
 */
#include "classes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { GUESSES = 1 << 15, DEEPEST = 64, MOST_KEPT = 20000, REMEMBERED = 7 /* apart from other keys of the cache */ };

/* Numbers of sets of names. 0: unknown. */
struct line {
    uint32_t woven, reported;
};

struct pattern {
    const char *glob;
    bool woven, reported;
};

struct ch_subtypes {
    struct pattern *patterns;
    size_t count;
    uint16_t generation;
    struct line objects; /* of java.lang.Object, which JNI does not give as the superclass of an interface */
};

static struct ch_subtypes none;
static struct ch_subtypes *current = &none;
static uint16_t generation,
    reported_generation; /* the last ones given, and whose names are in the metadata for all loaded classes */

/* ---- lines */

static struct line joined(struct line a, struct line b) {
    return (struct line){ch_names_union(a.woven, b.woven), ch_names_union(a.reported, b.reported)};
}

static struct line with_own(const struct ch_subtypes *s, struct line above, const char *name) {
    bool woven = false, reported = false;
    for (const struct pattern *p = s->patterns; p < s->patterns + s->count; p++)
        if (((p->woven && !woven) || (p->reported && !reported)) && ch_glob(p->glob, name)) {
            woven |= p->woven;
            reported |= p->reported;
        }
    if (!woven && !reported) return above;
    uint32_t own = ch_names_number(name, strlen(name) + 1);
    return joined(above, (struct line){woven ? own : CH_NO_NAMES, reported ? own : CH_NO_NAMES});
}

static const struct line nothing = {CH_NO_NAMES, CH_NO_NAMES};

/* ---- of classes that are prepared: known */

/* A class's tag: a line and its generation. */
static uint64_t tag_of(const struct ch_subtypes *s, struct line line) {
    return (uint64_t)line.reported << (16 + CH_NAMES_BITS) | (uint64_t)line.woven << 16 | s->generation;
}
_Static_assert(2 * CH_NAMES_BITS + 16 <= 64, "a tag has room for two numbers and the generation");

static struct line line_of(const struct ch_subtypes *s, JNIEnv *env, jclass c, bool keep, int depth);

static struct line tagged_line(const struct ch_subtypes *s, JNIEnv *env, jclass c, int depth) {
    enum { MASK = (1 << CH_NAMES_BITS) - 1 };
    jlong tag = 0;
    if (!(*ch_jvmti)->GetTag(ch_jvmti, c, &tag) && tag && (uint16_t)tag == s->generation)
        return (struct line){(uint32_t)(tag >> 16) & MASK, (uint32_t)((uint64_t)tag >> (16 + CH_NAMES_BITS))};
    return line_of(s, env, c, true, depth + 1);
}

/* `keep`: in its tag, for its subtypes; most classes have none. */
static struct line line_of(const struct ch_subtypes *s, JNIEnv *env, jclass c, bool keep, int depth) {
    if (!depth) (void)ch_local_room(env, 512); /* interfaces, and theirs; -Xcheck:jni counts them */
    jclass super = depth < DEEPEST ? (*env)->GetSuperclass(env, c) : NULL, *interfaces = NULL;
    struct line line = super ? tagged_line(s, env, super, depth) : s->objects;
    char name[1024];
    jint n = 0;
    if (super) (*env)->DeleteLocalRef(env, super);
    if ((*ch_jvmti)->GetImplementedInterfaces(ch_jvmti, c, &n, &interfaces))
        return (struct line){0, 0}; /* not prepared */
    for (jint i = 0; i < n; i++) {
        line = joined(line, tagged_line(s, env, interfaces[i], depth));
        (*env)->DeleteLocalRef(env, interfaces[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)interfaces);
    if (!ch_name_of_class(c, name, sizeof name)) return (struct line){0, 0};
    line = with_own(s, line, name);
    if (keep && line.woven && line.reported) (*ch_jvmti)->SetTag(ch_jvmti, c, (jlong)tag_of(s, line));
    return line;
}

/* ---- of classes that the hook sees: expected */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* No table of base/table.h: it must not grow, since a guess may be lost. */
static struct guess {
    uint64_t name; /* its hash; another name with the same place replaces it */
    uint16_t generation;
    struct line line;
} *guesses;

static uint64_t hash_of(const char *name) { return ch_hash_own((struct ch_key){0, 0}, name, strlen(name)).low; }

static void guess(const struct ch_subtypes *s, const char *name, struct line line) {
    uint64_t hash = hash_of(name);
    pthread_mutex_lock(&lock);
    guesses[hash % GUESSES] = (struct guess){hash, s->generation, line};
    pthread_mutex_unlock(&lock);
}

struct expecting {
    const struct ch_subtypes *patterns;
    struct line line;
    bool all_known;
    int depth;
};

static bool add_supertype(void *context, const char *name);

static struct line from_class_file(const struct ch_subtypes *s, const char *name, const unsigned char *data,
                                   size_t bytes, int depth, bool *all_known) {
    struct expecting e = {s, nothing, true, depth};
    *all_known = ch_class_supertypes(data, bytes, add_supertype, &e) && e.all_known;
    return with_own(s, e.line, name);
}

static bool add_supertype(void *context, const char *name) {
    struct expecting *e = context;
    const struct ch_subtypes *s = e->patterns;
    uint64_t hash = hash_of(name);
    size_t bytes;
    bool known = false;
    pthread_mutex_lock(&lock);
    struct guess g = guesses[hash % GUESSES];
    pthread_mutex_unlock(&lock);
    if (g.name == hash && g.generation == s->generation && g.line.woven) {
        e->line = joined(e->line, g.line);
        return true;
    }
    unsigned char *data = e->depth < DEEPEST ? ch_jdk_image_class(name, &bytes) : NULL;
    struct line line = data ? from_class_file(s, name, data, bytes, e->depth + 1, &known) : with_own(s, nothing, name);
    free(data);
    if (known) guess(s, name, line);
    e->all_known &= known;
    e->line = joined(e->line, line);
    return true;
}

static struct ch_key key_of(jobject loader, const char *name) {
    return ch_hash_own((struct ch_key){(uint64_t)ch_loader_identify(loader), 0}, name, strlen(name));
}

void ch_supertypes_done(jobject loader, const char *name, const struct ch_done *done) {
    ch_pending_done(key_of(loader, name), done);
}

/* ---- what an earlier run found */

static struct ch_key remembered_key(const char *name) {
    struct ch_key key = {REMEMBERED, 0}, rules = ch_active_rules().weaving;
    if (!ch_cache_is_of(rules)) key = ch_hash(key, &rules, sizeof rules);
    return ch_hash(key, name, strlen(name));
}

/* 0: nothing */
static uint32_t remembered(const char *name) {
    struct ch_woven kept = {0};
    uint32_t number = 0;
    if (ch_cache_find(remembered_key(name), name, 0, &kept) && kept.status == CH_SUPERTYPES &&
        (!kept.length || !kept.bytes[kept.length - 1]))
        number = ch_names_number((const char *)kept.bytes, kept.length);
    ch_woven_free(&kept);
    return number;
}

void ch_supertypes_remember(const char *name, uint32_t line) {
    struct ch_names names = ch_names(line);
    struct ch_woven w = {
        .status = CH_SUPERTYPES, .bytes = (unsigned char *)(uintptr_t)names.text, .length = names.bytes};
    static uint32_t kept; /* loaders whose classes of one name differ would replace the record again and again */
    if (remembered(name) != line && ch_add_relaxed(&kept, 1) < MOST_KEPT)
        ch_cache_add(remembered_key(name), name, 0, &w, true);
}

/* ---- called by the hook, and when a class is prepared */

uint32_t ch_supertypes(JNIEnv *env, jclass c) { return line_of(ch_load(&current), env, c, false, 0).woven; }

uint32_t ch_supertypes_expected(jobject loader, const char *name, const unsigned char *data, size_t bytes,
                                bool *guessed) {
    const struct ch_subtypes *s = ch_load(&current);
    bool all_known;
    struct line line = from_class_file(s, name, data, bytes, 0, &all_known);
    uint32_t earlier = all_known ? 0 : remembered(name);
    if (all_known) guess(s, name, line);
    *guessed = !all_known;
    return ch_pending_note(key_of(loader, name), earlier ? earlier : line.woven ? line.woven : CH_NO_NAMES, all_known);
}

static bool is_prepared(jclass c) {
    jint status = 0;
    return !(*ch_jvmti)->GetClassStatus(ch_jvmti, c, &status) && (status & JVMTI_CLASS_STATUS_PREPARED);
}

static void report(const char *name, uint32_t line) {
    struct ch_names names = ch_names(line);
    size_t n = strlen(name) + 1;
    char *text = malloc(n + names.bytes);
    if (!text) return;
    memcpy(text, name, n);
    memcpy(text + n, names.text, names.bytes);
    if (!ch_was_said(text, n + names.bytes)) ch_meta_add(CH_META_SUPERTYPES, 0, 0, text, n + names.bytes - 1);
    free(text);
}

struct ch_prepared ch_supertypes_prepared(JNIEnv *env, jobject loader, jclass c, const char *name) {
    const struct ch_subtypes *s = ch_load(&current);
    struct line line = line_of(s, env, c, false, 0);
    struct ch_pending p = {.expected = CH_NO_NAMES, .all_known = true};
    if (!line.woven && !is_prepared(c)) return (struct ch_prepared){.expected = CH_NO_NAMES, .supertypes = CH_NO_NAMES};
    ch_pending_take(key_of(loader, name), &p);
    if (line.woven) guess(s, name, line);
    if (line.reported > CH_NO_NAMES) report(name, line.reported);
    return (struct ch_prepared){p.expected, line.woven, !p.all_known, p.done};
}

uint32_t ch_supertypes_again(JNIEnv *env, jclass c, const char *name) {
    const struct ch_subtypes *s = ch_load(&current);
    struct line line = line_of(s, env, c, false, 0);
    if (line.woven) guess(s, name, line);
    if (line.reported > CH_NO_NAMES && s->generation != reported_generation) report(name, line.reported);
    return line.woven;
}

void ch_supertypes_all_reported(bool all) { reported_generation = all ? ch_load(&current)->generation : 0; }

/* ---- which names are of interest */

bool ch_subtypes_add(struct ch_subtypes **set, bool weaves, bool reports, const char *glob) {
    struct ch_subtypes *s = *set ? *set : (*set = calloc(1, sizeof *s));
    if (!s || (!guesses && !(guesses = calloc(GUESSES, sizeof *guesses)))) return false;
    struct pattern *more = realloc(s->patterns, (s->count + 1) * sizeof *more);
    if (!more) return false;
    s->patterns = more;
    s->patterns[s->count++] = (struct pattern){glob, weaves, reports};
    return true;
}

static bool same(const struct ch_subtypes *a, const struct ch_subtypes *b) {
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct pattern *p = &a->patterns[i], *q = &b->patterns[i];
        if (p->woven != q->woven || p->reported != q->reported || strcmp(p->glob, q->glob)) return false;
    }
    return true;
}

void ch_subtypes_use(struct ch_subtypes *set) {
    struct ch_subtypes *s = set ? set : &none, *before = ch_load(&current);
    if (set) {
        s->generation = before->count && same(s, before) ? before->generation
                        : ++generation                   ? generation
                                                         : ++generation;
        s->objects = with_own(s, nothing, "java/lang/Object");
    }
    ch_store(&current, s);
}

void ch_subtypes_free(struct ch_subtypes *set) {
    if (set) free(set->patterns);
    free(set);
}

void ch_supertypes_start(void) {
    static bool open;
    if (!ch_wanted.subtypes) return;
    if (!open) ch_jdk_image_open();
    open = true;
    ch_watch_linking();
}
