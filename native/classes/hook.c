/* The class file load hook: filter, weave, number the probes, hand the bytes to the JVM. If anything fails, the class
 * is not changed.
 */
#include "../objects/objects.h"
#include "../moments/moments.h"
#include "classes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASS_MOST \
    (8 << 20) /* the largest class that is woven, in bytes, as MAX_CLASS in instrument/weaving/weave.py */

bool ch_hook_on;

static void tally(uint64_t *n, uint64_t by) { ch_add_relaxed(n, by); }

/* Writes slot numbers into the consecutive constants of the probes, which held numbers that belong to no class. */
static void number_probes(unsigned char *bytes, const struct ch_woven *w, uint32_t first) {
    unsigned char *at = bytes + w->integers_at;
    for (uint32_t i = 0; i < w->integers; i++, at += 5) {
        uint32_t n = first + i;
        at[0] = (unsigned char)(n >> 24), at[1] = (unsigned char)(n >> 16), at[2] = (unsigned char)(n >> 8),
        at[3] = (unsigned char)n;
    }
}

/* Properties of a class that affect how it is woven. */
enum { OF_JDK = 1, SEALED = 2, OF_BOOT_LOADER = 4 };

/* A class that the JVM offers, and where its new bytes go. */
struct offered {
    JNIEnv *env;
    const char *name;
    jobject loader, domain;
    jclass redefined; /* NULL: it is being defined */
    const unsigned char *data;
    jint bytes;
    jint *new_bytes;
    unsigned char **new_data;
};

/* The outcome for a class, by the rules in force. */
enum outcome {
    NOT_MATCHED, /* no rule can match it */
    LEFT_ALONE, /* a rule may match it, and it keeps its bytes: why is recorded, or it is retransformed later */
    DELIVERED, /* woven, its probes numbered */
    DELIVERED_AHEAD, /* woven ahead of time, its probes numbered: it stays so whatever the rules */
    OUTDATED /* the rules were exchanged meanwhile: nothing was done */
};

/* The facts, besides its bytes, that decide how a class is woven. */
struct context {
    struct ch_active_rules rules;
    bool in_jdk;
    uint32_t supertypes; /* those that rules name, see supertypes.c */
    struct ch_pool pool;
    char *source; /* the jar or directory that it comes from, if rules ask for it; NULL: unknown */
};

/* A woven class on its way to the JVM, and how it came about. */
struct weaving {
    struct ch_woven w;
    enum { NOT_WOVEN, BY_PYTHON, FROM_CACHE, AHEAD_OF_TIME } by;
};

/* The slots of a class. */
struct placement {
    enum { PLACED, SHARES /* with classes that are alike */, NO_ROOM, TOO_LATE /* the rules were exchanged */ } how;
    uint32_t first_slot;
};

/* Under which key it is in the cache: a hash of class, owner, supertypes and source. */
static struct ch_key identify(const struct offered *o, const struct context *c, uint64_t kind) {
    kind |= o->loader ? 0 : OF_BOOT_LOADER;
    struct ch_key start = {kind << 32 | (uint32_t)o->bytes,
                           (uint64_t)ch_wanted.time | (uint64_t)ch_wanted.contexts << 1};
    if (!ch_cache_is_of(c->rules.weaving)) start = ch_hash(start, &c->rules.weaving, sizeof c->rules.weaving);
    struct ch_key named = ch_hash(start, o->name, strlen(o->name));
    struct ch_key key = ch_hash(named, o->data, (size_t)o->bytes);
    struct ch_names supertypes = ch_names(c->supertypes);
    if (supertypes.bytes) key = ch_hash(key, supertypes.text, supertypes.bytes);
    return c->source ? ch_hash(key, c->source, strlen(c->source)) : key;
}

/* ---- slots */

/* Copies of a class, those with the same table, share their slots, unless it allocates objects of types that differ by
 * loader and so may differ in size. In a program that creates many loaders, classes of the later ones share their slots
 * anyway. */
