/* What is at the end of a way, and what is left of conditions once a method's own code has said that they may hold.
 *
 * 1. A null on a way is its value. A field that an object does not have is no value; any comparison with it is false.
 * 2. Numbers are compared as such, whatever their types; a constant of an enum is compared with a string by its name.
 */
#include "watch.h"
#include <string.h>

enum { PART = 256 /* units of a string that are compared at once */ };

static const struct ch_value_seen none = {.kind = CH_VALUE_NONE}, unset = {.kind = CH_VALUE_UNSET};

static bool is_none(const struct ch_value_seen *v) { return v->kind == CH_VALUE_NONE || v->kind == CH_VALUE_UNSET; }

static struct ch_value_seen number(int64_t n) { return (struct ch_value_seen){.kind = CH_VALUE_INT, .number = n, .real = (double)n}; }

/* The object at a root, and its type's letter. False: there is nothing. */
static bool root_object(const struct ch_activation *a, int root, jobject *object, char *letter) {
    JNIEnv *env = a->env;
    *letter = 'L';
    if (root == CH_ROOT_RESULT) {
        *letter = a->watch->result;
        *object = a->value;
        return a->ended && !a->threw && *letter != 'V';
    }
    if (root == CH_ROOT_EXCEPTION) {
        *object = a->threw ? a->value : NULL;
        return true;
    }
    if (root >= 0 && (uint32_t)root >= a->watch->arguments) return false;
    if (root >= 0) *letter = a->watch->types[root];
    *object = (*env)->GetObjectArrayElement(env, a->kept, root == CH_ROOT_THIS ? 0 : root + 1);
    return true;
}

static struct ch_value_seen length_of(JNIEnv *env, const struct ch_value_seen *v) {
    if (v->kind == CH_VALUE_ARRAY) return number((*env)->GetArrayLength(env, v->object));
    return v->kind == CH_VALUE_STRING ? number((*env)->GetStringLength(env, v->object)) : none;
}

static struct ch_value_seen step_from(JNIEnv *env, const struct ch_value_seen *v, struct ch_step *step, const char *first) {
    if (v->kind == CH_VALUE_NULL) return *v;
    if (!strcmp(step->name, "length")) {
        struct ch_value_seen known = ch_object_seen(env, v->object), length = length_of(env, &known);
        if (length.kind != CH_VALUE_NONE) return length;
    }
    return v->object && v->kind != CH_VALUE_ARRAY ? ch_field_value(env, v->object, step, first) : none;
}

struct ch_value_seen ch_value_from(JNIEnv *env, jobject root, const struct ch_way *way, const char *first) {
    if (!way->steps) return ch_object_seen(env, root);
    struct ch_value_seen v = {.kind = root ? CH_VALUE_OBJECT : CH_VALUE_NULL, .object = root}; /* what kind of object is not asked on the way */
    for (uint32_t i = 0; i < way->steps; i++) v = step_from(env, &v, &way->step[i], i ? NULL : first);
    return v;
}

struct ch_value_seen ch_way_value(const struct ch_activation *a, const struct ch_way *way) {
    jobject object = NULL;
    char letter;
    if (!root_object(a, way->root, &object, &letter)) return none;
    if (object && (*a->env)->IsSameObject(a->env, object, a->kept)) return unset; /* the code of a line says so */
    if (!way->steps) return ch_typed_seen(a->env, object, letter);
    return ch_value_from(a->env, object, way, way->root == CH_ROOT_THIS ? a->watch->class_name : NULL);
}

/* ---- comparisons */

static bool is_number(char kind) { return kind == CH_VALUE_INT || kind == CH_VALUE_DOUBLE || kind == CH_VALUE_FLOAT || kind == CH_VALUE_CHAR; }
static bool is_whole(char kind) { return kind == CH_VALUE_INT || kind == CH_VALUE_CHAR; }

static bool ordered(char op, int less, bool comparable) {
    switch (op) {
    case '=': return comparable && !less;
    case '!': return !comparable || less;
    case '<': return comparable && less < 0;
    case 'l': return comparable && less <= 0;
    case '>': return comparable && less > 0;
    default: return comparable && less >= 0;
    }
}

