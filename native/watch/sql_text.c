/* SQL texts without their literals.
 *
 * 1. A literal becomes `?`: a number, with the sign before it where that can be no subtraction; a text in single quotes, with the letter before it
 *    (N'..', X'..'); $tag$..$tag$ of PostgreSQL. So does its `$1`. A backslash hides the next character in E'..' only, as the SQL standard has it.
 * 2. `(?, ?, ?)` becomes `(?, …)`; equal rows of values, `(?, ?), (?, ?)`, become `(?, …), …`.
 * 3. White space becomes one blank, behind a comma too, and none within parentheses. So do comments, since tools write what differs in each call there;
 *    those that begin with a plus sign or an exclamation mark are hints, and stay.
 * 4. Names in double quotes and backquotes stay, and so do NULL, TRUE, FALSE.
 *
 * No dialect of SQL is parsed. Of a text that is wrongly split into tokens, equal texts still have equal keys.
 */
#include "sql_text.h"
#include <stdbool.h>
#include <string.h>

enum { ELLIPSIS = 0x2026, FIRST_SIGN = 0x80 };

struct sql {
    const uint16_t *at, *end;
    uint16_t *to;
    uint32_t n, room;
    bool blank; /* one comes before the next token */
    bool lost;  /* there was no room for all */
};

