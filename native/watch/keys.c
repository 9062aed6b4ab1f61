/* The natives of `by`: which slot counts a call, by the values that the rule names. They run no Java.
 *
 * A key is its values, one behind another: a kind (enum ch_value), then a number or a text. With several values, `keyPart` is told all but the last
 * one, which is told to `key`.
 */
#include "../base/jvm_facts.h"
#include "../counting/key_slots.h"
#include "tracker_natives.h"
#include "watch.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_UNITS = 1000 /* of a string */,
    MOST_NAME = 512 /* bytes of a class's or a thread's name */,
    MOST_PARTS = 8,
    MOST_FRAMES = 16,
    MOST_BYTES = 4096,
    HIDDEN = 2 /* frames of this native and the woven method */
};
/* Kinds that no value of Java has. */
enum { CLASS_NAME = 'C', THREAD_NAME = 'T', STACK = 'S' };

struct part {
    char what; /* 'T', 'S' or 0: the value at a way */
    uint32_t frames;
    char letter; /* of the root's descriptor */
    struct ch_way way;
};
struct keyed {
    struct ch_keys keys; /* first */
    uint32_t parts;
    struct part part[MOST_PARTS];
};
struct bytes {
    uint32_t n;
    unsigned char at[MOST_BYTES];
};
/* Of a key with several parts, what the thread was told so far. */
struct told {
    const struct keyed *of;
    uint32_t parts;
    struct bytes bytes;
};

static struct keyed **known; /* by slot */
static struct keyed nothing;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t told_key;
static bool told_keys;
static jclass class_class;

/* ---- what a rule asks for, from the probe's record */

/* The first letter of an argument's type. */
static char letter_of(const char *descriptor, int argument) {
    const char *p = descriptor + 1;
    while (*p && *p != ')') {
        const char *type = p;
        while (*p == '[') p++;
        if (*p == 'L' && !(p = strchr(p, ';'))) return 'L';
        p++;
        if (!argument--) return ch_type_letter(type);
    }
    return 'L';
}

static bool read_part(struct part *to, const char *word, const char *descriptor) {
    *to = (struct part){.letter = 'L'};
    if (*word == THREAD_NAME || *word == STACK) {
        to->what = *word;
        to->frames = (uint32_t)atoi(word + 1);
        return to->frames <= MOST_FRAMES;
    }
    const struct ch_way *way = ch_way_read(word);
    if (!way) return false;
    to->way = *way;
    if (way->root >= 0) to->letter = letter_of(descriptor, way->root);
    return true;
}

static struct keyed *read_keyed(uint32_t slot) {
    struct ch_text class_name;
    struct ch_probe p;
    if (!ch_probe_of(slot, CH_PROBE_COUNT_BY, &class_name, &p) && !ch_probe_of(slot, CH_PROBE_TIME_BY, &class_name, &p) &&
        !ch_probe_of(slot, CH_PROBE_VALUE_BY, &class_name, &p))
        return &nothing;
    struct keyed *k = calloc(1, sizeof *k);
    char *words = ch_text_copy(p.keyed.parts), *descriptor = ch_text_copy(p.descriptor), *rest = words;
    bool well = k && words && descriptor;
    for (char *word; well && (word = strtok_r(NULL, " ", &rest));) well = k->parts < MOST_PARTS && read_part(&k->part[k->parts++], word, descriptor);
    free(words);
    free(descriptor);
    if (!well || !k->parts) { /* a damaged one: there is none that this agent wrote */
        free(k);
        return &nothing;
    }
    k->keys = (struct ch_keys){.first = slot, .top = p.keyed.top ? p.keyed.top : 1};
    k->keys.candidates = calloc(k->keys.top, sizeof *k->keys.candidates);
    return k;
}

static void prepare(JNIEnv *env) {
    const jvmtiCapabilities lines = {.can_get_line_numbers = 1};
    (*ch_jvmti)->AddCapabilities(ch_jvmti, &lines); /* without them, callers have no lines */
    told_keys = !pthread_key_create(&told_key, free);
    if (!ch_fields_prepare(env)) return;
    jclass c = (*env)->FindClass(env, "java/lang/Class");
    class_class = c ? (*env)->NewGlobalRef(env, c) : NULL;
    if (c) (*env)->DeleteLocalRef(env, c);
}