static bool numbers_hold(char op, const struct ch_value_seen *a, const struct ch_value_seen *b) {
    if (is_whole(a->kind) && is_whole(b->kind)) return ordered(op, (a->number > b->number) - (a->number < b->number), true);
    /* wide enough for a long, too */
    long double x = is_whole(a->kind) ? (long double)a->number : (long double)a->real,
                y = is_whole(b->kind) ? (long double)b->number : (long double)b->real;
    return ordered(op, (x > y) - (x < y), x == x && y == y);
}

static jstring text_of(JNIEnv *env, const struct ch_value_seen *v) {
    return v->kind == CH_VALUE_STRING ? v->object : v->kind == CH_VALUE_ENUM ? ch_name_of_enum(env, v->object) : NULL;
}

static bool has_units(JNIEnv *env, jstring text, const jchar *units, uint32_t n) {
    jchar part[PART];
    if (!text || (uint32_t)(*env)->GetStringLength(env, text) != n) return false;
    for (uint32_t at = 0; at < n; at += PART) {
        uint32_t some = n - at < PART ? n - at : PART;
        (*env)->GetStringRegion(env, text, (jsize)at, (jsize)some, part);
        if (memcmp(part, units + at, some * sizeof *part)) return false;
    }
    return true;
}

static bool same_text(JNIEnv *env, jstring a, jstring b) {
    jchar part[PART], other[PART];
    jsize n = a && b ? (*env)->GetStringLength(env, a) : -1;
    if (n < 0 || (*env)->GetStringLength(env, b) != n) return false;
    for (jsize at = 0; at < n; at += PART) {
        jsize some = n - at < PART ? n - at : PART;
        (*env)->GetStringRegion(env, a, at, some, part);
        (*env)->GetStringRegion(env, b, at, some, other);
        if (memcmp(part, other, (size_t)some * sizeof *part)) return false;
    }
    return true;
}

static bool equal_or_not(char op, bool equal) { return op == '=' ? equal : op == '!' && !equal; }

static bool with_constant(JNIEnv *env, char op, const struct ch_value_seen *v, const struct ch_constant *c) {
    struct ch_value_seen other = {.kind = c->kind, .number = c->number, .real = c->real};
    if (is_none(v)) return false;
    if (v->kind == CH_VALUE_NULL || c->kind == CH_VALUE_NULL) return equal_or_not(op, v->kind == c->kind);
    if (c->kind == CH_VALUE_STRING) {
        if (v->kind == CH_VALUE_CHAR) return equal_or_not(op, c->units == 1 && *c->text == (jchar)v->number);
        jstring text = text_of(env, v);
        return text && equal_or_not(op, has_units(env, text, c->text, c->units));
    }
    if (c->kind == CH_VALUE_BOOLEAN) return v->kind == CH_VALUE_BOOLEAN && equal_or_not(op, v->number == c->number);
    return is_number(v->kind) && numbers_hold(op, v, &other);
}

static bool with_other(JNIEnv *env, char op, const struct ch_value_seen *a, const struct ch_value_seen *b) {
    if (is_none(a) || is_none(b)) return false;
    if (a->kind == CH_VALUE_NULL || b->kind == CH_VALUE_NULL) return equal_or_not(op, a->kind == b->kind);
    if (is_number(a->kind) && is_number(b->kind)) return numbers_hold(op, a, b);
    if (a->kind == CH_VALUE_BOOLEAN && b->kind == CH_VALUE_BOOLEAN) return equal_or_not(op, a->number == b->number);
    if (a->object && b->object && text_of(env, a) && text_of(env, b)) return equal_or_not(op, same_text(env, text_of(env, a), text_of(env, b)));
    return a->object && b->object && equal_or_not(op, (*env)->IsSameObject(env, a->object, b->object));
}

bool ch_condition_holds(const struct ch_activation *a, const struct ch_condition *c) {
    if (c->op == '&') return ch_condition_holds(a, c->first) && ch_condition_holds(a, c->second);
    if (c->op == '|') return ch_condition_holds(a, c->first) || ch_condition_holds(a, c->second);
    struct ch_value_seen left = ch_way_value(a, &c->left);
    if (!c->right) return with_constant(a->env, c->op, &left, &c->constant);
    struct ch_value_seen right = ch_way_value(a, c->right);
    return with_other(a->env, c->op, &left, &right);
}
