/* The prefilter: which classes a rule can match, by their names and those of their supertypes.
 *
 * 1. The compiled rules begin with a line for each class pattern (rules/compiled.py writes them): flags, glob, excluded globs, globs of
 *    sources (behind an `@`): the jar or directory that a class comes from.
 * 2. A class passes when some pattern includes it and none of that pattern's exclusions does.
 * 3. A pattern with `s` includes subtypes: a class also passes when it has a supertype that the pattern includes (supertypes.c).
 * 4. `j` requires a class of the JDK, `x` one that is not. This is decided by package or module name, and checked last.
 * 5. The line of a rule about the whole process has two numbers for whoever measures; other lines say which supertypes are of interest.
 * 6. Rules may be exchanged while other threads load classes: a filter never changes, another one takes its place. Patterns of lines `D`, as `F`,
 *    say which loaded classes the exchange concerns.
 */
#include "classes.h"
#include "../objects/objects.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pattern {
    bool subtypes, only_jdk, not_jdk, matched;
    char *include, **except, **source;
    size_t excepts, sources;
};
struct filter {
    struct pattern *patterns;
    size_t count;
    char *text; /* patterns point into it */
    bool needs[256]; /* by the letters of rules/words.py */
    bool asks_sources;
    struct ch_subtypes *subtypes; /* of lines K; it points into the text, too */
    struct filter *older;
};
static const struct filter nothing;
static struct filter *_Atomic current = (struct filter *)&nothing; /* the rules' patterns */
static struct filter *concerned; /* what the last exchange of rules concerns; NULL: all classes */
static struct filter *older;     /* may still be in use */
static jfieldID module_name;
bool ch_has_sources, ch_has_watch;

static bool append(char ***list, size_t *n, char *item) {
    char **more = realloc(*list, (*n + 1) * sizeof *more);
    if (!more) return false;
    *list = more;
    more[(*n)++] = item;
    return true;
}

/* Parses a line `F<TAB>flags<TAB>include<TAB>except or @source...`. */
static bool add_pattern(struct filter *f, char *line) {
    struct pattern p = {0};
    char *field = line, *next;
    for (int i = 0; field; field = next, i++) {
        if ((next = strchr(field, '\t'))) *next++ = 0;
        if (i == 1) {
            p.subtypes = strchr(field, 's');
            p.only_jdk = strchr(field, 'j');
            p.not_jdk = strchr(field, 'x');
            for (const char *c = field; *c; c++) f->needs[(unsigned char)*c] = true;
        } else if (i == 2) {
            p.include = field;
        } else if (i > 2 && (*field == '@' ? !append(&p.source, &p.sources, field + 1) : !append(&p.except, &p.excepts, field))) {
            return false;
        }
    }
    struct pattern *more = realloc(f->patterns, (f->count + 1) * sizeof *more);
    if (!more || !p.include) return false;
    f->patterns = more;
    f->patterns[f->count++] = p;
    f->asks_sources |= p.sources > 0;
    return true;
}

/* The rest of a line `K<TAB>flags<TAB>glob`. */
static bool add_supertype(struct filter *f, char *flags) {
    char *glob = strchr(flags, '\t');
    if (!glob) return false;
    *glob++ = 0;
    return ch_subtypes_add(&f->subtypes, flags, glob);
}

static void discard(struct filter *f) {
    if (!f) return;
    for (size_t i = 0; i < f->count; i++) {
        free(f->patterns[i].except);
        free(f->patterns[i].source);
    }
    ch_subtypes_free(f->subtypes);
    free(f->patterns);
    free(f->text);
    free(f);
}

/* What is measured of the whole process: lines of a letter, microseconds or bytes, and frames of a stack. */
static const struct {
    char letter;
    void (*take)(uint64_t us, uint32_t frames);
} of_process[] = {{'S', ch_cpu_rule}, {'L', ch_locks_rule}, {'A', ch_objects_rule}};
enum { OF_PROCESS = sizeof of_process / sizeof *of_process };

static void add_to_process(const char *line) {
    for (size_t i = 0; i < OF_PROCESS; i++) {
        char *end;
        if (line[0] != of_process[i].letter || line[1] != '\t') continue;
        uint64_t us = strtoull(line + 2, &end, 10);
        of_process[i].take(us, (uint32_t)strtoul(end, NULL, 10));
    }
}

/* The patterns of the lines that begin with this letter; NULL: no memory. */
static struct filter *read_lines(const char *text, size_t bytes, char letter) {
    struct filter *f = calloc(1, sizeof *f);
    char *line = f ? f->text = strndup(text, bytes) : NULL, *next;
    bool well = line;
    for (; well && line && *line; line = next) {
        if ((next = strchr(line, '\n'))) *next++ = 0;
        if (line[0] == letter && line[1] == '\t') well = add_pattern(f, line);
        if (letter == 'F' && line[0] == 'K' && line[1] == '\t') well = add_supertype(f, line + 2);
        if (letter == 'F') add_to_process(line);
    }
    if (well) return f;
    discard(f);
    return NULL;
}