static __attribute__((noinline)) struct keyed *look_up(JNIEnv *env, uint32_t slot) {
    struct ch_region r;
    pthread_mutex_lock(&lock);
    if (!known && ch_region_memory(&r, ch_room.slots * sizeof *known)) {
        prepare(env);
        ch_store_release(&known, (struct keyed **)r.base);
    }
    if (known && !known[slot]) ch_store_release(&known[slot], read_keyed(slot));
    struct keyed *k = known ? known[slot] : &nothing;
    pthread_mutex_unlock(&lock);
    return k;
}

/* NULL: no such probe begins there. */
static inline struct keyed *keyed_of(JNIEnv *env, jint first) {
    if (!ch_slots_there(first, CH_KEYED_SLOTS)) return NULL;
    struct keyed **all = ch_load_acquire(&known), *k = all ? ch_load_acquire(&all[first]) : NULL;
    if (__builtin_expect(!k, 0)) k = look_up(env, (uint32_t)first);
    return k == &nothing ? NULL : k;
}

/* The same, and counts the call. */
static inline struct keyed *counted(JNIEnv *env, jint first) {
    struct keyed *k = keyed_of(env, first);
    ch_follow(env, NULL);
    if (k && !ch_self.silent) ch_block_add(ch_block_for_count(), first, CH_KEYED_CALLS, 1);
    if (!k && first >= 0) ch_block_add(&ch_shared, first, 0, 1); /* an unnumbered probe */
    return k;
}

/* ---- values as bytes */

static void add(struct bytes *to, const void *from, size_t n) {
    if (n > sizeof to->at - to->n) n = sizeof to->at - to->n;
    memcpy(to->at + to->n, from, n);
    to->n += (uint32_t)n;
}

static void add_number(struct bytes *to, char kind, uint64_t number) {
    add(to, &kind, 1);
    add(to, &number, sizeof number);
}

static void add_text(struct bytes *to, char kind, const void *text, uint32_t bytes) {
    add(to, &kind, 1);
    add(to, &bytes, sizeof bytes);
    add(to, text, bytes);
}

static void add_string(JNIEnv *env, struct bytes *to, char kind, jstring s) {
    jchar units[MOST_UNITS + 1];
    jsize n = s ? (*env)->GetStringLength(env, s) : 0, taken = n < MOST_UNITS ? n : MOST_UNITS;
    if (taken) (*env)->GetStringRegion(env, s, 0, taken, units);
    if (taken < n) units[taken++] = 0x2026; /* an ellipsis */
    add_text(to, kind, units, (uint32_t)taken * (uint32_t)sizeof *units);
}

static void add_class(struct bytes *to, jclass c) {
    char *signature = NULL;
    if ((*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) return;
    size_t n = strlen(signature);
    add_text(to, CLASS_NAME, signature, (uint32_t)(n < MOST_NAME ? n : MOST_NAME));
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
}

static void add_object(JNIEnv *env, struct bytes *to, jobject o) {
    if (class_class && (*env)->IsInstanceOf(env, o, class_class)) {
        add_class(to, o);
        return;
    }
    jclass c = (*env)->GetObjectClass(env, o);
    add_class(to, c);
    (*env)->DeleteLocalRef(env, c);
}

static void add_value(JNIEnv *env, struct bytes *to, const struct ch_value_seen *v) {
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

static void add_thread(JNIEnv *env, struct bytes *to) {
    jvmtiThreadInfo info = {0};
    if ((*ch_jvmti)->GetThreadInfo(ch_jvmti, NULL, &info)) return;
    size_t n = info.name ? strlen(info.name) : 0;
    add_text(to, THREAD_NAME, info.name, (uint32_t)(n < MOST_NAME ? n : MOST_NAME));
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)info.name);
    if (info.thread_group) (*env)->DeleteLocalRef(env, info.thread_group);
    if (info.context_class_loader) (*env)->DeleteLocalRef(env, info.context_class_loader);
}

static void add_stack(struct bytes *to, uint32_t frames) {
    jvmtiFrameInfo info[MOST_FRAMES] = {0}; /* its padding, too: keys are compared by bytes */
    jint n = 0;
    if ((*ch_jvmti)->GetStackTrace(ch_jvmti, NULL, HIDDEN, (jint)frames, info, &n)) n = 0;
    add_text(to, STACK, info, (uint32_t)n * (uint32_t)sizeof *info);
}

