/* The record of a watched call in the data file: written on the call's own thread, into a buffer, then appended
 * under a lock.
 *
 * Strings are cut at 200 characters, arrays after ten elements; what an array of arrays has is not shown. A region that
 * is full loses what comes.
 */
#include "../contexts/attribution.h"
#include "watch.h"
#include <pthread.h>
#include <string.h>

enum {
    ROOM = 16384,
    UNITS = 200,
    ELEMENTS = 10,
    OWN_FRAMES = 3 /* the native, the tracker's method, and the watched one */
};
#define MOST ((size_t)64 << 20)
#define MOST_WITH_LIMIT ((size_t)4 << 20) /* of the address space */

static struct ch_region region;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct buffer {
    uint8_t bytes[ROOM];
    size_t n;
};

static struct ch_watched_head *head(void) { return (struct ch_watched_head *)region.base; }

bool ch_records_start(void) {
    if (region.base) return true;
    ch_lock();
    bool there = ch_region_open(&region, CH_WATCHED, 0, ch_room.limit ? MOST_WITH_LIMIT : MOST, 0);
    ch_unlock();
    if (there) head()->used = sizeof(struct ch_watched_head);
    return there;
}

/* ---- values */

static bool has_room(const struct buffer *b, size_t n) { return b->n + n + 1 <= ROOM; } /* one more, for a mark */

static void put(struct buffer *b, const void *p, size_t n) {
    memcpy(b->bytes + b->n, p, n);
    b->n += n;
}

static void put_kind(struct buffer *b, char kind) {
    if (b->n < ROOM) b->bytes[b->n++] = (uint8_t)kind;
}

static void put_number(struct buffer *b, char kind, const void *p, size_t n) {
    if (!has_room(b, n + 1)) {
        put_kind(b, CH_VALUE_NONE);
        return;
    }
    put_kind(b, kind);
    put(b, p, n);
}

static void put_string(JNIEnv *env, struct buffer *b, char kind, jstring text) {
    uint32_t units = text ? (uint32_t)(*env)->GetStringLength(env, text) : 0, kept = units < UNITS ? units : UNITS;
    jchar part[UNITS];
    if (!text || !has_room(b, 1 + 2 * sizeof units + kept * sizeof *part)) {
        put_kind(b, text ? CH_VALUE_NONE : CH_VALUE_NULL);
        return;
    }
    (*env)->GetStringRegion(env, text, 0, (jsize)kept, part);
    if (kept < units && kept && (part[kept - 1] & 0xFC00) == 0xD800) kept--; /* no half of a pair at the end */
    put_kind(b, kind);
    put(b, &units, sizeof units);
    put(b, &kept, sizeof kept);
    put(b, part, kept * sizeof *part);
}

static bool put_text(struct buffer *b, char kind, const char *text) {
    size_t length = strlen(text);
    uint16_t n = (uint16_t)(length < 1024 ? length : 1024);
    if (!has_room(b, 1 + sizeof n + n)) {
        put_kind(b, CH_VALUE_NONE);
        return false;
    }
    put_kind(b, kind);
    put(b, &n, sizeof n);
    put(b, text, n);
    return true;
}

/* The name of a class, as a signature. */
static bool put_class_name(struct buffer *b, char kind, jclass c, char *element) {
    char *signature = NULL;
    bool known = !(*ch_jvmti)->GetClassSignature(ch_jvmti, c, &signature, NULL);
    if (known && element) *element = signature[1];
    bool there = put_text(b, kind, known ? signature : "");
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)signature);
    return there;
}

static bool put_class(JNIEnv *env, struct buffer *b, char kind, jobject o, char *element) {
    jclass c = (*env)->GetObjectClass(env, o);
    bool there = put_class_name(b, kind, c, element);
    (*env)->DeleteLocalRef(env, c);
    return there;
}

static void put_value(JNIEnv *env, struct buffer *b, const struct ch_value_seen *v, bool inside);

static void put_number_of(struct buffer *b, char kind, int64_t n) { put_number(b, kind, &n, sizeof n); }
static void put_real(struct buffer *b, char kind, double n) { put_number(b, kind, &n, sizeof n); }

static void put_element(JNIEnv *env, struct buffer *b, jarray a, char letter, jsize i) {
    jvalue e;
    switch (letter) {
    case 'Z':
        (*env)->GetBooleanArrayRegion(env, a, i, 1, &e.z);
        put_number(b, CH_VALUE_BOOLEAN, &e.z, 1);
        return;
    case 'B':
        (*env)->GetByteArrayRegion(env, a, i, 1, &e.b);
        put_number_of(b, CH_VALUE_INT, e.b);
        return;
    case 'C':
        (*env)->GetCharArrayRegion(env, a, i, 1, &e.c);
        put_number(b, CH_VALUE_CHAR, &e.c, sizeof e.c);
        return;
    case 'S':
        (*env)->GetShortArrayRegion(env, a, i, 1, &e.s);
        put_number_of(b, CH_VALUE_INT, e.s);
        return;
    case 'I':
        (*env)->GetIntArrayRegion(env, a, i, 1, &e.i);
        put_number_of(b, CH_VALUE_INT, e.i);
        return;
    case 'J':
        (*env)->GetLongArrayRegion(env, a, i, 1, &e.j);
        put_number_of(b, CH_VALUE_INT, e.j);
        return;
    case 'F':
        (*env)->GetFloatArrayRegion(env, a, i, 1, &e.f);
        put_real(b, CH_VALUE_FLOAT, (double)e.f);
        return;
    case 'D':
        (*env)->GetDoubleArrayRegion(env, a, i, 1, &e.d);
        put_real(b, CH_VALUE_DOUBLE, e.d);
        return;
    default: break;
    }
    jobject o = (*env)->GetObjectArrayElement(env, a, i);
    struct ch_value_seen v = ch_object_seen(env, o);
    put_value(env, b, &v, true);
    if (o) (*env)->DeleteLocalRef(env, o);
}

