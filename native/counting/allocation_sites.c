/* Allocation sites: object sizes as the JVM reports them.
 *
 * A `new` instruction always creates objects of the same size, so a site's bytes are its count times that size. The size is measured
 * at the site's first allocation: the type is looked up by name through the loader of the allocating method, an instance is created,
 * and JVMTI reports its size. The size is kept in the site's second slot of the shared block.
 * An array's size follows from its length; the tracker computes it from constants that this file supplies.
 */
#include "../base/unsafe.h"
#include "counting.h"
#include "tracker_natives.h"
#include <stdlib.h>
#include <string.h>

static jint alignment = 8;

static jlong size_of(jobject o) {
    jlong n = 0;
    return ch_ok((*ch_jvmti)->GetObjectSize(ch_jvmti, o, &n), "GetObjectSize") ? n : 0;
}

/* Finds the object alignment: byte arrays of consecutive lengths have the same size or differ by the alignment. */
void ch_allocation_start(JNIEnv *env) {
    jlong before = 0;
    for (jsize n = 0; n < 512; n++) {
        jobject a = (*env)->NewByteArray(env, n);
        if (!a) break;
        jlong size = size_of(a);
        (*env)->DeleteLocalRef(env, a);
        if (before && size > before) {
            alignment = (jint)(size - before);
            return;
        }
        before = size;
    }
    (*env)->ExceptionClear(env);
}

/* The loader of the method that called the tracker. */
static bool caller_loader(JNIEnv *env, jclass tracker, jobject *loader) {
    jvmtiFrameInfo frames[4];
    jint n = 0;
    if (!ch_ok((*ch_jvmti)->GetStackTrace(ch_jvmti, NULL, 0, 4, frames, &n), "GetStackTrace")) return false;
    for (jint i = 0; i < n; i++) {
        jclass c = NULL;
        if ((*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, frames[i].method, &c)) continue;
        if ((*env)->IsSameObject(env, c, tracker)) continue;
        return ch_ok((*ch_jvmti)->GetClassLoader(ch_jvmti, c, loader), "GetClassLoader");
    }
    return false;
}

/* A platform type is the same for every loader, so the stack need not be walked. Walking it costs memory that the JVM never frees, for
 * each loader whose methods are on the stack. */
static jclass find_platform_type(JNIEnv *env, const char *name) {
    char internal[512];
    if (strncmp(name, "java.", 5) || strlen(name) >= sizeof internal) return NULL;
    strcpy(internal, name);
    for (char *c = internal; *c; c++)
        if (*c == '.') *c = '/';
    jclass c = (*env)->FindClass(env, internal); /* uses the boot loader, since the tracker called */
    (*env)->ExceptionClear(env);
    return c;
}

/* A jstring from the probe table's UTF-8, which may contain lone surrogates. NewStringUTF expects modified UTF-8 (JVMS 4.4.7). */
static jstring java_string(JNIEnv *env, const char *utf8) {
    size_t n = strlen(utf8);
    jchar *text = malloc((n + 1) * sizeof *text), *to = text;
    if (!text) return NULL;
    for (const unsigned char *p = (const unsigned char *)utf8, *end = p + n; p < end;) {
        int more = *p < 0xC0 ? 0 : *p < 0xE0 ? 1 : *p < 0xF0 ? 2 : 3;
        uint32_t c = more ? *p & (0x3Fu >> more) : *p;
        for (p++; more && p < end; more--) c = c << 6 | (*p++ & 0x3F);
        if (c >= 0x10000) {
            *to++ = (jchar)(0xD800 + ((c - 0x10000) >> 10 & 0x3FF));
            c = 0xDC00 + (c & 0x3FF);
        }
        *to++ = (jchar)c;
    }
    jstring s = (*env)->NewString(env, text, (jsize)(to - text));
    free(text);
    return s;
}