static void add_part(JNIEnv *env, struct bytes *to, const struct part *p, jobject root) {
    struct ch_value_seen v;
    switch (p->what) {
    case THREAD_NAME: add_thread(env, to); return;
    case STACK: add_stack(to, p->frames); return;
    default: break;
    }
    v = p->way.steps ? ch_value_from(env, root, &p->way, NULL) : ch_typed_seen(env, root, p->letter);
    add_value(env, to, &v);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env);
}

/* ---- keys as text */

struct text {
    char *to;
    size_t n, room;
};

static void write(struct text *t, const char *from, size_t n) {
    if (n > t->room - t->n) n = t->room - t->n;
    memcpy(t->to + t->n, from, n);
    t->n += n;
}

/* UTF-16 as UTF-8; half of a pair as three bytes, as Python's surrogatepass has it. */
static void write_units(struct text *t, const unsigned char *from, uint32_t bytes) {
    for (uint32_t i = 0; i + 1 < bytes; i += 2) {
        uint32_t u = (uint32_t)from[i] | (uint32_t)from[i + 1] << 8, low = i + 3 < bytes ? (uint32_t)from[i + 2] | (uint32_t)from[i + 3] << 8 : 0;
        char c[4];
        size_t n = 1;
        if (u >= 0xD800 && u < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
            u = 0x10000 + ((u - 0xD800) << 10) + (low - 0xDC00);
            i += 2;
        }
        if (u < 0x80) {
            c[0] = (char)u;
        } else if (u < 0x800) {
            c[0] = (char)(0xC0 | u >> 6);
            c[1] = (char)(0x80 | (u & 63));
            n = 2;
        } else if (u < 0x10000) {
            c[0] = (char)(0xE0 | u >> 12);
            c[1] = (char)(0x80 | (u >> 6 & 63));
            c[2] = (char)(0x80 | (u & 63));
            n = 3;
        } else {
            c[0] = (char)(0xF0 | u >> 18);
            c[1] = (char)(0x80 | (u >> 12 & 63));
            c[2] = (char)(0x80 | (u >> 6 & 63));
            c[3] = (char)(0x80 | (u & 63));
            n = 4;
        }
        write(t, c, n);
    }
}

static void write_name(struct text *t, const char *from, size_t n) {
    size_t at = t->n;
    write(t, from, n);
    for (; at < t->n; at++)
        if (t->to[at] == '/') t->to[at] = '.';
}

static void write_class(struct text *t, const char *signature, size_t n) {
    static const char *const primitives[][2] = {{"Z", "boolean"}, {"B", "byte"},  {"C", "char"},   {"S", "short"}, {"I", "int"},
                                                {"J", "long"},    {"F", "float"}, {"D", "double"}, {"V", "void"}};
    size_t arrays = 0;
    while (arrays < n && signature[arrays] == '[') arrays++;
    const char *name = signature + arrays;
    size_t bytes = n - arrays;
    if (bytes > 2 && *name == 'L') name++, bytes -= 2;
    for (size_t i = 0; bytes == 1 && i < sizeof primitives / sizeof *primitives; i++)
        if (*primitives[i][0] == *name) name = primitives[i][1], bytes = strlen(name);
    write_name(t, name, bytes);
    while (arrays--) write(t, "[]", 2);
}

static void write_frame(struct text *t, const jvmtiFrameInfo *frame) {
    jclass c = NULL;
    char *name = NULL, *signature = NULL, line[16];
    jvmtiLineNumberEntry *table = NULL;
    jint n = 0;
    if ((*ch_jvmti)->GetMethodName(ch_jvmti, frame->method, &name, NULL, NULL) || (*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, frame->method, &c) ||
        (*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL)) {
        write(t, "?", 1);
    } else {
        write_class(t, signature, strlen(signature));
        write(t, ".", 1);
        write(t, name, strlen(name));
        if (!(*ch_jvmti)->GetLineNumberTable(ch_jvmti, frame->method, &n, &table)) {
            jint at = ch_line_at(table, n, frame->location);
            if (at > 0) write(t, line, (size_t)snprintf(line, sizeof line, ":%d", at));
        }
    }
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)name);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)table);
}

static void write_stack(struct text *t, const unsigned char *from, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i += (uint32_t)sizeof(jvmtiFrameInfo)) {
        jvmtiFrameInfo frame;
        memcpy(&frame, from + i, sizeof frame);
        if (i) write(t, " < ", 3);
        write_frame(t, &frame);
    }
}

