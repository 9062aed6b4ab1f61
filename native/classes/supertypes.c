/* Which of a class's supertypes the rules name (`Type+`), though loading them here would change the program.
 *
 * A class's line are the names, its own and those of all its supertypes, that some pattern with a `+` matches.
 * 1. Once a class is prepared, all its supertypes are loaded: its line follows from theirs. That of a supertype is kept in the JVMTI tag of
 *    its class, so that classes of one name in several loaders are not mixed up.
 * 2. The hook sees a class before, when its supertypes may not be loaded. It expects a line: of each supertype, that of the last class
 *    of that name, or what the JDK's image says; if one is unknown, what an earlier run found (in the cache of woven classes).
 * 3. When the class is prepared, before any of its code runs, the line is known. If another one was expected, the class is retransformed, and
 *    woven as if expected rightly; so a wrong expectation costs time, not exactness. What was not expected is kept for the next run.
 *
 * Names that only the report needs (`alloc Type+`) have a line of their own. Without such rules nothing of this happens.
 */
#include "classes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { GUESSES = 1 << 15, DEEPEST = 64, MOST_KEPT = 20000, REMEMBERED = 7 /* apart from other keys of the cache */ };

/* Numbers of sets of names. A tag is both: the second in the high half. 0: unknown. */
struct line {
    uint32_t woven, reported;
};

static struct pattern {
    const char *glob;
    bool woven, reported;
} *patterns;
static size_t count;

bool ch_has_subtypes;
static struct line objects; /* of java.lang.Object, which JNI does not give as the superclass of an interface */

/* ---- lines */

static struct line joined(struct line a, struct line b) {
    return (struct line){ch_names_union(a.woven, b.woven), ch_names_union(a.reported, b.reported)};
}

static struct line with_own(struct line above, const char *name) {
    bool woven = false, reported = false;
    for (size_t i = 0; i < count; i++)
        if (((patterns[i].woven && !woven) || (patterns[i].reported && !reported)) && ch_glob(patterns[i].glob, name)) {
            woven |= patterns[i].woven;
            reported |= patterns[i].reported;
        }
    if (!woven && !reported) return above;
    uint32_t own = ch_names_number(name, strlen(name) + 1);
    return joined(above, (struct line){woven ? own : CH_NO_NAMES, reported ? own : CH_NO_NAMES});
}

static const struct line nothing = {CH_NO_NAMES, CH_NO_NAMES};

/* ---- of classes that are prepared: known */

static struct line line_of(JNIEnv *env, jclass c, bool keep, int depth);

static struct line tagged_line(JNIEnv *env, jclass c, int depth) {
    jlong tag = 0;
    if (!(*ch_jvmti)->GetTag(ch_jvmti, c, &tag) && tag) return (struct line){(uint32_t)tag, (uint32_t)((uint64_t)tag >> 32)};
    return line_of(env, c, true, depth + 1);
}

