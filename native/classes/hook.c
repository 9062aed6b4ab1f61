/* The class file load hook: filter, weave, number the probes, hand the bytes to the JVM. If anything fails, the class is not changed.
 */
#include "classes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASS_MOST (8 << 20) /* the largest class that is woven, in bytes, as MAX_CLASS in instrument/weaving/weave.py */

volatile bool ch_hook_on;

static void tally(uint64_t *n, uint64_t by) { __atomic_fetch_add(n, by, __ATOMIC_RELAXED); }

/* Writes slot numbers into the consecutive constants of the probes, which held numbers that belong to no class. */
static void number_probes(unsigned char *bytes, const struct ch_woven *w, uint32_t first) {
    unsigned char *at = bytes + w->integers_at;
    for (uint32_t i = 0; i < w->integers; i++, at += 5) {
        uint32_t n = first + i;
        at[0] = (unsigned char)(n >> 24), at[1] = (unsigned char)(n >> 16), at[2] = (unsigned char)(n >> 8), at[3] = (unsigned char)n;
    }
}

/* Properties of a class that affect how it is woven. */
enum { OF_JDK = 1, SEALED = 2, OF_BOOT_LOADER = 4 };

/* A class on its way through the hook. */
struct subject {
    JNIEnv *env;
    const char *name;
    jobject loader, domain;
    jclass redefined;
    const unsigned char *data;
    jint bytes;
    struct ch_key key, woven_key; /* hash of class, owner, supertypes and source; and the same with the verdicts that apply */
    struct ch_verdicts verdicts;
    uint32_t supertypes; /* those that rules name, see supertypes.c */
    char *source; /* the jar or directory that it comes from, if rules ask for it; NULL: unknown */
    bool undecided; /* it is woven without the verdicts */
    struct ch_rules_now rules;
    bool matches, woven, ahead, shares, outdated; /* shares: with classes that are alike; outdated: the rules were exchanged meanwhile */
    struct ch_done done;
};

static void identify(struct subject *s, uint64_t kind) {
    kind |= s->loader ? 0 : OF_BOOT_LOADER;
    struct ch_key start = {kind << 32 | (uint32_t)s->bytes, ch_has_time || ch_has_profile};
    if (!ch_cache_is_of(s->rules.weaving)) start = ch_hash(start, &s->rules.weaving, sizeof s->rules.weaving);
    struct ch_key named = ch_hash(start, s->name, strlen(s->name));
    s->key = ch_hash(named, s->data, (size_t)s->bytes);
    struct ch_names supertypes = ch_names(s->supertypes);
    if (supertypes.bytes) s->key = ch_hash(s->key, supertypes.text, supertypes.bytes);
    if (s->source) s->key = ch_hash(s->key, s->source, strlen(s->source));
    s->woven_key = s->key;
    s->verdicts = ch_verdicts_find(s->key);
    if (s->verdicts.n) s->woven_key = ch_hash(s->key, s->verdicts.methods, s->verdicts.n * sizeof *s->verdicts.methods);
}

/* Copies of a class, those with the same table, share their slots, unless it allocates objects of types that differ by loader and so may differ in
 * size. In a program that creates many loaders, classes of the later ones share their slots anyway. */
static struct ch_key copy_key(const struct subject *s, const struct ch_woven *w) {
    enum { MOST_LOADERS = 256 };
    int64_t loader = ch_has_alloc && ch_has_foreign_objects(w->meta, w->meta_bytes) ? ch_loader_number(s->loader) : 0;
    struct ch_key key = ch_hash(s->rules.all, &w->slots, sizeof w->slots); /* the table names rules by their places */
    if (w->meta_bytes) key = ch_hash(key, w->meta, w->meta_bytes);
    return loader && loader < MOST_LOADERS ? ch_hash(key, &loader, sizeof loader) : key;
}

/* A line of the table says that the weaver had no room for what the verdicts ask for: instrument/weaving/probe_table.py. */
static bool says_undecided(const struct ch_woven *w) { return memmem(w->meta, w->meta_bytes, "\nV", 2); }

/* UINT32_MAX: no room. */
static uint32_t take_slots(struct subject *s, const struct ch_woven *w) {
    uint32_t first = ch_slots_take(w->slots);
    if (first == UINT32_MAX) {
        ch_skip(s->name, "too-many-probes", "no room for more counters");
        return UINT32_MAX;
    }
    ch_pace_class(first, w->slots, w->meta, w->meta_bytes);
    ch_sampler_class(w->meta, w->meta_bytes);
    ch_contexts_class(w->meta, w->meta_bytes);
    ch_verdicts_apply(s->key, s->verdicts, s->undecided || says_undecided(w), first, w);
    return first;
}

static uint32_t place_new(struct subject *s, const struct ch_woven *w, enum ch_meta_kind as, struct ch_key key) {
    struct ch_alike alike = ch_alike_find(s->name, w->meta, w->meta_bytes, ch_hash(s->rules.all, &w->slots, sizeof w->slots));
    s->shares = alike.shares;
    if (alike.shares) return alike.first_slot;
    uint32_t first = w->slots ? take_slots(s, w) : 0;
    if (first == UINT32_MAX) return first;
    if (w->meta_bytes) s->done.description = ch_alike_describe(&alike, as, first, w->slots);
    ch_copies_add(key, first);
    return first;
}