static struct ch_key copy_key(const struct offered *o, const struct context *c, const struct ch_woven *w) {
    enum { MOST_LOADERS = 256 };
    int64_t loader = ch_has_foreign_objects(w->meta, w->meta_bytes) ? ch_loader_number(o->loader) : 0;
    struct ch_key key = ch_hash(c->rules.all, &w->slots, sizeof w->slots); /* the table names rules by their places */
    if (w->meta_bytes) key = ch_hash(key, w->meta, w->meta_bytes);
    return loader && loader < MOST_LOADERS ? ch_hash(key, &loader, sizeof loader) : key;
}

/* UINT32_MAX: no room. */
static uint32_t take_slots(const struct offered *o, const struct ch_woven *w) {
    uint32_t first = ch_slots_take(w->slots);
    if (first == UINT32_MAX) {
        ch_skip(o->name, "too-many-probes", "no room for more counters");
        return UINT32_MAX;
    }
    ch_measures_on_class(
        &(struct ch_woven_class){.first_slot = first, .slots = w->slots, .table = w->meta, .bytes = w->meta_bytes});
    return first;
}

static struct placement place_new(const struct offered *o, const struct context *c, const struct ch_woven *w,
                                  enum ch_meta_kind as, struct ch_done *done) {
    struct ch_alike alike =
        ch_alike_find(o->name, w->meta, w->meta_bytes, ch_hash(c->rules.all, &w->slots, sizeof w->slots));
    if (alike.shares) return (struct placement){SHARES, alike.first_slot};
    uint32_t first = w->slots ? take_slots(o, w) : 0;
    if (first == UINT32_MAX) return (struct placement){NO_ROOM, 0};
    if (w->meta_bytes) done->description = ch_alike_describe(&alike, as, first, w->slots);
    ch_copies_add(done->copy, first);
    return (struct placement){PLACED, first};
}

/* Places the class: its slots are those of an earlier copy or of classes that are alike, or new ones after writing the
 * class's table to the metadata. */
static struct placement place(const struct offered *o, const struct context *c, const struct ch_woven *w,
                              enum ch_meta_kind as, struct ch_done *done) {
    done->copy = copy_key(o, c, w);
    uint32_t first = ch_copies_find(done->copy);
    if (first != UINT32_MAX) return (struct placement){PLACED, first};
    struct placement p = {TOO_LATE, 0};
    ch_rules_hold();
    if (ch_rules_are(c->rules.number)) {
        first = ch_copies_find(done->copy);
        p = first != UINT32_MAX ? (struct placement){PLACED, first} : place_new(o, c, w, as, done);
    }
    done->placed = p.how == PLACED || p.how == SHARES;
    ch_rules_release();
    return p;
}

/* Hands the woven class to the JVM. */
static struct placement deliver(const struct offered *o, const struct context *c, const struct ch_woven *w,
                                struct ch_done *done) {
    unsigned char *to = NULL;
    /* what comes from the cache may be corrupt: check offsets before they are used */
    if (w->integers && (!w->integers_at || (uint64_t)w->integers_at + 5 * (uint64_t)w->integers > w->length)) {
        ch_skip(o->name, "internal-error", "its probes cannot be numbered");
        return (struct placement){NO_ROOM, 0};
    }
    if (!ch_ok((*ch_jvmti)->Allocate(ch_jvmti, w->length, &to), "Allocate")) {
        ch_skip(o->name, "refused-by-jvm", "the JVM has no memory for the woven class");
        return (struct placement){NO_ROOM, 0};
    }
    struct placement p = place(o, c, w, CH_META_CLASS, done);
    if (p.how == NO_ROOM || p.how == TOO_LATE) {
        (*ch_jvmti)->Deallocate(ch_jvmti, to);
        return p;
    }
    memcpy(to, w->bytes, w->length);
    number_probes(to, w, p.first_slot);
    *o->new_bytes = (jint)w->length;
    *o->new_data = to;
    return p;
}

