/* Keys as text. Two keys of a rule have different texts, or their rows would be added up.
 *
 * 1. A string is in quotes if it is empty, as no key is, or `null`, in quotes or not.
 * 2. Several values have ", " between them. One that contains it, or begins with a quote, is in quotes, and a quote in
 *    it is doubled.
 */
#include "../base/jvm_facts.h"
#include "keys.h"
#include <stdio.h>
#include <string.h>

enum { BEFORE_TEXT = 1 + sizeof(uint32_t) };

struct text {
    char *to;
    size_t n, room;
    bool several; /* values are in the key */
};

static void write(struct text *t, const char *from, size_t n) {
    if (n > t->room - t->n) n = t->room - t->n;
    memcpy(t->to + t->n, from, n);
    t->n += n;
}

/* UTF-16 as UTF-8; half of a pair as three bytes, as Python's surrogatepass has it. */
static void write_units(struct text *t, const unsigned char *from, uint32_t bytes) {
    for (uint32_t i = 0; i + 1 < bytes; i += 2) {
        uint32_t u = (uint32_t)from[i] | (uint32_t)from[i + 1] << 8,
                 low = i + 3 < bytes ? (uint32_t)from[i + 2] | (uint32_t)from[i + 3] << 8 : 0;
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
    static const char *const primitives[][2] = {{"Z", "boolean"}, {"B", "byte"},   {"C", "char"},
                                                {"S", "short"},   {"I", "int"},    {"J", "long"},
                                                {"F", "float"},   {"D", "double"}, {"V", "void"}};
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
    if ((*ch_jvmti)->GetMethodName(ch_jvmti, frame->method, &name, NULL, NULL) ||
        (*ch_jvmti)->GetMethodDeclaringClass(ch_jvmti, frame->method, &c) ||
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
    return kind == CH_VALUE_STRING || kind == CH_VALUE_ENUM || kind == CH_KEY_CLASS || kind == CH_KEY_THREAD ||
           kind == CH_KEY_STACK;
}

static void write_value(struct text *t, const unsigned char *at, uint32_t bytes) {
    char kind = (char)*at;
    uint64_t number = 0;
    if (!is_text(kind)) {
        memcpy(&number, at + 1, bytes - 1 < sizeof number ? bytes - 1 : sizeof number);
        write_number(t, kind, number);
        return;
    }
    at += BEFORE_TEXT;
    bytes -= BEFORE_TEXT;
    if (kind == CH_KEY_STACK)
        write_stack(t, at, bytes);
    else if (kind == CH_KEY_CLASS)
        write_class(t, (const char *)at, bytes);
    else if (kind == CH_KEY_THREAD)
        write(t, (const char *)at, bytes);
    else
        write_units(t, at, bytes);
}

/* True if what was written from `start` on would be mistaken without quotes. */
static bool is_ambiguous(const struct text *t, size_t start, char kind) {
    const char *at = t->to + start;
    size_t n = t->n - start;
    if (t->several && n && (*at == '"' || memmem(at, n, ", ", 2))) return true;
    if (kind != CH_VALUE_STRING && kind != CH_VALUE_ENUM) return false;
    for (; n > 1 && *at == '"' && at[n - 1] == '"'; n -= 2) at++;
    return !n || (n == 4 && !memcmp(at, "null", 4));
}

static void put_in_quotes(struct text *t, size_t start) {
    char copy[CH_KEY_BYTES];
    size_t n = t->n - start < sizeof copy ? t->n - start : sizeof copy;
    memcpy(copy, t->to + start, n);
    t->n = start;
    write(t, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        if (t->several && copy[i] == '"') write(t, "\"", 1);
        write(t, copy + i, 1);
    }
    write(t, "\"", 1);
}

/* The size of the value at `at`, at most up to `end`: a key may be cut. */
static uint32_t bytes_of(const unsigned char *at, const unsigned char *end) {
    uint32_t text = 0, left = (uint32_t)(end - at) - BEFORE_TEXT;
    if (is_text((char)*at))
        memcpy(&text, at + 1, sizeof text);
    else
        text = 1 + sizeof(uint64_t) - BEFORE_TEXT;
    return BEFORE_TEXT + (text < left ? text : left);
}

size_t ch_key_text(const void *key, uint32_t bytes, char *to, size_t room) {
    struct text t = {to, 0, room, false};
    const unsigned char *at = key, *end = at + bytes;
    uint32_t n;
    for (; at + BEFORE_TEXT <= end; at += n) {
        n = bytes_of(at, end);
        t.several |= at + n < end;
        if (at != key) write(&t, ", ", 2);
        size_t start = t.n;
        write_value(&t, at, n);
        if (is_ambiguous(&t, start, (char)*at)) put_in_quotes(&t, start);
    }
    return t.n;
}