/* Returns the first slot: that of an earlier copy or of classes that are alike, or a new one after writing the class's table to the metadata. */
static uint32_t place(struct subject *s, const struct ch_woven *w, enum ch_meta_kind as) {
    struct ch_key key = copy_key(s, w);
    uint32_t first = ch_copies_find(key);
    s->done.copy = key;
    if (first != UINT32_MAX) return first;
    ch_rules_hold();
    s->outdated = !ch_rules_are(s->rules.number);
    if (!s->outdated && (first = ch_copies_find(key)) == UINT32_MAX) first = place_new(s, w, as, key);
    s->done.placed = first != UINT32_MAX;
    ch_rules_release();
    return first;
}

static bool deliver(struct subject *s, const struct ch_woven *w, jint *new_bytes, unsigned char **new_data) {
    unsigned char *to = NULL;
    /* what comes from the cache may be corrupt: check offsets before they are used */
    if (w->integers && (!w->integers_at || (uint64_t)w->integers_at + 5 * (uint64_t)w->integers > w->length)) {
        ch_skip(s->name, "internal-error", "its probes cannot be numbered");
        return false;
    }
    if (!ch_ok((*ch_jvmti)->Allocate(ch_jvmti, w->length, &to), "Allocate")) {
        ch_skip(s->name, "refused-by-jvm", "the JVM has no memory for the woven class");
        return false;
    }
    uint32_t first = place(s, w, CH_META_CLASS);
    if (first == UINT32_MAX) {
        (*ch_jvmti)->Deallocate(ch_jvmti, to);
        return false;
    }
    memcpy(to, w->bytes, w->length);
    number_probes(to, w, first);
    *new_bytes = (jint)w->length;
    *new_data = to;
    return true;
}

/* ---- the hook */

/* A class counts once, by whatever rules it is woven later. */
static void tally_done(const struct ch_done *done, struct ch_class_state before) {
    tally(&ch_header->matched, done->matched && !before.matched_once);
    tally(&ch_header->cached, done->cached && !before.woven_once);
    tally(&ch_header->woven, done->woven && !before.woven_once);
}

/* Applies the weaver's result. */
static void take(struct subject *s, const struct ch_woven *w, bool ahead, bool cached, jint *new_bytes, unsigned char **new_data) {
    s->outdated = !ch_rules_are(s->rules.number);
    if (s->outdated) return;
    struct ch_class_state before = {0};
    if (s->redefined) before = ch_class_state(s->loader, s->name);
    if (w->status == CH_WOVEN || w->status == CH_SUPPORT) {
        enum ch_loader loader = ch_loader_ready(s->env, s->loader, s->domain, s->redefined, s->name);
        if (loader != CH_LOADER_READY && !ahead) return; /* it is retransformed later, or its reason is recorded */
        ch_original_keep(w, s->data, (size_t)s->bytes, ahead);
        s->woven = deliver(s, w, new_bytes, new_data);
        if (s->outdated) return;
        s->done.woven = s->woven && w->status == CH_WOVEN;
    } else if (w->meta_bytes) {
        place(s, w, CH_META_SKIP);
        if (s->outdated) return;
    }
    s->done.matched = w->status == CH_WOVEN || w->status == CH_SKIPPED;
    s->done.cached = cached && s->done.woven;
    tally_done(&s->done, before);
    if (ch_has_subtypes && !s->redefined && s->done.matched) ch_supertypes_done(s->loader, s->name, &s->done);
}

/* Supertypes of an unprepared class may not be loaded yet. */
static uint32_t supertypes_of(const struct subject *s, bool *guessed) {
    uint32_t known = s->redefined ? ch_supertypes(s->env, s->redefined) : 0;
    return known ? known : ch_supertypes_expected(s->loader, s->name, s->data, (size_t)s->bytes, guessed);
}

/* Whether a rule can match the class, by where it comes from; what the agent itself wants woven comes from the JDK. */
static bool comes_from_there(struct subject *s) {
    bool in_jdk;
    s->source = ch_source(s->env, s->domain);
    return ch_filter_source(s->env, s->loader, s->name, s->supertypes, s->source) || !ch_filter_match(s->env, s->loader, s->name, s->supertypes, &in_jdk);
}

/* The JVM keeps the bytes of classes that are changed only, and makes up others if they are retransformed; then the store of class files for
 * reports of coverage would have two versions of one class. */
static void keep_bytes(const struct subject *s, jint *new_bytes, unsigned char **new_data) {
    unsigned char *copy;
    if ((*ch_jvmti)->Allocate(ch_jvmti, s->bytes, &copy)) return;
    memcpy(copy, s->data, (size_t)s->bytes);
    *new_data = copy;
    *new_bytes = s->bytes;
}

