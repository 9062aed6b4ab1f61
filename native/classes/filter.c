/* The prefilter: which classes a rule can match, by their names and those of their supertypes.
 *
 * 1. The compiled rules have a line for each class pattern (native/table/rules_text.h): its flags, its glob, globs of
 *    classes that it leaves out, and globs of sources: the jar or directory that a class comes from.
 * 2. A class passes when some pattern includes it and none of that pattern's exclusions does.
 * 3. A pattern with subtypes includes these: a class also passes when it has a supertype that the pattern includes
 *    (supertypes.c).
 * 4. A pattern for methods that their language gives another class, such as those of Kotlin's companions, is compared
 *    only with names that may be such classes'. No class need match it.
 * 5. A pattern may require names that the class's constant pool must have (constant_pools.c).
 * 6. A pattern may require a class of the JDK, or one that is not. This is decided by package or module name, and
 *    checked last.
 * 7. Other lines configure the samplers, and say which supertypes are of interest.
 * 8. Rules may be exchanged while other threads load classes: a filter never changes, another one takes its place.
 *    Lines of changed patterns say which loaded classes the exchange concerns.
 */
#include "../base/jdk_members.h"
#include "classes.h"
#include <stdlib.h>
#include <string.h>

struct pattern {
    bool subtypes, only_jdk, not_jdk, renamed, matched;
    char *include;
    struct list {
        char **items;
        size_t n;
    } excepts, sources, names;
};
struct ch_filter {
    struct pattern *patterns;
    size_t count;
    char *text; /* patterns point into it */
    struct ch_rules_needs needs;
    struct ch_samplers samplers;
    bool asks_sources;
    struct ch_subtypes *subtypes; /* it points into the text, too */
    struct ch_filter *changed; /* what the exchange that it came by concerns; NULL: all classes */
    struct ch_filter *older;
};
static struct ch_filter nothing;
static struct ch_filter *current = &nothing; /* the rules' patterns */
static struct ch_filter *older;     /* may still be in use */
static jfieldID module_name;

static bool append(struct list *list, char *item) {
    char **more = realloc(list->items, (list->n + 1) * sizeof *more);
    if (!more) return false;
    list->items = more;
    more[list->n++] = item;
    return true;
}

static void free_pattern(struct pattern *p) {
    free(p->excepts.items);
    free(p->sources.items);
    free(p->names.items);
}

static bool append_field(struct pattern *p, char *field) {
    switch (*field) {
    case '@': return append(&p->sources, field + 1);
    case '=': return append(&p->names, field + 1);
    default: return append(&p->excepts, field);
    }
}

static bool add_pattern(struct ch_filter *f, const struct ch_rules_filter *line) {
    struct pattern p = {.subtypes = line->subtypes,
                        .only_jdk = line->only_jdk,
                        .not_jdk = line->not_jdk,
                        .renamed = line->renamed,
                        .matched = line->renamed,
                        .include = line->include};
    const struct ch_rules_needs *needs = &line->needs;
    char *further = line->further;
    for (char *field; (field = ch_rules_field(&further));)
        if (!append_field(&p, field)) {
            free_pattern(&p);
            return false;
        }
    struct pattern *more = realloc(f->patterns, (f->count + 1) * sizeof *more);
    if (!more) {
        free_pattern(&p);
        return false;
    }
    f->patterns = more;
    f->patterns[f->count++] = p;
    f->asks_sources |= p.sources.n > 0;
    f->needs.time |= needs->time;
    f->needs.context |= needs->context;
    f->needs.cover |= needs->cover;
    f->needs.watch |= needs->watch;
    return true;
}

static void discard(struct ch_filter *f) {
    if (!f) return;
    for (size_t i = 0; i < f->count; i++) free_pattern(&f->patterns[i]);
    discard(f->changed);
    ch_subtypes_free(f->subtypes);
    free(f->patterns);
    free(f->text);
    free(f);
}