/* ---- the hook */

/* A class counts once, by whatever rules it is woven later. */
static void tally_done(const struct ch_done *done, struct ch_class_state before) {
    tally(&ch_header->matched, done->matched && !before.matched_once);
    tally(&ch_header->cached, done->cached && !before.woven_once);
    tally(&ch_header->woven, done->woven && !before.woven_once);
}

/* A table comes from the weaver, from the cache or from a class woven ahead of time, perhaps by another version of
 * classhook. */
static bool table_is_valid(const struct offered *o, const struct weaving *v) {
    if (ch_probe_table_is_valid(v->w.meta, v->w.meta_bytes)) return true;
    if (v->by == AHEAD_OF_TIME)
        ch_skip_matched(o->name, "woven-by-other-version",
                        "its probe table cannot be read: weave the original class again");
    else
        ch_skip_matched(o->name, "internal-error", "its probe table is damaged");
    return false;
}

/* Applies the weaver's result. `at`: where the class has its slots. */
static enum outcome take(const struct offered *o, const struct context *c, const struct weaving *v,
                         struct ch_done *done, struct placement *at) {
    const struct ch_woven *w = &v->w;
    struct placement p = *at = (struct placement){NO_ROOM, 0};
    if (!ch_rules_are(c->rules.number)) return OUTDATED;
    if (!table_is_valid(o, v)) return LEFT_ALONE;
    struct ch_class_state before = {0};
    if (o->redefined) before = ch_class_state(o->loader, o->name);
    bool woven = w->status == CH_WOVEN || w->status == CH_SUPPORT, ahead = v->by == AHEAD_OF_TIME;
    if (woven) {
        enum ch_loader loader = ch_loader_ready(o->env, o->loader, o->domain, o->redefined, o->name);
        if (loader != CH_LOADER_READY && !ahead)
            return LEFT_ALONE; /* it is retransformed later, or its reason is recorded */
        ch_original_keep(w, o->data, (size_t)o->bytes, ahead);
        p = deliver(o, c, w, done);
    } else if (w->meta_bytes) {
        p = place(o, c, w, CH_META_SKIP, done);
    }
    if (p.how == TOO_LATE) return OUTDATED;
    *at = p;
    bool delivered = woven && p.how != NO_ROOM;
    done->woven = delivered && w->status == CH_WOVEN;
    done->matched = w->status == CH_WOVEN || w->status == CH_SKIPPED;
    done->cached = v->by == FROM_CACHE && done->woven;
    tally_done(done, before);
    if (ch_wanted.subtypes && !o->redefined && done->matched) ch_supertypes_done(o->loader, o->name, done);
    return !delivered ? LEFT_ALONE : ahead ? DELIVERED_AHEAD : DELIVERED;
}

static enum outcome take_woven_ahead(const struct offered *o, const struct context *c, const struct weaving *v,
                                     struct ch_done *done) {
    struct placement at;
    struct ch_line line;
    done->covered_ahead = ch_probe_table_has(v->w.meta, v->w.meta_bytes, CH_LINE_ORIGINAL, &line);
    return take(o, c, v, done, &at);
}

/* The woven class from the cache, or by the weaver; `started_ns`: when weaving began. */
static struct weaving woven(const struct offered *o, struct context *c, struct ch_key key, uint64_t *started_ns) {
    struct weaving v = {.by = NOT_WOVEN};
    size_t bytes = (size_t)o->bytes;
    bool in_jdk;
    if (ch_cache_find(key, o->name, bytes, &v.w)) {
        v.by = FROM_CACHE;
        return v;
    }
    if (!ch_python_is_ready()) {
        if (ch_filter_match(o->env, o->loader, o->name, c->supertypes, &c->pool, &in_jdk)) {
            ch_python_say_unusable();
            ch_skip_matched(o->name, "no-python", ch_python_trouble());
        } else { /* the agent itself wants it woven (eligible_classes.c) */
            ch_skip(o->name, "no-python", ch_python_trouble());
        }
        return v;
    }
    *started_ns = ch_monotonic_ns(); /* Python's startup is reported separately */
    struct ch_names supertypes = ch_names(c->supertypes);
    struct ch_about about = {
        .in_jdk = c->in_jdk, .supertypes = supertypes.text, .supertypes_bytes = supertypes.bytes, .source = c->source};
    if (ch_python_weave(o->name, o->data, (uint32_t)bytes, &about, &v.w))
        v.by = BY_PYTHON;
    else
        ch_skip_matched(o->name, "internal-error", "the weaver gave no answer");
    return v;
}

