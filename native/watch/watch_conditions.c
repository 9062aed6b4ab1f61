/* The rest of conditions, once a method's own code has said that they may hold.
 *
 * 1. Any comparison with what is no value is false.
 * 2. Numbers are compared as such, whatever their types; a constant of an enum is compared with a string by its name.
 */
#include "watch.h"
#include <stdlib.h>
#include <string.h>

enum { PART = 256 /* units of a string that are compared at once */, OF_AN_ELEMENT = 64 /* references */ };

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
    if (ch_is_whole(a->kind) && ch_is_whole(b->kind))
        return ordered(op, (a->number > b->number) - (a->number < b->number), true);
    /* wide enough for a long, too */
    long double x = ch_is_whole(a->kind) ? (long double)a->number : (long double)a->real,
                y = ch_is_whole(b->kind) ? (long double)b->number : (long double)b->real;
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
    if (ch_is_none(v)) return false;
    if (v->kind == CH_VALUE_NULL || c->kind == CH_VALUE_NULL) return equal_or_not(op, v->kind == c->kind);
    if (c->kind == CH_VALUE_STRING) {
        if (v->kind == CH_VALUE_CHAR) return equal_or_not(op, c->units == 1 && *c->text == (jchar)v->number);
        jstring text = text_of(env, v);
        return text && equal_or_not(op, has_units(env, text, c->text, c->units));
    }
    if (c->kind == CH_VALUE_BOOLEAN) return v->kind == CH_VALUE_BOOLEAN && equal_or_not(op, v->number == c->number);
    return ch_is_number(v->kind) && numbers_hold(op, v, &other);
}

/* Compares like Java's `==`, which compares the contents of value objects: with Java code, which is not counted. */
static bool same_object(JNIEnv *env, jobject a, jobject b) {
    struct ch_silence silence = {0};
    if (!ch_is_value(env, a) || !ch_is_value(env, b)) return (*env)->IsSameObject(env, a, b);
    ch_silence(env, &silence);
    bool same = (*env)->IsSameObject(env, a, b);
    if ((*env)->ExceptionCheck(env)) (*env)->ExceptionClear(env); /* the stack is too small for what is in them */
    ch_silence_end(env, &silence);
    return same;
}

static bool with_other(JNIEnv *env, char op, const struct ch_value_seen *a, const struct ch_value_seen *b) {
    if (ch_is_none(a) || ch_is_none(b)) return false;
    if (a->kind == CH_VALUE_NULL || b->kind == CH_VALUE_NULL) return equal_or_not(op, a->kind == b->kind);
    if (ch_is_number(a->kind) && ch_is_number(b->kind)) return numbers_hold(op, a, b);
    if (a->kind == CH_VALUE_BOOLEAN && b->kind == CH_VALUE_BOOLEAN) return equal_or_not(op, a->number == b->number);
    if (ch_is_number(a->kind) || ch_is_number(b->kind) || a->kind == CH_VALUE_BOOLEAN || b->kind == CH_VALUE_BOOLEAN)
        return false;
    if (a->object && b->object && text_of(env, a) && text_of(env, b))
        return equal_or_not(op, same_text(env, text_of(env, a), text_of(env, b)));
    return a->object && b->object && equal_or_not(op, same_object(env, a->object, b->object));
}

/* ---- patterns and types */

/* Greedy, with the last `*` as the place to go back to: at most as many steps as the text is long times the pattern. */
static bool matches(const jchar *text, size_t n, const jchar *pattern, size_t m) {
    size_t at = 0, p = 0, star = m, from = 0;
    while (at < n) {
        if (p < m && pattern[p] == CH_ANY_UNITS) {
            star = p++;
            from = at;
        } else if (p < m && pattern[p] == text[at]) {
            p++;
            at++;
        } else if (star < m) {
            p = star + 1;
            at = ++from;
        } else {
            return false;
        }
    }
    while (p < m && pattern[p] == CH_ANY_UNITS) p++;
    return p == m;
}

static bool text_matches(JNIEnv *env, jstring text, const struct ch_constant *c) {
    jchar part[PART], *units = part;
    jsize n = (*env)->GetStringLength(env, text);
    if (n > PART && !(units = malloc((size_t)n * sizeof *units))) return false;
    (*env)->GetStringRegion(env, text, 0, n, units);
    bool yes = matches(units, (size_t)n, c->text, c->units);
    if (units != part) free(units);
    return yes;
}

/* Null matches no pattern and is of no type. An absent value is neither of a type nor not of it. */
static bool has_pattern(JNIEnv *env, const struct ch_value_seen *v, const struct ch_condition *c) {
    jstring text = v->object ? text_of(env, v) : NULL;
    if (!text) return v->kind == CH_VALUE_NULL && c->op == '^';
    return text_matches(env, text, &c->right.constant) == (c->op == '~');
}

static bool has_type(JNIEnv *env, const struct ch_value_seen *v, jobject object, struct ch_step *type, char op) {
    if (ch_is_none(v)) return false;
    return (object && ch_is_instance(env, object, type)) == (op == 't');
}

/* ---- elements */

struct of_elements {
    const struct ch_activation *a;
    struct ch_condition *inner;
    bool all, held; /* `held`: of the last one */
};

static bool look_at(void *data, const struct ch_value_seen *element) {
    struct of_elements *e = data;
    struct ch_activation of = *e->a;
    of.element = element;
    e->held = false;
    if (!ch_local_frame(of.env, OF_AN_ELEMENT)) return false;
    e->held = ch_condition_holds(&of, e->inner);
    (*of.env)->PopLocalFrame(of.env, NULL);
    return e->held == e->all;
}

/* Returns whether a condition holds for some element, or for all. It holds for neither if the elements are unknown, or
 * if too few of them could be looked at to tell. */
static bool elements_hold(const struct ch_activation *a, struct ch_condition *c) {
    struct ch_value_seen of = ch_operand_value(a, &c->left);
    struct of_elements e = {.a = a, .inner = c->first, .all = c->op == 'A'};
    if (!of.object || (of.kind != CH_VALUE_OBJECT && of.kind != CH_VALUE_ARRAY)) return false;
    enum ch_walked walked = ch_walk_elements(a->env, of.object, &c->each, look_at, &e);
    return e.all ? walked == CH_WALKED : walked == CH_WALK_STOPPED && e.held;
}

bool ch_condition_holds(const struct ch_activation *a, struct ch_condition *c) {
    if (c->op == 'E' || c->op == 'A') return elements_hold(a, c);
    if (c->op == '&') return ch_condition_holds(a, c->first) && ch_condition_holds(a, c->second);
    if (c->op == '|') return ch_condition_holds(a, c->first) || ch_condition_holds(a, c->second);
    struct ch_value_seen left = ch_operand_value(a, &c->left);
    if (c->op == '~' || c->op == '^') return has_pattern(a->env, &left, c);
    if (c->op == 't' || c->op == 'T') return has_type(a->env, &left, left.object, &c->type, c->op);
    if (c->right.op == CH_OPERAND_CONSTANT) return with_constant(a->env, c->op, &left, &c->right.constant);
    struct ch_value_seen right = ch_operand_value(a, &c->right);
    return with_other(a->env, c->op, &left, &right);
}
