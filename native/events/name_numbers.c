/* Strings by number, for records of events: class names and names of threads. They stay for the JVM's life. */
#include "events.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 1024, PARTS = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char **parts[PARTS]; /* they do not move, so that reading them needs no lock */
static uint32_t count = 1;
static CH_TABLE(struct ch_numbered) numbers;

static const char *at(uint32_t number) { return parts[number / PART] ? parts[number / PART][number % PART] : NULL; }

static bool is_named(const void *entry, const void *text) {
    uint32_t number = ((const struct ch_numbered *)entry)->number;
    return !strcmp(parts[number / PART][number % PART], text);
}

/* Adds a name; its number, or 0: no room. Lock held. */
static uint32_t add(const char *text, uint32_t hash) {
    const char ***part = &parts[count / PART];
    if (count / PART >= PARTS || (!*part && !(*part = calloc(PART, sizeof **part)))) return 0;
    char *copy = strdup(text);
    if (!copy || !ch_table_add(&numbers, hash, &(struct ch_numbered){.number = count})) {
        free(copy);
        return 0;
    }
    (*part)[count % PART] = copy;
    return count++;
}

uint32_t ch_name_number(const char *text) {
    uint32_t hash = (uint32_t)ch_hash_own((struct ch_key){1, 1}, text, strlen(text)).low;
    pthread_mutex_lock(&lock);
    const struct ch_numbered *known = ch_table_find(&numbers, hash, is_named, text);
    uint32_t number = known ? known->number : add(text, hash);
    pthread_mutex_unlock(&lock);
    return number;
}

const char *ch_name_of(uint32_t number) {
    const char *text = number && number / PART < PARTS ? at(number) : NULL;
    return text ? text : "";
}

uint32_t ch_class_number(const char *internal) {
    char dotted[1024];
    snprintf(dotted, sizeof dotted, "%s", internal);
    for (char *p = dotted; *p; p++)
        if (*p == '/') *p = '.';
    return ch_name_number(dotted);
}

bool ch_type_name(jclass c, char *to, size_t size) {
    static const char *const primitives[128] = {['Z'] = "boolean", ['B'] = "byte", ['C'] = "char",  ['S'] = "short",
                                                ['I'] = "int",     ['J'] = "long", ['F'] = "float", ['D'] = "double"};
    char *signature = NULL;
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL) || !signature) return false;
    size_t arrays = strspn(signature, "[");
    const char *element = signature + arrays, *primitive = primitives[*element & 127];
    int n = primitive ? snprintf(to, size, "%s", primitive)
                      : snprintf(to, size, "%.*s", (int)strlen(element) - 2, element + 1); /* L...; */
    for (size_t i = 0; i < arrays && n >= 0 && (size_t)n < size; i++) n += snprintf(to + n, size - (size_t)n, "[]");
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    return true;
}

uint32_t ch_name_of_type(JNIEnv *env, jobject object) {
    char name[1024];
    jclass c = (*env)->GetObjectClass(env, object);
    bool known = c && ch_name_of_class(c, name, sizeof name);
    if (c) (*env)->DeleteLocalRef(env, c);
    return known ? ch_class_number(name) : 0;
}

uint32_t ch_own_thread_name(void) {
    jvmtiThreadInfo info = {0};
    JNIEnv *env = NULL;
    if ((*ch_vm)->GetEnv(ch_vm, (void **)&env, JNI_VERSION_1_8) || (*ch_jvmti)->GetThreadInfo(ch_jvmti, NULL, &info))
        return 0; /* the JVM's own */
    uint32_t number = info.name ? ch_name_number(info.name) : 0;
    if (info.name) (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)info.name);
    if (info.thread_group) (*env)->DeleteLocalRef(env, info.thread_group);
    if (info.context_class_loader) (*env)->DeleteLocalRef(env, info.context_class_loader);
    return number;
}