static enum outcome weave(const struct offered *o, struct context *c, struct ch_done *done) {
    if (o->bytes > CLASS_MOST) {
        char detail[80];
        snprintf(detail, sizeof detail, "%d bytes; the limit is %d", (int)o->bytes, CLASS_MOST);
        ch_skip_matched(o->name, "class-too-large", detail);
        return LEFT_ALONE;
    }
    uint64_t start = ch_monotonic_ns();
    struct ch_key key = identify(o, c, c->in_jdk ? OF_JDK : 0);
    struct weaving v = woven(o, c, key, &start);
    enum outcome outcome = LEFT_ALONE;
    if (v.by != NOT_WOVEN) {
        struct placement at;
        outcome = take(o, c, &v, done, &at);
        if (v.by == BY_PYTHON && v.w.lasting && at.how != SHARES && ch_rules_are(c->rules.number))
            ch_cache_add(key, o->name, (size_t)o->bytes, &v.w, false);
        if (outcome == DELIVERED && ch_wanted.contexts && !o->redefined && !c->in_jdk)
            ch_class_file_sum(o->name, o->data, (uint32_t)o->bytes);
        uint64_t took = ch_monotonic_ns() - start;
        if (v.w.status == CH_WOVEN || v.w.status == CH_SKIPPED) tally(&ch_header->weaving_ns, took);
        if (done->woven && v.w.slots) ch_moment_add(CH_MOMENT_WEAVING, start, took, at.first_slot, 0);
        ch_woven_free(&v.w);
    }
    return outcome;
}

/* Supertypes of an unprepared class may not be loaded yet. */
static uint32_t supertypes_of(const struct offered *o, bool *guessed) {
    uint32_t known = o->redefined ? ch_supertypes(o->env, o->redefined) : 0;
    return known ? known : ch_supertypes_expected(o->loader, o->name, o->data, (size_t)o->bytes, guessed);
}

/* True if a rule can match the class, by its origin; classes that the agent itself wants woven come from the JDK. */
static bool comes_from_there(const struct offered *o, struct context *c) {
    bool in_jdk;
    return ch_filter_source(o->env, o->loader, o->name, c->supertypes, &c->pool, c->source) ||
           !ch_filter_match(o->env, o->loader, o->name, c->supertypes, &c->pool, &in_jdk);
}

/* The JVM keeps original bytes only of classes that an agent changed; for others it reconstructs them on
 * retransformation, and the store of class files for coverage would have two versions of one class. */
static void keep_bytes(const struct offered *o) {
    unsigned char *copy;
    if ((*ch_jvmti)->Allocate(ch_jvmti, o->bytes, &copy)) return;
    memcpy(copy, o->data, (size_t)o->bytes);
    *o->new_data = copy;
    *o->new_bytes = o->bytes;
}

