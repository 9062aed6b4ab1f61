/* Allocation sites: object sizes as the JVM reports them.
 *
 * A `new` instruction always creates objects of the same size, so a site's bytes are its count times that size. The
 * size is measured at the site's first allocation: the type is looked up by name through the loader of the allocating
 * method, an instance is created, and JVMTI reports its size. The size is kept in the site's second slot of the shared
 * block. An array's size follows from its length; the tracker computes it from constants that this file supplies. Where
 * the JVM has value objects, arrays of them may be flat. How their elements lie is measured once per site, too, by the
 * sizes of arrays of the same class; the tracker reads it in a table.
 */
#include "objects.h"
#include "../base/unsafe.h"
#include "../sampling/sampling.h"
#include "tracker_natives.h"
#include <stdlib.h>
#include <string.h>

enum { WIDE = 512 /* elements: all their bytes are a multiple of any alignment */ };

static jint alignment = 8;
/* by slot: where the elements begin, above the size of one; no base: there is no memory, or no value objects */
static struct ch_region layouts;
static uint64_t of_references; /* the layout of all other arrays of references */

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

/* A platform type is the same for every loader, so the stack need not be walked. Walking it costs memory that the JVM
 * never frees, for each loader whose methods are on the stack. */
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

/* A jstring from the probe table's UTF-8, which may contain lone surrogates. NewStringUTF expects modified UTF-8 (JVMS
 * 4.4.7). */
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

static bool is_primitive(struct ch_text type) {
    static const char *const names[] = {"boolean", "byte", "char", "short", "int", "long", "float", "double"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == type.bytes && !memcmp(type.at, names[i], type.bytes)) return true;
    return false;
}

/* The type whose objects a site allocates, or are in its arrays if these may be flat: with dots, no array and not
 * primitive. */
static bool read_class(const struct ch_probe *p, struct ch_text *out) {
    enum { BRACKETS = sizeof "[]" - 1 };
    *out = p->object.type;
    if (p->kind != CH_PROBE_ARRAY) return p->kind == CH_PROBE_OBJECT;
    if (!ch_has_values() || out->bytes < BRACKETS) return false;
    out->bytes -= BRACKETS;
    return out->bytes && out->at[out->bytes - 1] != ']' && !is_primitive(*out);
}

/* The class at a site; malloc'ed, NULL if unknown. */
static char *class_at(uint32_t slot, uint64_t kind) {
    struct ch_text class_name, type;
    struct ch_probe p;
    if (!ch_probe_of(slot, kind, &class_name, &p) || !read_class(&p, &type)) return NULL;
    char *name = ch_text_copy(type);
    if (!name) ch_no_memory();
    return name;
}

bool ch_allocates(const char *table, size_t bytes, bool (*that)(struct ch_text type)) {
    struct ch_probe_table t = ch_probe_table_of(table, bytes);
    struct ch_text type;
    struct ch_probe p;
    while (ch_probe_table_next_probe(&t, &p))
        if (read_class(&p, &type) && that(type)) return true;
    return false;
}

static bool is_foreign(struct ch_text type) { return type.bytes < 5 || memcmp(type.at, "java.", 5); }

bool ch_has_foreign_objects(const char *table, size_t bytes) { return ch_allocates(table, bytes, is_foreign); }

/* Measures the size of the type that a site allocates; 0: it cannot be measured. */
static uint64_t measure(JNIEnv *env, jclass tracker, uint32_t slot, uint64_t kind,
                        uint64_t (*measured)(JNIEnv *env, jclass type)) {
    char *name = ch_self.measuring ? NULL : class_at(slot, kind); /* binary name with dots */
    uint64_t found = 0;
    bool framed = name && ch_local_frame(env, 16);
    if (name && !framed) ch_no_memory();
    if (framed) {
        ch_self.measuring = true; /* Class.forName may be woven itself */
        /* the allocation has already resolved this name, so no class is loaded and no code runs */
        jclass type = find_type(env, tracker, name);
        if (type && !(*env)->ExceptionCheck(env)) found = measured(env, type);
        (*env)->ExceptionClear(env);
        (*env)->PopLocalFrame(env, NULL);
        ch_self.measuring = false;
    }
    free(name);
    return found;
}

