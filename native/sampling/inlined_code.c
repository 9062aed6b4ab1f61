/* Inline functions of Kotlin: which of them an instruction belongs to.
 *
 * 1. kotlinc copies their code into each method that calls them, with lines behind the last one of the file. A line map
 *    (JSR 45) says in which class and line each of these was written, and from which line the function was called. It
 *    is a constant of the class: the value of the annotation kotlin.jvm.internal.SourceDebugExtension, which every
 *    kotlinc since 1.5 writes beside the attribute of that name. The JVM keeps the attribute only if it is asked before
 *    the first class is loaded; the constants it always has.
 * 2. The function is the method that has this line in the line table of the class where it was written, if that class
 *    is loaded. None is loaded for it.
 * 3. Lines of `fake.kt` are those of functions that are only ever inlined: kotlinc does not tell which.
 */
#include "inlined_code.h"
#include "../base/base.h"
#include "../base/clock.h"
#include "../base/jvm_facts.h"
#include "../base/table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCALS = 16 /* references besides */ };
enum { PATIENCE = 20 /* times as long as it took, a class is not looked for again */ };
#define HEAD "SMAP\n"
#define FAKE "kotlin/jvm/internal/FakeKt"

/* ---- the line map */

/* The map among a class's constants, malloc'ed; NULL: there is none. */
static char *map_of(jclass c) {
    unsigned char *pool = NULL;
    jint count = 0, bytes = 0;
    if ((*ch_jvmti)->GetConstantPool(ch_jvmti, c, &count, &bytes, &pool)) return NULL;
    struct ch_texts texts = ch_texts_of(pool, bytes, count);
    const char *text;
    char *map = NULL;
    for (size_t n; !map && ch_next_text(&texts, &text, &n);)
        if (n >= sizeof HEAD - 1 && !memcmp(text, HEAD, sizeof HEAD - 1)) map = strndup(text, n);
    (*ch_jvmti)->Deallocate(ch_jvmti, pool);
    return map;
}

static const char *next_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

/* The line of a section (`*F`, `*L`) in a stratum, behind its head; NULL: there is none. */
static const char *section(const char *map, const char *stratum, char letter) {
    for (const char *at = strstr(map, stratum);
         at && *(at = next_line(at)) && strncmp(at, "*S", 2) != 0 && strncmp(at, "*E", 2) != 0;)
        if (at[0] == '*' && at[1] == letter) return next_line(at);
    return NULL;
}

struct written { /* where a line was written: the number of a file, a line in it */
    unsigned long file, line;
};

/* The entry `INPUT#FILE,REPEAT:OUTPUT,EACH` that has this output line. */
static bool look_up(const char *entries, uint32_t line, struct written *found) {
    found->file = 0;
    for (const char *at = entries; at && *at && *at != '*'; at = next_line(at)) {
        char *end;
        unsigned long input = strtoul(at, &end, 10), repeat = 1, output, each = 1;
        if (*end == '#') found->file = strtoul(end + 1, &end, 10);
        if (*end == ',') repeat = strtoul(end + 1, &end, 10);
        if (*end != ':') return false;
        output = strtoul(end + 1, &end, 10);
        if (*end == ',') each = strtoul(end + 1, &end, 10);
        if (!each || line < output || (line - output) / each >= repeat) continue;
        found->line = input + (line - output) / each;
        return true;
    }
    return false;
}

/* The entry `+ NUMBER NAME`, and the class in the line behind it, of a file. */
static bool file_of(const char *entries, unsigned long number, struct ch_inlined *found) {
    for (const char *at = entries; at && *at == '+'; at = next_line(next_line(at))) {
        char *name;
        if (strtoul(at + 1, &name, 10) != number || *name != ' ') continue;
        const char *end = strchr(++name, '\n');
        if (!end) return false;
        snprintf(found->source, sizeof found->source, "%.*s", (int)(end - name), name);
        snprintf(found->signature, sizeof found->signature, "L%.*s;", (int)strcspn(end + 1, "\n"), end + 1);
        return true;
    }
    return false;
}

/* ---- the functions of a class by their lines */

struct function_line {
    uint32_t line;
    jmethodID method;
};
struct owner {
    uint32_t hash;
    uint32_t number; /* from 1 */
    char *signature;
    struct function_line *lines;
    size_t n, room;
    uint64_t looked_ns, patience_ns;
};
static CH_TABLE(struct owner) owners;

