/* Values of Java as a key's bytes. */
#include "../base/jvm_facts.h"
#include "keys.h"
#include "sql_text.h"
#include <string.h>

enum {
    MOST_UNITS = 1000 /* of a string */,
    ELLIPSIS = 0x2026,
    MOST_NAME = 512 /* bytes of a class's or a thread's name */,
    HIDDEN = 2 /* frames of the native and the woven method */
};

static jclass class_class;

bool ch_key_prepare(JNIEnv *env) {
    if (!ch_fields_prepare(env)) return false;
    jclass c = (*env)->FindClass(env, "java/lang/Class");
    class_class = c ? (*env)->NewGlobalRef(env, c) : NULL;
    if (c) (*env)->DeleteLocalRef(env, c);
    return class_class;
}

static void add(struct ch_key_values *to, const void *from, size_t n) {
    if (n > sizeof to->at - to->n) n = sizeof to->at - to->n;
    memcpy(to->at + to->n, from, n);
    to->n += (uint32_t)n;
}

static void add_number(struct ch_key_values *to, char kind, uint64_t number) {
    add(to, &kind, 1);
    add(to, &number, sizeof number);
}

static void add_text(struct ch_key_values *to, char kind, const void *text, uint32_t bytes) {
    add(to, &kind, 1);
    add(to, &bytes, sizeof bytes);
    add(to, text, bytes);
}

static void add_string(JNIEnv *env, struct ch_key_values *to, char kind, jstring s) {
    jchar units[MOST_UNITS + 1];
    jsize n = s ? (*env)->GetStringLength(env, s) : 0, taken = n < MOST_UNITS ? n : MOST_UNITS;
    if (taken) (*env)->GetStringRegion(env, s, 0, taken, units);
    if (taken < n) units[taken++] = ELLIPSIS;
    add_text(to, kind, units, (uint32_t)taken * (uint32_t)sizeof *units);
}

void ch_key_add_sql(struct ch_key_values *to, const jchar *text, uint32_t units, bool whole) {
    jchar kept[MOST_UNITS + 1];
    uint32_t n = ch_sql_without_literals(text, units, kept, MOST_UNITS);
    if (!whole && n && kept[n - 1] != ELLIPSIS) kept[n++] = ELLIPSIS;
    add_text(to, CH_VALUE_STRING, kept, n * (uint32_t)sizeof *kept);
}

/* A hidden class's name has its address, which differs from run to run, and of a lambda a number, too:
 * `LShop$$Lambda$14.0x00007f8a1c040438;`. */
static void without_address(char *signature) {
    static const char lambda[] = "$$Lambda$";
    char *address = strrchr(signature, '.'), *number;
    if (*signature != 'L' || !address || strncmp(address, ".0x", 3)) return;
    strcpy(address, ";");
    if ((number = strstr(signature, lambda)) &&
        strspn(number + sizeof lambda - 1, "0123456789") + number + sizeof lambda - 1 == address)
        strcpy(number + sizeof lambda - 2, ";");
}

static void add_class(struct ch_key_values *to, jclass c) {
    char *signature = NULL;
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) return;
    without_address(signature);
    size_t n = strlen(signature);
    add_text(to, CH_KEY_CLASS, signature, (uint32_t)(n < MOST_NAME ? n : MOST_NAME));
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
}

static void add_object(JNIEnv *env, struct ch_key_values *to, jobject o) {
    if (class_class && (*env)->IsInstanceOf(env, o, class_class)) {
        add_class(to, o);
        return;
    }
    jclass c = (*env)->GetObjectClass(env, o);
    add_class(to, c);
    (*env)->DeleteLocalRef(env, c);
}

void ch_key_add_value(JNIEnv *env, struct ch_key_values *to, const struct ch_value_seen *v) {
    uint64_t bits;
    switch (v->kind) {
    case CH_VALUE_STRING: add_string(env, to, v->kind, v->object); return;
    case CH_VALUE_ENUM: add_string(env, to, v->kind, ch_name_of_enum(env, v->object)); return;
    case CH_VALUE_OBJECT:
    case CH_VALUE_ARRAY: add_object(env, to, v->object); return;
    case CH_VALUE_FLOAT:
    case CH_VALUE_DOUBLE:
        memcpy(&bits, &v->real, sizeof bits);
        add_number(to, v->kind, bits);
        return;
    default: add_number(to, v->kind, (uint64_t)v->number);
    }
}

void ch_key_add_thread(JNIEnv *env, struct ch_key_values *to) {
    jvmtiThreadInfo info = {0};
    if ((*ch_jvmti)->GetThreadInfo(ch_jvmti, NULL, &info)) info = (jvmtiThreadInfo){0};
    const char *name = info.name && *info.name ? info.name : "[no name]"; /* as most virtual threads */
    size_t n = strlen(name);
    add_text(to, CH_KEY_THREAD, name, (uint32_t)(n < MOST_NAME ? n : MOST_NAME));
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)info.name);
    if (info.thread_group) (*env)->DeleteLocalRef(env, info.thread_group);
    if (info.context_class_loader) (*env)->DeleteLocalRef(env, info.context_class_loader);
}

void ch_key_add_stack(struct ch_key_values *to, uint32_t frames) {
    jvmtiFrameInfo info[CH_KEY_FRAMES] = {0}; /* its padding, too: keys are compared by bytes */
    jint n = 0;
    if ((*ch_jvmti)->GetStackTrace(ch_jvmti, NULL, HIDDEN, (jint)frames, info, &n)) n = 0;
    add_text(to, CH_KEY_STACK, info, (uint32_t)n * (uint32_t)sizeof *info);
}