bool ch_filter_load(const char *text, size_t bytes) {
    for (size_t i = 0; i < OF_PROCESS; i++) of_process[i].take(0, 0);
    struct filter *f = read_lines(text, bytes, 'F'), *changed = read_lines(text, bytes, 'D'), *before = atomic_load(&current);
    if (!f || !changed) return false;
    ch_only_sampling = !f->count && (ch_cpu_wanted() || ch_locks_wanted());
    bool ahead = !f->count && !ch_only_sampling; /* classes woven ahead of time may be timed or covered */
    ch_has_time = f->needs['t'] || ahead;
    ch_has_profile = f->needs['p'] || ahead;
    ch_has_cover = f->needs['c'] || ahead;
    ch_has_watch = f->needs['w'] || ahead;
    ch_has_alloc |= f->needs['a'];
    ch_has_sources = f->asks_sources;
    discard(concerned);
    concerned = changed->count ? changed : NULL;
    if (!changed->count) discard(changed);
    ch_subtypes_use(f->subtypes);
    atomic_store(&current, f);
    if (before == &nothing) return true;
    before->older = older;
    older = before;
    return true;
}

void ch_filter_forget_older(void) {
    for (struct filter *f = older, *next; f; f = next) {
        next = f->older;
        discard(f);
    }
    older = NULL;
}

bool ch_filter_start(JNIEnv *env) {
    jclass c = ch_boot_class(env, "java.lang.Module");
    module_name = c ? (*env)->GetFieldID(env, c, "name", "Ljava/lang/String;") : NULL;
    return module_name != NULL;
}

/* Before JDK 18, reflection's accessor classes belong to the JDK but are in no named module, so packages are checked too, as in
 * rules/ruleset.py. */
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
        (*env)->GetStringUTFRegion(env, text, 0, length < 5 ? length : 5, start); /* module names of the JDK are ASCII */
        yes = !strncmp(start, "java.", 5) || !strncmp(start, "jdk.", 4);
        (*env)->DeleteLocalRef(env, text);
    }
    (*env)->DeleteLocalRef(env, module);
    return yes;
}

static bool names(const struct pattern *p, struct ch_names supertypes) {
    const char *name = supertypes.text, *end = name + supertypes.bytes;
    while (name < end && !ch_glob(p->include, name)) name += strlen(name) + 1;
    return name < end;
}

static bool comes_from(const struct pattern *p, const char *source) {
    char bare[4096];
    size_t n = source ? strlen(source) : 0, i = 0;
    if (!p->sources) return true;
    if (!n || n >= sizeof bare) return n; /* Python decides */
    strcpy(bare, source);
    if (bare[n - 1] == '/') bare[n - 1] = 0; /* a directory may be named without its last slash */
    while (i < p->sources && !ch_glob(p->source[i], source) && !ch_glob(p->source[i], bare)) i++;
    return i < p->sources;
}

static bool passes(struct filter *f, JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, bool any_source, const char *source, bool *in_jdk) {
    int jdk = -1; /* not asked yet */
    for (size_t i = 0; i < f->count; i++) {
        struct pattern *p = &f->patterns[i];
        size_t k = 0;
        if (!ch_glob(p->include, name) && !(p->subtypes && supertypes > CH_NO_NAMES && names(p, ch_names(supertypes)))) continue;
        while (k < p->excepts && !ch_glob(p->except[k], name)) k++;
        if (k < p->excepts || !(any_source || comes_from(p, source))) continue;
        if (jdk < 0) jdk = is_jdks(env, loader, name);
        if ((p->only_jdk && !jdk) || (p->not_jdk && jdk)) continue;
        *in_jdk = jdk;
        p->matched = true;
        return true;
    }
    return false;
}

bool ch_filter_match(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, bool *in_jdk) {
    return passes(atomic_load(&current), env, loader, name, supertypes, true, NULL, in_jdk);
}

bool ch_filter_source(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes, const char *source) {
    bool in_jdk;
    return passes(atomic_load(&current), env, loader, name, supertypes, false, source, &in_jdk);
}

bool ch_filter_concerns(JNIEnv *env, jobject loader, const char *name, uint32_t supertypes) {
    bool in_jdk;
    return !concerned || passes(concerned, env, loader, name, supertypes, true, NULL, &in_jdk);
}

bool ch_filter_all_matched(void) {
    const struct filter *f = atomic_load(&current);
    for (size_t i = 0; i < f->count; i++)
        if (!f->patterns[i].matched) return false;
    return true;
}