static enum outcome transform(const struct offered *o, struct ch_active_rules rules, struct ch_done *done) {
    struct context c = {.rules = rules, .supertypes = CH_NO_NAMES, .pool = ch_pool_in(o->data, (size_t)o->bytes)};
    struct weaving ahead = {.by = AHEAD_OF_TIME};
    if (ch_find_woven_ahead(o->data, (uint32_t)o->bytes, &ahead.w)) return take_woven_ahead(o, &c, &ahead, done);
    /* Another agent redefines the class with bytes that are already woven: their probes keep counting. */
    if (o->redefined && memmem(o->data, (size_t)o->bytes, CH_TRACKER, sizeof CH_TRACKER - 1)) return NOT_MATCHED;
    bool guessed = false;
    if (ch_wanted.subtypes) c.supertypes = supertypes_of(o, &guessed);
    if (ch_is_untouchable(o->loader, o->name)) return NOT_MATCHED;
    if (!ch_may_match(o->env, o->loader, o->name, c.supertypes, &c.pool, &c.in_jdk)) {
        if (guessed && ch_wanted.cover) keep_bytes(o);
        return NOT_MATCHED;
    }
    if (ch_wanted.sources) c.source = ch_source(o->env, o->domain);
    enum outcome outcome = ch_wanted.sources && !comes_from_there(o, &c) ? LEFT_ALONE : weave(o, &c, done);
    free(c.source);
    return outcome;
}

/* It is woven when it is one of the loaded classes; what can only be done now is done. One that was woven ahead of time
 * is not put off. */
static bool put_off(const struct offered *o) {
    struct ch_woven ahead;
    bool in_jdk;
    if (o->redefined || !ch_load_acquire(&ch_support_first) || ch_find_woven_ahead(o->data, (uint32_t)o->bytes, &ahead))
        return false;
    ch_class_due(o->loader, o->name);
    if (ch_wanted.cover) keep_bytes(o);
    if (ch_wanted.subtypes || ch_may_match(o->env, o->loader, o->name, CH_NO_NAMES, NULL, &in_jdk))
        ch_loader_ready(o->env, o->loader, o->domain, NULL, o->name);
    return true;
}

/* Rules may be exchanged while it is woven. If that happens again and again, it stays as it is, and is looked at when
 * it is linked. */
static void transform_by_these_rules(const struct offered *o) {
    enum { MOST_TRIES = 5 };
    enum outcome outcome = NOT_MATCHED;
    struct ch_done done = {0};
    struct ch_active_rules rules = {0};
    for (int tries = 0; tries < MOST_TRIES && ch_load_acquire(&ch_hook_on); tries++) {
        done = (struct ch_done){0};
        rules = ch_active_rules();
        if (put_off(o)) return;
        outcome = transform(o, rules, &done);
        if (outcome != OUTDATED) break;
    }
    /* one woven ahead of time stays as it was delivered */
    if (outcome != NOT_MATCHED || (o->redefined && ch_class_state(o->loader, o->name).known))
        ch_class_note(o->env, o->loader, o->name, rules.number, outcome == DELIVERED, &done);
}

void JNICALL ch_class_file_load_hook(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader, const char *name,
                                     jobject domain, jint bytes, const unsigned char *data, jint *new_bytes,
                                     unsigned char **new_data) {
    (void)jvmti;
    if (!ch_load_acquire(&ch_hook_on) || !env || ch_introducing) return;
    (void)ch_local_room(env, 64); /* first of all: -Xcheck:jni counts those of the thread's other frames, too */
    const bool thrown = (*env)->ExceptionCheck(env); /* by the program, before */
    ch_rules_use();
    char *own_name = name ? NULL : ch_class_name(data, (size_t)bytes);
    struct offered o = {.env = env,
                        .name = name       ? name
                                : own_name ? own_name
                                           : "?",
                        .loader = loader,
                        .domain = domain,
                        .redefined = redefined,
                        .data = data,
                        .bytes = bytes,
                        .new_bytes = new_bytes,
                        .new_data = new_data};
    if (!redefined) {
        tally(&ch_header->seen, 1);
        ch_measures_on_definition(o.name);
    }
    uint64_t began = ch_agents_work_begins();
    transform_by_these_rules(&o);
    ch_agents_work_ends(began);
    if (!thrown && (*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env); /* who loads the class would throw it */
    free(own_name);
    ch_rules_used();
}