static void transform(struct subject *s, jint *new_bytes, unsigned char **new_data) {
    struct ch_woven w = {0};
    bool in_jdk = false;
    size_t bytes = (size_t)s->bytes;
    if (ch_find_woven_ahead(s->data, (uint32_t)bytes, &w)) {
        ch_has_alloc = true; /* the class may have allocation probes, whatever the rules say */
        identify(s, SEALED);
        s->matches = s->ahead = s->undecided = true;
        s->done.covered_ahead = memmem(w.meta, w.meta_bytes, "\nO\t", 3);
        take(s, &w, true, false, new_bytes, new_data);
        return;
    }
    /* Another agent redefines the class with bytes that are already woven: their probes keep counting. */
    if (s->redefined && memmem(s->data, bytes, CH_TRACKER, sizeof CH_TRACKER - 1)) return;
    bool guessed = false;
    if (ch_has_subtypes) s->supertypes = supertypes_of(s, &guessed);
    if (ch_is_untouchable(s->loader, s->name)) return;
    if (!ch_may_match(s->env, s->loader, s->name, s->supertypes, &in_jdk)) {
        if (guessed && ch_has_cover) keep_bytes(s, new_bytes, new_data);
        return;
    }
    s->matches = true;
    if (ch_has_sources && !comes_from_there(s)) return;
    if (bytes > CLASS_MOST) {
        char detail[80];
        snprintf(detail, sizeof detail, "%zu bytes; the limit is %d", bytes, CLASS_MOST);
        ch_leave(s->name, "class-too-large", detail);
        return;
    }
    uint64_t start = ch_monotonic_ns();
    identify(s, in_jdk ? OF_JDK : 0);
    bool cached = ch_cache_find(s->woven_key, s->name, bytes, &w);
    if (!cached && !ch_python_is_ready() && !(s->undecided = cached = ch_cache_find(s->key, s->name, bytes, &w))) {
        ch_python_say_trouble();
        /* a class that only the agent itself wants woven need not be reported */
        if (ch_filter_match(s->env, s->loader, s->name, s->supertypes, &in_jdk)) ch_leave(s->name, "no-python", ch_python_trouble());
        return;
    }
    if (!cached) {
        start = ch_monotonic_ns(); /* Python's startup is reported separately */
        struct ch_names supertypes = ch_names(s->supertypes);
        struct ch_about about = {.in_jdk = in_jdk, .supertypes = supertypes.text, .supertypes_bytes = supertypes.bytes, .counted = s->verdicts.methods,
                                 .n = s->verdicts.n, .source = s->source};
        if (!ch_python_weave(s->name, s->data, (uint32_t)bytes, &about, &w)) {
            ch_leave(s->name, "internal-error", "the weaver gave no answer");
            return;
        }
    }
    take(s, &w, false, cached, new_bytes, new_data);
    if (!cached && w.lasting && !s->shares && ch_rules_are(s->rules.number)) ch_cache_add(s->woven_key, s->name, bytes, &w, false);
    if (w.status == CH_WOVEN || w.status == CH_SKIPPED) tally(&ch_header->weaving_ns, ch_monotonic_ns() - start);
    ch_woven_free(&w);
}

/* Rules may be exchanged while it is woven. If that happens again and again, it stays as it is, and is looked at when it is linked. */
static void transform_by_these_rules(struct subject *s, jint *new_bytes, unsigned char **new_data) {
    enum { MOST_TRIES = 5 };
    for (int tries = 0; tries < MOST_TRIES && ch_hook_on; tries++) {
        s->rules = ch_rules_now();
        s->matches = s->woven = s->ahead = s->shares = s->outdated = s->undecided = false;
        s->supertypes = CH_NO_NAMES;
        s->done = (struct ch_done){0};
        transform(s, new_bytes, new_data);
        free(s->verdicts.memory);
        free(s->source);
        s->verdicts = (struct ch_verdicts){NULL, 0, NULL};
        s->source = NULL;
        if (!s->outdated) break;
    }
    if (s->matches || (s->redefined && ch_class_state(s->loader, s->name).known))
        ch_class_note(s->env, s->loader, s->name, s->rules.number, s->woven && !s->ahead, &s->done); /* at the end, that one stays as it was delivered */
}

void JNICALL ch_class_file_load_hook(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                                     jobject domain, jint bytes, const unsigned char *data, jint *new_bytes,
                                     unsigned char **new_data) {
    (void)jvmti;
    if (!ch_hook_on || !env || ch_introducing) return;
    (*env)->EnsureLocalCapacity(env, 64); /* -Xcheck:jni counts those of the thread's other frames, too */
    ch_rules_use();
    char *own_name = name ? NULL : ch_class_name(data, (size_t)bytes);
    struct subject s = {.env = env, .name = name ? name : own_name ? own_name : "?", .loader = loader, .domain = domain, .redefined = redefined, .data = data,
                        .bytes = bytes};
    if (!redefined) tally(&ch_header->seen, 1);
    struct ch_apart apart = ch_apart_begin();
    transform_by_these_rules(&s, new_bytes, new_data);
    ch_apart_end(apart);
    free(own_name);
    ch_rules_used();
}