static void add_lines(struct owner *o, jmethodID method) {
    jvmtiLineNumberEntry *table = NULL;
    jint n = 0;
    if ((*ch_jvmti)->GetLineNumberTable(ch_jvmti, method, &n, &table)) return;
    for (jint i = 0; i < n; i++) {
        if (o->n == o->room) {
            size_t room = o->room ? o->room * 2 : 64;
            struct function_line *more = realloc(o->lines, room * sizeof *more);
            if (!more) break;
            o->lines = more;
            o->room = room;
        }
        o->lines[o->n++] = (struct function_line){(uint32_t)table[i].line_number, method};
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)table);
}

static void add_functions(struct owner *o, jclass c) {
    jmethodID *methods = NULL;
    jint n = 0;
    if ((*ch_jvmti)->GetClassMethods(ch_jvmti, c, &n, &methods)) return;
    for (jint i = 0; i < n; i++) add_lines(o, methods[i]);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)methods);
}

/* Several loaders may have a class of this name: any of them has the lines. */
static void look_for(JNIEnv *env, struct owner *o) {
    jclass *classes = NULL;
    jint n = 0;
    o->looked_ns = ch_monotonic_ns();
    if ((*ch_jvmti)->GetLoadedClasses(ch_jvmti, &n, &classes)) return;
    (void)ch_local_room(env, n + LOCALS);
    for (jint i = 0; i < n; i++) {
        char *signature = NULL;
        if (!o->n && !(*ch_jvmti)->GetClassSignature(ch_jvmti, classes[i], &signature, NULL)) {
            if (!strcmp(signature, o->signature)) add_functions(o, classes[i]);
            (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
        }
        (*env)->DeleteLocalRef(env, classes[i]);
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)classes);
    o->patience_ns = PATIENCE * (ch_monotonic_ns() - o->looked_ns);
}

static bool is_owner(const void *entry, const void *signature) {
    return !strcmp(((const struct owner *)entry)->signature, signature);
}

static const struct owner *owner_of(JNIEnv *env, const char *signature) {
    uint32_t hash = (uint32_t)ch_hash_own((struct ch_key){0, 0}, signature, strlen(signature)).low;
    struct owner *o = ch_table_find(&owners, hash, is_owner, signature);
    char *name = o ? NULL : strdup(signature);
    if (name && !(o = ch_table_add(&owners, hash, &(struct owner){.number = owners.table.used + 1, .signature = name})))
        free(name);
    if (o && !o->n && (!o->looked_ns || ch_monotonic_ns() - o->looked_ns > o->patience_ns)) look_for(env, o);
    return o;
}

/* A function's `$default` has the lines of the function, too, as kotlinc inlines it there. */
static bool is_made(jmethodID method) {
    char *name = NULL;
    if ((*ch_jvmti)->GetMethodName(ch_jvmti, method, &name, NULL, NULL)) return true;
    bool made = strchr(name, '$');
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)name);
    return made;
}

static jmethodID function_at(const struct owner *o, uint32_t line) {
    jmethodID found = NULL;
    for (size_t i = 0; o && i < o->n; i++) {
        if (o->lines[i].line != line || o->lines[i].method == found) continue;
        if (!found || is_made(found)) found = o->lines[i].method;
    }
    return found;
}

/* ---- what others ask */

void ch_inlined_ask(void) {
    static const jvmtiCapabilities constants = {.can_get_constant_pool = 1};
    (void)(*ch_jvmti)->AddCapabilities(ch_jvmti, &constants); /* without: nothing is known to be inlined */
}

bool ch_inlined_in(jclass c, const char *source) {
    const char *end = source ? strrchr(source, '.') : NULL;
    char *map = end && !strncmp(end, ".kt", 3) ? map_of(c) : NULL;
    free(map);
    return map;
}

bool ch_inlined_at(JNIEnv *env, jmethodID method, uint32_t line, struct ch_inlined *found) {
    jclass c = NULL;
    char *signature = NULL, *map = NULL;
    struct written at, call;
    bool is = false;
    if ((*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, method, &c)) return false;
    if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) map = map_of(c);
    is = map && look_up(section(map, "*S Kotlin\n", 'L'), line, &at) &&
         file_of(section(map, "*S Kotlin\n", 'F'), at.file, found) &&
         (at.line != line || strcmp(found->signature, signature) != 0) && strcmp(found->signature, "L" FAKE ";") != 0;
    if (is) {
        found->line = (uint32_t)at.line;
        found->call_line = look_up(section(map, "*S KotlinDebug\n", 'L'), line, &call) ? (uint32_t)call.line : line;
        const struct owner *o = owner_of(env, found->signature);
        found->class_number = o ? o->number : 0;
        found->function = function_at(o, found->line);
    }
    free(map);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    (*env)->DeleteLocalRef(env, c);
    return is;
}