static jclass find_type(JNIEnv *env, jclass tracker, const char *name) {
    jobject loader = NULL;
    jclass found = find_platform_type(env, name);
    if (found) return found;
    jstring text = caller_loader(env, tracker, &loader) ? java_string(env, name) : NULL;
    return text ? ch_class_for_name(env, text, loader) : NULL;
}

/* The type allocated at a site, with dots; malloc'ed, NULL if unknown. */
static char *type_at(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    return ch_probe_of(slot, CH_PROBE_OBJECT, &class_name, &p) ? ch_text_copy(p.object.type) : NULL;
}

bool ch_allocates(const char *table, size_t bytes, bool (*that)(struct ch_text type)) {
    struct ch_probe_table t = ch_probe_table_of(table, bytes);
    struct ch_probe p;
    while (ch_probe_table_next_probe(&t, &p))
        if (p.kind == CH_PROBE_OBJECT && that(p.object.type)) return true;
    return false;
}

static bool is_foreign(struct ch_text type) { return type.bytes < 5 || memcmp(type.at, "java.", 5); }

bool ch_has_foreign_objects(const char *table, size_t bytes) { return ch_allocates(table, bytes, is_foreign); }

static jlong measure(JNIEnv *env, jclass tracker, uint32_t slot) {
    char *name = type_at(slot); /* binary name with dots */
    jlong size = 0;
    if (name && !(*env)->PushLocalFrame(env, 16)) {
        /* the allocation has already resolved this name, so no class is loaded and no code runs */
        jclass type = find_type(env, tracker, name);
        jobject instance = type && !(*env)->ExceptionCheck(env) ? (*env)->AllocObject(env, type) : NULL;
        if (instance) size = size_of(instance);
        (*env)->ExceptionClear(env);
        (*env)->PopLocalFrame(env, NULL);
    }
    free(name);
    return size;
}

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_alignment(JNIEnv *env, jclass c) {
    (void)env, (void)c;
    return alignment;
}

/* Offset of an array's first element. */
JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_arrayBase(JNIEnv *env, jclass c, jclass array) {
    (void)c;
    return ch_unsafe_array_base(env, array);
}

/* Called for a thread's first allocation at a site, and while the thread has no block. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_allocatedSlowly(JNIEnv *env, jclass tracker, jint slot, jthread thread) {
    Java_java_lang_ClasshookTracker_countSlowly(env, tracker, slot, thread);
    if (!ch_slots_there(slot, CH_ALLOC_SLOTS)) return;
    uint64_t *size = ch_shared_slot((uint32_t)slot + CH_ALLOC_SIZE);
    if (ch_load_relaxed(size) || ch_self.measuring) return;
    ch_self.measuring = true; /* Class.forName may be woven itself */
    ch_store_relaxed(size, (uint64_t)measure(env, tracker, (uint32_t)slot));
    ch_self.measuring = false;
}

/* All arrays of one level have the same length, so the first array of each level is enough. An empty level ends the walk. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_multiArray(JNIEnv *env, jclass tracker, jobject array, jint slot, jthread thread) {
    jlong bytes = 0, arrays = 1;
    jobject level = array;
    if ((*env)->PushLocalFrame(env, 260)) {
        (*env)->ExceptionClear(env);
        return;
    }
    while (level) {
        bytes += arrays * size_of(level);
        jclass c = (*env)->GetObjectClass(env, level);
        char *signature = NULL;
        if (!ch_ok((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL), "GetClassSignature")) break;
        bool is_array = signature[0] == '[', nested = is_array && signature[1] == '[';
        (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
        jsize n = is_array ? (*env)->GetArrayLength(env, level) : 0;
        if (!nested || !n) break;
        arrays *= n;
        level = (*env)->GetObjectArrayElement(env, level, 0);
    }
    (*env)->PopLocalFrame(env, NULL);
    Java_java_lang_ClasshookTracker_arraySlowly(env, tracker, bytes, slot, thread);
}