static void write_number(struct text *t, char kind, uint64_t number) {
    char c[32];
    double real;
    memcpy(&real, &number, sizeof real);
    int n = 0;
    switch (kind) {
    case CH_VALUE_NULL: n = snprintf(c, sizeof c, "null"); break;
    case CH_VALUE_BOOLEAN: n = snprintf(c, sizeof c, "%s", number ? "true" : "false"); break;
    case CH_VALUE_CHAR: write_units(t, (const unsigned char *)&number, 2); return;
    case CH_VALUE_INT: n = snprintf(c, sizeof c, "%lld", (long long)number); break;
    case CH_VALUE_FLOAT:
    case CH_VALUE_DOUBLE: n = snprintf(c, sizeof c, "%g", real); break;
    default: n = snprintf(c, sizeof c, "unknown");
    }
    write(t, c, (size_t)n);
}

static bool is_text(char kind) {
    return kind == CH_VALUE_STRING || kind == CH_VALUE_ENUM || kind == CLASS_NAME || kind == THREAD_NAME || kind == STACK;
}

static size_t text_of(const struct ch_keys *of, const void *key, uint32_t bytes, char *to, size_t room) {
    struct text t = {to, 0, room};
    const unsigned char *at = key, *end = at + bytes;
    (void)of;
    while (at + 1 + sizeof(uint32_t) <= end) {
        char kind = (char)*at++;
        uint64_t number = 0;
        uint32_t n = 0;
        if (at != (const unsigned char *)key + 1) write(&t, ", ", 2);
        if (!is_text(kind)) {
            memcpy(&number, at, (size_t)(end - at) < sizeof number ? (size_t)(end - at) : sizeof number);
            at += sizeof number;
            write_number(&t, kind, number);
            continue;
        }
        memcpy(&n, at, sizeof n);
        at += sizeof n;
        if (n > (size_t)(end - at)) n = (uint32_t)(end - at);
        if (kind == STACK)
            write_stack(&t, at, n);
        else if (kind == CLASS_NAME)
            write_class(&t, (const char *)at, n);
        else if (kind == THREAD_NAME)
            write(&t, (const char *)at, n);
        else if (n)
            write_units(&t, at, n);
        else
            write(&t, "\"\"", 2); /* no key is an empty text */
        at += n;
    }
    return t.n;
}

/* ---- the natives */

static struct told *told_of(const struct keyed *k) {
    if (!told_keys) return NULL;
    struct told *told = pthread_getspecific(told_key);
    if (!told && (told = calloc(1, sizeof *told)) && pthread_setspecific(told_key, told)) {
        free(told);
        return NULL;
    }
    if (told && told->of != k) *told = (struct told){.of = k};
    return told;
}

JNIEXPORT void JNICALL Java_java_lang_ClasshookTracker_keyPart(JNIEnv *env, jclass c, jobject root, jint first) {
    (void)c;
    struct keyed *k = keyed_of(env, first);
    struct told *told = k ? told_of(k) : NULL;
    if (!told || told->parts + 1 >= k->parts) return;
    add_part(env, &told->bytes, &k->part[told->parts++], root);
}

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_key(JNIEnv *env, jclass c, jobject root, jint first) {
    struct bytes own;
    (void)c;
    struct keyed *k = counted(env, first);
    if (!k) return first + CH_KEYED_OTHERS;
    if (k->parts == 1) {
        own.n = 0;
        add_part(env, &own, k->part, root);
        return (jint)ch_key_slot(&k->keys, own.at, own.n, text_of);
    }
    struct told *told = told_of(k);
    if (!told || told->parts + 1 != k->parts) return first + CH_KEYED_OTHERS;
    add_part(env, &told->bytes, &k->part[told->parts], root);
    told->of = NULL;
    return (jint)ch_key_slot(&k->keys, told->bytes.at, told->bytes.n, text_of);
}

static char kind_of(char letter) { return letter == 'Z' ? CH_VALUE_BOOLEAN : letter == 'C' ? CH_VALUE_CHAR : CH_VALUE_INT; }

JNIEXPORT jint JNICALL Java_java_lang_ClasshookTracker_keyNumber(JNIEnv *env, jclass c, jlong number, jint first) {
    struct {
        char kind;
        char number[sizeof number];
    } key;
    (void)c;
    struct keyed *k = counted(env, first);
    if (!k) return first + CH_KEYED_OTHERS;
    key.kind = kind_of(k->part[0].letter);
    memcpy(key.number, &number, sizeof number);
    return (jint)ch_key_slot_of_number(&k->keys, &key, sizeof key, (uint64_t)number, text_of);
}