static uint64_t size_of_instance(JNIEnv *env, jclass type) {
    jobject instance = (*env)->AllocObject(env, type);
    if (!instance) ch_no_memory();
    return instance ? (uint64_t)size_of(instance) : 0;
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

/* ---- arrays of references, where there are value objects */

static uint64_t size_of_array(JNIEnv *env, jclass type, jsize n) {
    jobject array = (*env)->NewObjectArray(env, n, type, NULL);
    uint64_t size = array ? (uint64_t)size_of(array) : 0;
    if (array) (*env)->DeleteLocalRef(env, array);
    return size;
}

/* By the sizes of arrays of a class: the elements begin where as many of them as possible fit into what an empty array
 * takes. 0: there is no memory. */
static uint64_t layout_of(JNIEnv *env, jclass type) {
    uint64_t empty = size_of_array(env, type, 0), wide = size_of_array(env, type, WIDE);
    if (!empty || wide <= empty) return 0;
    uint64_t element = (wide - empty) / WIDE, more = 0;
    while (more + element < (uint64_t)alignment && size_of_array(env, type, (jsize)(more / element) + 1) == empty)
        more += element;
    return (empty - more) << 32 | element;
}

JNIEXPORT jlong JNICALL Java_java_lang_ClasshookTracker_arrayLayouts(JNIEnv *env, jclass c) {
    (void)c;
    jclass object = ch_boot_class(env, "java.lang.Object");
    if (object) of_references = layout_of(env, object);
    (*env)->ExceptionClear(env);
    if (!ch_region_memory(&layouts, ch_room.slots * sizeof(uint64_t))) layouts.base = NULL;
    return (jlong)(uintptr_t)layouts.base;
}

/* Called for the first array at a site. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_arrayAtSite(JNIEnv *env, jclass tracker, jint length, jint slot,
                                                                   jthread thread) {
    bool known = ch_slots_there(slot, CH_ALLOC_SLOTS);
    uint64_t layout = known ? measure(env, tracker, (uint32_t)slot, CH_KIND(ARRAY), layout_of) : 0;
    if (layout && layouts.base) ch_store_relaxed((uint64_t *)layouts.base + slot, layout);
    if (!layout) layout = of_references;
    uint64_t bytes = (uint64_t)length * (uint32_t)layout + (layout >> 32);
    bytes = (bytes + (uint64_t)alignment - 1) & -(uint64_t)alignment;
    Java_java_lang_ClasshookTracker_arraySlowly(env, tracker, (jlong)bytes, slot, thread);
}

/* Called for a thread's first allocation at a site, and while the thread has no block. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_allocatedSlowly(JNIEnv *env, jclass tracker, jint slot,
                                                                       jthread thread) {
    Java_java_lang_ClasshookTracker_countSlowly(env, tracker, slot, thread);
    if (!ch_slots_there(slot, CH_ALLOC_SLOTS)) return;
    uint64_t *size = ch_shared_slot((uint32_t)slot + CH_ALLOC_SIZE);
    if (ch_load_relaxed(size) || ch_self.measuring) return;
    ch_store_relaxed(size, measure(env, tracker, (uint32_t)slot, CH_KIND(OBJECT), size_of_instance));
}

/* All arrays of one level have the same length, so the first array of each level is enough. An empty level ends the
 * walk. */
JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_multiArray(JNIEnv *env, jclass tracker, jobject array, jint slot,
                                                                  jthread thread) {
    jlong bytes = 0, arrays = 1;
    jobject level = array;
    if (!ch_local_frame(env, 260)) {
        ch_no_memory();
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
