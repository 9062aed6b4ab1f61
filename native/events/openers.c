/* The methods of the program by which a file is opened, of a stack.
 *
 * A method is described when it is first seen: by its class, and by whether a rule may match that. Class files and jars
 * are opened by class loaders, too, by searches for resources, and by scanners that only want to know what is declared.
 */
#include "openers.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_METHODS = 1 << 18 };

enum role { PLAIN, LIBRARY, PROGRAM };
enum code { READS, LOADS, SEARCHES /* for resources, in jars */ };
struct method {
    uint32_t hash;
    enum role role;
    enum code code; /* what it does with class files and jars */
    jmethodID id;
    uint32_t number; /* of the program's, in the data file */
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the tables */
static CH_TABLE(struct method) methods;

/* True if a class of the JDK reads without keeping the data for others. */
static bool is_plain(const char *name) {
    static const char *const keeping[] = {"java/util/ResourceBundle", "java/util/logging/", "java/util/prefs/",
                                          "java/security/"},
                             *const plain[] = {"java/", "sun/nio/", "sun/net/www/", "jdk/internal/"};
    bool yes = false;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) yes |= ch_begins(name, plain[i]);
    for (size_t i = 0; i < sizeof keeping / sizeof *keeping; i++) yes &= !ch_begins(name, keeping[i]);
    return yes;
}

bool ch_begins_with_one(const char *text, const char *const *starts, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (ch_begins(text, starts[i])) return true;
    return false;
}

/* The kind of code in a class that is not a class loader. */
static enum code code_of(const char *name) {
    static const char *const searching[] = {"jdk/internal/loader/", "jdk/internal/module/"};
    static const char *const scanning[] = {"org/springframework/core/type/classreading/",
                                           "org/springframework/asm/",
                                           "org/reflections/",
                                           "io/github/classgraph/",
                                           "nonapi/io/github/classgraph/",
                                           "org/jboss/jandex/",
                                           "org/hibernate/boot/archive/",
                                           "org/apache/tomcat/util/"};
    return CH_BEGINS_WITH_ONE(name, scanning) ? LOADS : CH_BEGINS_WITH_ONE(name, searching) ? SEARCHES : READS;
}

static bool is_class_loader(JNIEnv *env, jclass class) {
    bool is_one = false;
    for (jclass c = (*env)->NewLocalRef(env, class), next; c; c = next) {
        char *signature = NULL;
        if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL))
            is_one |= !strcmp(signature, "Ljava/lang/ClassLoader;");
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
        next = is_one ? NULL : (*env)->GetSuperclass(env, c);
        (*env)->DeleteLocalRef(env, c);
    }
    return is_one;
}

static bool loads_classes(JNIEnv *env, jclass class, const char *method) {
    return (ch_begins(method, "loadClass") || ch_begins(method, "findClass")) && is_class_loader(env, class);
}

/* The number of a method; its name becomes a record. */
static uint32_t number_of(const char *class_name, const char *name, const char *descriptor) {
    static uint32_t numbers;
    size_t room = strlen(class_name) + strlen(name) + strlen(descriptor) + 2;
    char *text = malloc(room);
    uint32_t number = text ? ch_add(&numbers, 1) + 1 : 0;
    if (text)
        ch_meta_add(CH_META_OPENER, number, 0, text,
                    (size_t)snprintf(text, room, "%s.%s%s", class_name, name, descriptor));
    free(text);
    return number;
}

static void describe(JNIEnv *env, struct method *m, jclass class, char *signature) {
    char *called = NULL, *descriptor = NULL, *class_name = signature + 1;
    size_t n = strlen(signature);
    jobject loader = NULL;
    bool in_jdk = false;
    if (n < 3) return;
    signature[n - 1] = 0;
    if (is_plain(class_name)) m->role = PLAIN;
    if ((*ch_jvmti)->GetMethodName(ch_jvmti, m->id, &called, &descriptor, NULL)) return;
    m->code = loads_classes(env, class, called) ? LOADS : code_of(class_name);
    if (!(*ch_jvmti)->GetClassLoader(ch_jvmti, class, &loader) && loader &&
        ch_filter_match(env, loader, class_name, CH_NO_NAMES, NULL, &in_jdk) && !in_jdk) {
        m->number = number_of(class_name, called, descriptor);
        m->role = m->number ? PROGRAM : LIBRARY;
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)called);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)descriptor);
    if (loader) (*env)->DeleteLocalRef(env, loader);
}

static bool is_method(const void *entry, const void *id) {
    return ((const struct method *)entry)->id == *(const jmethodID *)id;
}

static bool known(jmethodID id, struct method *to) {
    pthread_mutex_lock(&lock);
    const struct method *found = ch_table_find(&methods, ch_hash_number((uint64_t)(uintptr_t)id), is_method, &id);
    if (found) *to = *found;
    pthread_mutex_unlock(&lock);
    return found;
}

/* The kind and number of a method; an unknown one counts as a library's. Threads that see a method for the first time
 * together give it several numbers. */
static struct method method_of(JNIEnv *env, jmethodID id) {
    struct method m = {.role = LIBRARY, .id = id};
    jclass class = NULL;
    char *signature = NULL;
    if (known(id, &m) || (*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, id, &class)) return m;
    if (!(*ch_jvmti)->GetClassSignature(ch_jvmti, class, &signature, NULL)) {
        describe(env, &m, class, signature);
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    }
    (*env)->DeleteLocalRef(env, class);
    pthread_mutex_lock(&lock);
    if (methods.table.used < MOST_METHODS) ch_table_add(&methods, ch_hash_number((uint64_t)(uintptr_t)id), &m);
    pthread_mutex_unlock(&lock);
    return m;
}

void ch_opener_stack(struct ch_opener_stack *s, uint32_t depth) {
    jvmtiFrameInfo frames[CH_OPENER_DEPTH];
    jint n = 0;
    if ((*ch_jvmti)->GetStackTrace(ch_jvmti, NULL, 0, (jint)depth, frames, &n)) n = 0;
    for (s->n = 0; s->n < (uint32_t)n; s->n++) s->methods[s->n] = frames[s->n].method;
}

struct ch_openers ch_openers(JNIEnv *env, const struct ch_opener_stack *s) {
    struct ch_openers r = {.direct = true};
    for (uint32_t i = 0; i < s->n && r.n < CH_OPENERS; i++) {
        struct method m = method_of(env, s->methods[i]);
        if (m.role == LIBRARY && !r.n) r.direct = false;
        r.loads |= m.code == LOADS && !r.n;
        r.searches |= m.code == SEARCHES && !r.n;
        if (m.role == PROGRAM) r.numbers[r.n++] = m.number;
    }
    r.direct &= r.n > 0;
    return r;
}