static bool is_digit(uint16_t c) { return c >= '0' && c <= '9'; }
static bool is_blank(uint16_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_word(uint16_t c) {
    return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '$' || c == '#' || c == '@' || c >= FIRST_SIGN;
}

static uint16_t next(const struct sql *s, uint32_t ahead) { return ahead < (size_t)(s->end - s->at) ? s->at[ahead] : 0; }

static void put_more(struct sql *s, uint16_t c) {
    if (s->n < s->room)
        s->to[s->n++] = c;
    else
        s->lost = true;
}

/* The first character of a token. */
static void put(struct sql *s, uint16_t c) {
    uint16_t last = s->n ? s->to[s->n - 1] : '(';
    if (last == ',' || (s->blank && last != '(' && c != ')' && c != ',')) put_more(s, ' ');
    s->blank = false;
    put_more(s, c);
}

/* Whether what is written ends with `c`, from `n` on backwards, perhaps with a blank behind it; then `n` is before it. */
static bool ends(const struct sql *s, uint32_t *n, uint16_t c) {
    uint32_t i = *n;
    if (i && s->to[i - 1] == ' ') i--;
    if (!i || s->to[i - 1] != c) return false;
    *n = i - 1;
    return true;
}

/* A value; in a list after another one, `…` stands for it. */
static void put_value(struct sql *s) {
    uint32_t comma = s->n, before;
    if (ends(s, &comma, ',')) {
        before = comma;
        if (ends(s, &before, ELLIPSIS)) { /* of this list: that of rows is behind a parenthesis */
            uint32_t row = before;
            if (ends(s, &row, ',') && ends(s, &row, '?')) {
                s->n = comma;
                s->blank = false;
                return;
            }
        }
        before = comma;
        if (ends(s, &before, '?') && ends(s, &before, '(')) {
            s->n = comma;
            s->blank = false;
            put(s, ',');
            put(s, ELLIPSIS);
            return;
        }
    }
    put(s, '?');
}

/* Where the parenthesis opens that the last character closes; `n`: nowhere. */
static uint32_t opening(const struct sql *s) {
    uint32_t depth = 0;
    for (uint32_t i = s->n; i--;) {
        if (s->to[i] == ')') depth++;
        if (s->to[i] == '(' && !--depth) return i;
    }
    return s->n;
}

/* A row that is the same as the one before it goes. */
static void put_closing(struct sql *s) {
    put(s, ')');
    uint32_t from = opening(s), bytes = s->n - from, comma = from, before;
    if (s->n == s->room || !ends(s, &comma, ',')) return;
    before = comma;
    bool more = ends(s, &before, ELLIPSIS) && ends(s, &before, ',');
    if (!more) before = comma;
    if (before && s->to[before - 1] == ' ') before--;
    if (before < bytes || memcmp(s->to + before - bytes, s->to + from, bytes * sizeof *s->to)) return;
    if (!memchr(s->to + from, '?', bytes * sizeof *s->to)) return;
    s->n = comma;
    if (more) return;
    put(s, ',');
    put(s, ELLIPSIS);
}

static void skip_quoted(struct sql *s, bool escapes) {
    for (s->at++; s->at < s->end; s->at++) {
        if (escapes && *s->at == '\\' && next(s, 1)) {
            s->at++;
        } else if (*s->at == '\'') {
            if (next(s, 1) != '\'') break;
            s->at++;
        }
    }
    if (s->at < s->end) s->at++;
}

/* A name in quotes, as it is. */
static void put_name(struct sql *s, uint16_t close) {
    for (put(s, *s->at++); s->at < s->end && *s->at != close; s->at++) put_more(s, *s->at);
    if (s->at < s->end) put_more(s, *s->at++);
}

static bool is_sign(uint16_t c) { return c == '+' || c == '-'; }

static void skip_number(struct sql *s) {
    bool hex = *s->at == '0' && (next(s, 1) | 32) == 'x';
    for (; s->at < s->end && (is_word(*s->at) || *s->at == '.'); s->at++)
        if (!hex && (*s->at | 32) == 'e' && is_sign(next(s, 1)) && is_digit(next(s, 2))) s->at++;
}

/* A sign before a number is a part of it, unless something can be subtracted from. */
static void take_sign(struct sql *s) {
    static const char operators[] = "(,=<>*/%|+-";
    uint32_t n = s->n;
    if (!n || !is_sign(s->to[n - 1]) || s->blank) return;
    n--;
    if (n && s->to[n - 1] == ' ') n--;
    if (!n || s->to[n - 1] >= FIRST_SIGN || !strchr(operators, (char)s->to[n - 1])) return;
    s->n--;
    s->blank = s->n && s->to[s->n - 1] == ' ';
    s->n -= s->blank;
}

/* `$$..$$`, `$tag$..$tag$`; false: there is none. */
static bool skip_dollars(struct sql *s) {
    uint32_t tag = 1;
    while (is_word(next(s, tag)) && next(s, tag) != '$') tag++;
    if (next(s, tag) != '$') return false;
    tag++;
    for (const uint16_t *p = s->at + tag; p + tag <= s->end; p++) {
        if (memcmp(p, s->at, tag * sizeof *p)) continue;
        s->at = p + tag;
        return true;
    }
    s->at = s->end;
    return true;
}

static void skip_line(struct sql *s) {
    while (s->at < s->end && *s->at != '\n') s->at++;
    s->blank = true;
}

static void take_comment(struct sql *s) {
    bool stays = next(s, 2) == '+' || next(s, 2) == '!';
    uint32_t n = 2;
    while (s->at + n < s->end && !(s->at[n] == '*' && next(s, n + 1) == '/')) n++;
    if (stays) put(s, *s->at);
    for (n++, s->at++; n && s->at < s->end; n--, s->at++)
        if (stays) put_more(s, *s->at);
    s->blank |= !stays;
}

/* A keyword or a name; of X'..' nothing. */
static void take_word(struct sql *s) {
    uint16_t letter = *s->at | 32;
    if (next(s, 1) == '\'' && (letter == 'n' || letter == 'x' || letter == 'b' || letter == 'e')) {
        s->at++;
        skip_quoted(s, letter == 'e');
        put_value(s);
        return;
    }
    for (put(s, *s->at++); s->at < s->end && is_word(*s->at); s->at++) put_more(s, *s->at);
}

static void take_dollar(struct sql *s) {
    if (is_digit(next(s, 1))) {
        for (s->at++; is_digit(next(s, 0)); s->at++) {}
        put_value(s);
    } else if (skip_dollars(s)) {
        put_value(s);
    } else {
        take_word(s);
    }
}

static void take_token(struct sql *s) {
    uint16_t c = *s->at, then = next(s, 1);
    if (is_blank(c)) {
        s->blank = true;
        s->at++;
    } else if (c == '\'') {
        skip_quoted(s, false);
        put_value(s);
    } else if (c == '"' || c == '`') {
        put_name(s, c);
    } else if (c == '?' && then != '|' && then != '&' && then != '?') { /* not an operator of PostgreSQL */
        s->at++;
        put_value(s);
    } else if (is_digit(c) || (c == '.' && is_digit(then))) {
        skip_number(s);
        take_sign(s);
        put_value(s);
    } else if (c == '-' && then == '-') {
        skip_line(s);
    } else if (c == '/' && then == '*') {
        take_comment(s);
    } else if (c == ')') {
        s->at++;
        put_closing(s);
    } else if (c == '$') {
        take_dollar(s);
    } else if (is_word(c)) {
        take_word(s);
    } else {
        put(s, *s->at++);
    }
}

uint32_t ch_sql_without_literals(const uint16_t *text, uint32_t n, uint16_t *to, uint32_t room) {
    struct sql s = {.at = text, .end = text + n, .to = to, .room = room};
    while (s.at < s.end && s.n < room) take_token(&s);
    if (s.at < s.end || s.lost) to[room - 1] = ELLIPSIS;
    return s.n;
}