static void put_array(JNIEnv *env, struct buffer *b, jarray a, bool inside) {
    char element = 'L';
    uint32_t length = (uint32_t)(*env)->GetArrayLength(env, a), kept = inside              ? 0
                                                                       : length < ELEMENTS ? length
                                                                                           : ELEMENTS;
    size_t before = b->n;
    if (!put_class(env, b, CH_VALUE_ARRAY, a, &element)) return;
    if (!has_room(b, 2 * sizeof kept + kept)) { /* each takes one byte at least */
        b->n = before;
        put_kind(b, CH_VALUE_NONE);
        return;
    }
    put(b, &length, sizeof length);
    put(b, &kept, sizeof kept);
    for (uint32_t i = 0; i < kept; i++) put_element(env, b, a, element, (jsize)i);
}

static void put_value(JNIEnv *env, struct buffer *b, const struct ch_value_seen *v, bool inside) {
    uint8_t truth = v->number != 0;
    jchar unit = (jchar)v->number;
    switch (v->kind) {
    case CH_VALUE_INT: put_number(b, v->kind, &v->number, sizeof v->number); return;
    case CH_VALUE_DOUBLE:
    case CH_VALUE_FLOAT: put_number(b, v->kind, &v->real, sizeof v->real); return;
    case CH_VALUE_BOOLEAN: put_number(b, v->kind, &truth, 1); return;
    case CH_VALUE_CHAR: put_number(b, v->kind, &unit, sizeof unit); return;
    case CH_VALUE_STRING: put_string(env, b, v->kind, v->object); return;
    case CH_VALUE_ENUM: put_string(env, b, v->kind, ch_name_of_enum(env, v->object)); return;
    case CH_VALUE_OBJECT:
        if (v->of)
            put_class_name(b, v->kind, v->of, NULL);
        else
            put_class(env, b, v->kind, v->object, NULL);
        return;
    case CH_VALUE_ARRAY: put_array(env, b, v->object, inside); return;
    default: put_kind(b, v->kind);
    }
}

/* ---- records */

static void put_thread(JNIEnv *env, struct buffer *b) {
    jvmtiThreadInfo info = {0};
    if ((*ch_jvmti)->GetThreadInfo(ch_jvmti, NULL, &info)) {
        put_kind(b, CH_VALUE_NONE);
        return;
    }
    put_text(b, CH_VALUE_OBJECT, info.name ? info.name : "");
    (*ch_jvmti)->Deallocate(ch_jvmti, (unsigned char *)info.name);
    if (info.thread_group) (*env)->DeleteLocalRef(env, info.thread_group);
    if (info.context_class_loader) (*env)->DeleteLocalRef(env, info.context_class_loader);
}

static void put_thrown(const struct ch_activation *a, struct buffer *b) {
    static struct ch_step message = {.name = "detailMessage"};
    put_class(a->env, b, CH_VALUE_OBJECT, a->value, NULL);
    struct ch_value_seen v = a->watch->secret_exception ? (struct ch_value_seen){.kind = CH_VALUE_MASKED}
                                                        : ch_field_value(a->env, a->value, &message, NULL);
    put_value(a->env, b, &v, true);
}

static void append(const struct buffer *b) {
    pthread_mutex_lock(&lock);
    uint64_t at = head()->used;
    if (at + b->n <= region.bytes) {
        memcpy(region.base + at, b->bytes, b->n);
        ch_store_release(&head()->used, at + b->n); /* a reader may look at any time */
    } else {
        head()->lost++;
    }
    pthread_mutex_unlock(&lock);
}

void ch_record_add(const struct ch_activation *a, uint32_t slot, uint64_t took_ns) {
    struct buffer b;
    struct ch_watched record = {
        .slot = slot, .ended_ns = ch_monotonic_ns() - ch_header->first_ns, .took_ns = took_ns, .threw = a->threw};
    record.span = ch_current_span(a->env);
    if (a->watch->frames || ch_scope_slot() || ch_wanted.threads_named)
        record.stack = ch_trace_callers(a->env, OWN_FRAMES, a->watch->frames);
    b.n = sizeof record;
    put_thread(a->env, &b);
    if (a->threw) put_thrown(a, &b);
    for (uint32_t i = 0; i < a->watch->ways; i++) {
        const struct ch_way *way = &a->watch->way[i];
        struct ch_value_seen v = way->masked ? (struct ch_value_seen){.kind = CH_VALUE_MASKED} : ch_way_value(a, way);
        put_value(a->env, &b, &v, false);
    }
    while (b.n % 8 && b.n < ROOM) b.bytes[b.n++] = 0;
    record.bytes = (uint32_t)b.n;
    memcpy(b.bytes, &record, sizeof record);
    append(&b);
}