static bool add_line(struct ch_filter *f, struct ch_filter *changed, const struct ch_rules_line *line) {
    switch (line->kind) {
    case CH_RULES_FILTER: return add_pattern(f, &line->filter);
    case CH_RULES_CHANGED: return add_pattern(changed, &line->filter);
    case CH_RULES_SUPERTYPE:
        return ch_subtypes_add(&f->subtypes, line->supertype.weaves, line->supertype.reports, line->supertype.glob);
    default: return true;
    }
}

/* Fills both from the text, of which each has a copy, since either may live longer. */
static bool read_lines(struct ch_filter *f, struct ch_filter *changed, const char *text, size_t bytes,
                       struct ch_error *error) {
    struct ch_filter *both[] = {f, changed};
    for (int i = 0; i < 2; i++) {
        if (!both[i] || !(both[i]->text = strndup(text, bytes))) return ch_fail(error, "no memory for the rules");
        struct ch_rules_text t = ch_rules_text_of(both[i]->text);
        struct ch_rules_line line;
        while (ch_rules_next(&t, &line))
            if ((line.kind == CH_RULES_CHANGED) == (both[i] == changed) && !add_line(f, changed, &line))
                return ch_fail(error, "no memory for the rules");
        both[i]->samplers = t.samplers;
        if (t.damaged)
            return ch_fail(error,
                           "the compiled rules are damaged, or of another version of classhook: compile them again");
    }
    return true;
}

struct ch_filter *ch_filter_read(const char *text, size_t bytes, struct ch_error *error) {
    struct ch_filter *f = calloc(1, sizeof *f), *changed = calloc(1, sizeof *changed);
    if (!read_lines(f, changed, text, bytes, error)) {
        discard(f);
        discard(changed);
        return NULL;
    }
    if (changed->count)
        f->changed = changed;
    else
        discard(changed);
    return f;
}

/* The requests of its rules. The rule `threads` stands for all clauses of that name. */
static struct ch_wanted wanted_by(const struct ch_filter *f) {
    struct ch_samplers s = f->samplers;
    if (s.labels.threads) s.cpu.threads = s.locks.threads = s.objects.threads = s.trees.threads = true;
    bool only_sampling = !f->count && (s.cpu.period_us || s.locks.frames || s.objects.frames);
    bool ahead = !f->count && !only_sampling; /* classes woven ahead of time may be timed or covered */
    return (struct ch_wanted){.time = f->needs.time || ahead,
                              .cover = f->needs.cover || ahead,
                              .watch = f->needs.watch || ahead,
                              .contexts = f->needs.context || s.tests.contexts,
                              .tests = s.tests.contexts,
                              .sources = f->asks_sources,
                              .subtypes = f->subtypes != NULL,
                              .only_sampling = only_sampling,
                              .ahead = ahead,
                              .threads_apart = s.cpu.threads || s.locks.threads || s.objects.threads || s.trees.threads,
                              .threads_named = s.labels.threads,
                              .samplers = s};
}

void ch_filter_use(struct ch_filter *f) {
    struct ch_filter *before = ch_load(&current);
    struct ch_wanted wanted = wanted_by(f);
    ch_wanted = wanted;
    ch_measures_on_rules();
    ch_subtypes_use(f->subtypes);
    ch_store(&current, f);
    if (before == &nothing) return;
    before->older = older;
    older = before;
}

void ch_filter_forget_older(void) {
    for (struct ch_filter *f = older, *next; f; f = next) {
        next = f->older;
        discard(f);
    }
    older = NULL;
}

bool ch_filter_start(JNIEnv *env) {
    module_name = ch_jdk_field(env, CH_JDK_MODULE_NAME, NULL);
    return module_name != NULL;
}

/* Before JDK 18, reflection's accessor classes belong to the JDK but are in no named module, so packages are checked
 * too, as in rules/ruleset.py. */
