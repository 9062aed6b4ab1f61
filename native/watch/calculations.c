/* Numbers that are calculated of others, as Java does it.
 *
 * 1. Of whole numbers they are longs, which wrap around; with a real number, and by `/`, they are doubles.
 * 2. What is calculated of null is null. By what is no number, and by zero, there is none.
 */
#include "watch.h"

static const struct ch_value_seen none = {.kind = CH_VALUE_NONE};

static struct ch_value_seen whole(uint64_t n) {
    return (struct ch_value_seen){.kind = CH_VALUE_INT, .number = (int64_t)n, .real = (double)(int64_t)n};
}

static struct ch_value_seen real(double n) { return (struct ch_value_seen){.kind = CH_VALUE_DOUBLE, .real = n}; }

static struct ch_value_seen of_whole(char op, int64_t a, int64_t b) {
    switch (op) {
    case '+': return whole((uint64_t)a + (uint64_t)b);
    case '-': return whole((uint64_t)a - (uint64_t)b);
    case '*': return whole((uint64_t)a * (uint64_t)b);
    default: return b > 0 ? whole((uint64_t)(a % b)) : none;
    }
}

static struct ch_value_seen of_real(char op, double a, double b) {
    switch (op) {
    case '+': return real(a + b);
    case '-': return real(a - b);
    case '*': return real(a * b);
    case '/': return b < 0 || b > 0 || b != b ? real(a / b) : none;
    default: return none;
    }
}

static double real_of(const struct ch_value_seen *v) { return ch_is_whole(v->kind) ? (double)v->number : v->real; }

static struct ch_value_seen calculated(char op, const struct ch_value_seen *a, const struct ch_value_seen *b) {
    if (a->kind == CH_VALUE_NULL || b->kind == CH_VALUE_NULL) {
        const struct ch_value_seen *other = a->kind == CH_VALUE_NULL ? b : a;
        return other->kind == CH_VALUE_NONE || other->kind == CH_VALUE_UNSET
                   ? none
                   : (struct ch_value_seen){.kind = CH_VALUE_NULL};
    }
    if (!ch_is_number(a->kind) || !ch_is_number(b->kind)) return none;
    if (op != '/' && ch_is_whole(a->kind) && ch_is_whole(b->kind)) return of_whole(op, a->number, b->number);
    return of_real(op, real_of(a), real_of(b));
}

struct ch_value_seen ch_operand_value(const struct ch_activation *a, const struct ch_operand *o) {
    if (o->op == CH_OPERAND_WAY) return ch_way_value(a, &o->way);
    if (o->op == CH_OPERAND_CONSTANT)
        return (struct ch_value_seen){.kind = o->constant.kind, .number = o->constant.number, .real = o->constant.real};
    struct ch_value_seen left = ch_operand_value(a, o->first), right = ch_operand_value(a, o->second);
    return calculated(o->op, &left, &right);
}

bool ch_operand_has_root(const struct ch_operand *o, bool (*is)(int root)) {
    if (o->op == CH_OPERAND_WAY) return is(o->way.root);
    return o->first && (ch_operand_has_root(o->first, is) || ch_operand_has_root(o->second, is));
}