/* `keep`: in its tag, for its subtypes; most classes have none. */
static struct line line_of(JNIEnv *env, jclass c, bool keep, int depth) {
    if (!depth) (*env)->EnsureLocalCapacity(env, 512); /* interfaces, and theirs; -Xcheck:jni counts them */
    jclass super = depth < DEEPEST ? (*env)->GetSuperclass(env, c) : NULL, *interfaces = NULL;
    struct line line = super ? tagged_line(env, super, depth) : objects;
    char name[1024];
    jint n = 0;
    if (super) (*env)->DeleteLocalRef(env, super);
    if ((*ch_jvmti)->GetImplementedInterfaces(ch_jvmti, c, &n, &interfaces)) return (struct line){0, 0}; /* not prepared */
    for (jint i = 0; i < n; i++) {
        line = joined(line, tagged_line(env, interfaces[i], depth));
        (*env)->DeleteLocalRef(env, interfaces[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)interfaces);
    if (!ch_name_of_class(c, name, sizeof name)) return (struct line){0, 0};
    line = with_own(line, name);
    if (keep && line.woven && line.reported) (*ch_jvmti)->SetTag(ch_jvmti, c, (jlong)((uint64_t)line.reported << 32 | line.woven));
    return line;
}

/* ---- of classes that the hook sees: expected */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct guess {
    uint64_t name; /* its hash; another name with the same place replaces it */
    struct line line;
} *guesses;

static uint64_t hash_of(const char *name) { return ch_hash((struct ch_key){0, 0}, name, strlen(name)).low; }

static void guess(const char *name, struct line line) {
    uint64_t hash = hash_of(name);
    pthread_mutex_lock(&lock);
    guesses[hash % GUESSES] = (struct guess){hash, line};
    pthread_mutex_unlock(&lock);
}

struct expecting {
    struct line line;
    bool all_known;
    int depth;
};

static bool add_supertype(void *context, const char *name);

static struct line from_class_file(const char *name, const unsigned char *data, size_t bytes, int depth, bool *all_known) {
    struct expecting e = {nothing, true, depth};
    *all_known = ch_class_supertypes(data, bytes, add_supertype, &e) && e.all_known;
    return with_own(e.line, name);
}

static bool add_supertype(void *context, const char *name) {
    struct expecting *e = context;
    uint64_t hash = hash_of(name);
    size_t bytes;
    bool known = false;
    pthread_mutex_lock(&lock);
    struct guess g = guesses[hash % GUESSES];
    pthread_mutex_unlock(&lock);
    if (g.name == hash && g.line.woven) {
        e->line = joined(e->line, g.line);
        return true;
    }
    unsigned char *data = e->depth < DEEPEST ? ch_jdk_image_class(name, &bytes) : NULL;
    struct line line = data ? from_class_file(name, data, bytes, e->depth + 1, &known) : with_own(nothing, name);
    free(data);
    if (known) guess(name, line);
    e->all_known &= known;
    e->line = joined(e->line, line);
    return true;
}

static struct ch_key key_of(jobject loader, const char *name) {
    return ch_hash((struct ch_key){(uint64_t)ch_loader_identify(loader), 0}, name, strlen(name));
}

void ch_supertypes_done(jobject loader, const char *name, const struct ch_done *done) { ch_pending_done(key_of(loader, name), done); }

/* ---- what an earlier run found */

static struct ch_key remembered_key(const char *name) { return ch_hash((struct ch_key){REMEMBERED, 0}, name, strlen(name)); }

/* 0: nothing */
static uint32_t remembered(const char *name) {
    struct ch_woven kept = {0};
    uint32_t number = 0;
    if (ch_cache_find(remembered_key(name), name, 0, &kept) && kept.status == CH_SUPERTYPES && (!kept.length || !kept.bytes[kept.length - 1]))
        number = ch_names_number((const char *)kept.bytes, kept.length);
    ch_woven_free(&kept);
    return number;
}

void ch_supertypes_remember(const char *name, uint32_t line) {
    struct ch_names names = ch_names(line);
    struct ch_woven w = {.status = CH_SUPERTYPES, .bytes = (unsigned char *)(uintptr_t)names.text, .length = names.bytes};
    static uint32_t kept; /* loaders whose classes of one name differ would replace the record again and again */
    if (remembered(name) != line && __atomic_fetch_add(&kept, 1, __ATOMIC_RELAXED) < MOST_KEPT) ch_cache_add(remembered_key(name), name, 0, &w, true);
}

/* ---- called by the hook, and when a class is prepared */

uint32_t ch_supertypes(JNIEnv *env, jclass c) { return line_of(env, c, false, 0).woven; }

uint32_t ch_supertypes_expected(jobject loader, const char *name, const unsigned char *data, size_t bytes, bool *guessed) {
    bool all_known;
    struct line line = from_class_file(name, data, bytes, 0, &all_known);
    uint32_t earlier = all_known ? 0 : remembered(name);
    if (all_known) guess(name, line);
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
    ch_meta_add(CH_META_SUPERTYPES, 0, 0, text, n + names.bytes - 1);
    free(text);
}

struct ch_prepared ch_supertypes_prepared(JNIEnv *env, jobject loader, jclass c, const char *name) {
    struct line line = line_of(env, c, false, 0);
    struct ch_pending p = {.expected = CH_NO_NAMES, .all_known = true};
    if (!line.woven && !is_prepared(c)) return (struct ch_prepared){.expected = CH_NO_NAMES, .supertypes = CH_NO_NAMES};
    ch_pending_take(key_of(loader, name), &p);
    if (line.woven) guess(name, line);
    if (line.reported > CH_NO_NAMES) report(name, line.reported);
    return (struct ch_prepared){p.expected, line.woven, !p.all_known, p.done};
}

/* ---- start */

bool ch_supertypes_pattern(const char *flags, const char *glob) {
    struct pattern *more = realloc(patterns, (count + 1) * sizeof *more);
    if (!more || (!guesses && !(guesses = calloc(GUESSES, sizeof *guesses)))) return false;
    patterns = more;
    patterns[count++] = (struct pattern){glob, strchr(flags, 'w'), strchr(flags, 'r')};
    return ch_has_subtypes = true;
}

void ch_supertypes_start(void) {
    if (!ch_has_subtypes) return;
    objects = with_own(nothing, "java/lang/Object");
    ch_jdk_image_open();
    ch_watch_linking();
}