static bool is_jdks(JNIEnv *env, jobject loader, const char *name) {
    const char *slash = strrchr(name, '/');
    size_t n = slash ? (size_t)(slash - name) : 0;
    char package[512];
    jobject module = NULL;
    bool yes = false;
    if (!strncmp(name, "java/", 5) || !strncmp(name, "jdk/internal/", 13)) return true;
    if (!slash || n >= sizeof package) return false;
    memcpy(package, name, n);
    package[n] = 0;
    if ((*ch_jvmti)->GetNamedModule(ch_jvmti, loader, package, &module) || !module) return false;
    jstring text = (*env)->GetObjectField(env, module, module_name);
    if (text) {
        char start[16] = {0}; /* room for five characters in modified UTF-8 */
        jsize length = (*env)->GetStringLength(env, text);
        /* module names of the JDK are ASCII */
        (*env)->GetStringUTFRegion(env, text, 0, length < 5 ? length : 5, start);
        yes = !strncmp(start, "java.", 5) || !strncmp(start, "jdk.", 4);
        (*env)->DeleteLocalRef(env, text);
    }
    (*env)->DeleteLocalRef(env, module);
    return yes;
}

static bool includes_one(const struct pattern *p, struct ch_names supertypes) {
    const char *name = supertypes.text, *end = name + supertypes.bytes;
    while (name < end && !ch_glob(p->include, name)) name += strlen(name) + 1;
    return name < end;
}

static bool comes_from(const struct pattern *p, const char *source) {
    char bare[4096];
    size_t n = source ? strlen(source) : 0, i = 0;
    if (!p->sources.n) return true;
    if (!n || n >= sizeof bare) return n; /* Python decides */
    strcpy(bare, source);
    if (bare[n - 1] == '/') bare[n - 1] = 0; /* a directory may be named without its last slash */
    while (i < p->sources.n && !ch_glob(p->sources.items[i], source) && !ch_glob(p->sources.items[i], bare)) i++;
    return i < p->sources.n;
}

static bool has_names(const struct pattern *p, struct ch_pool *pool) {
    size_t i = 0;
    while (pool && i < p->names.n && ch_pool_has(pool, p->names.items[i])) i++;
    return !pool || i == p->names.n;
}

static bool passes(struct ch_filter *f, JNIEnv *env, jobject loader, const char *name, uint32_t supertypes,
                   struct ch_pool *pool, bool any_source, const char *source, bool *in_jdk) {
    int jdk = -1; /* not asked yet */
    size_t length = strlen(name);
    /* as in rules/readable_patterns.py */
    bool renamed = strchr(name, '$') || (length > 2 && !strcmp(name + length - 2, "Kt"));
    for (size_t i = 0; i < f->count; i++) {
        struct pattern *p = &f->patterns[i];
        size_t k = 0;
        if (p->renamed && !renamed) continue;
        if (!ch_glob(p->include, name) &&
            !(p->subtypes && supertypes > CH_NO_NAMES && includes_one(p, ch_names(supertypes))))
            continue;
        while (k < p->excepts.n && !ch_glob(p->excepts.items[k], name)) k++;
        if (k < p->excepts.n || !(any_source || comes_from(p, source))) continue;
        if (jdk < 0) jdk = is_jdks(env, loader, name);
        if ((p->only_jdk && !jdk) || (p->not_jdk && jdk)) continue;
        *in_jdk = jdk;
        p->matched = true;
        if (has_names(p, pool)) return true;
    }
    return false;
}

bool ch_filter_match(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, struct ch_pool *pool,
                     bool *in_jdk) {
    return passes(ch_load(&current), env, loader, name, supertypes, pool, true, NULL, in_jdk);
}

bool ch_filter_source(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, struct ch_pool *pool,
                      const char *source) {
    bool in_jdk;
    return passes(ch_load(&current), env, loader, name, supertypes, pool, false, source, &in_jdk);
}

bool ch_filter_concerns(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, struct ch_pool *pool) {
    struct ch_filter *concerned = ch_load(&current)->changed;
    bool in_jdk;
    return !concerned || passes(concerned, env, loader, name, supertypes, pool, true, NULL, &in_jdk);
}

bool ch_filter_all_matched(void) {
    const struct ch_filter *f = ch_load(&current);
    for (size_t i = 0; i < f->count; i++)
        if (!f->patterns[i].matched) return false;
    return true;
}
