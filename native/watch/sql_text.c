/* SQL texts without their literals.
 *
 * 1. A literal becomes `?`: a number, with the sign before it where that can be no subtraction; a text in single
 *    quotes, with the letter before it (N'..', X'..', U&'..') and those that continue it; $tag$..$tag$ of PostgreSQL,
 *    q'{..}' of Oracle. So does PostgreSQL's `$1`. A backslash hides the next character in E'..' only, as the SQL
 *    standard has it.
 * 2. `(?, ?, ?)` becomes `(?, …)`, and so in brackets; equal rows of values, `(?, ?), (?, ?)`, become `(?, …), …`.
 * 3. White space becomes one blank, behind a comma too, and none within parentheses. So do comments, since tools write
 *    what differs in each call there; those that begin with a plus sign or an exclamation mark are hints, and stay.
 *    Comments nest where that leaves none open.
 * 4. Names in double quotes and backquotes stay, and so do NULL, TRUE, FALSE. The word or name behind `identified by`
 *    is a password.
 *
 * No dialect of SQL is parsed. If a text is wrongly split into tokens, equal texts still have equal keys.
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
    bool flat;  /* a comment did not end where it would if they nest */
    enum {
        ORDINARY,
        IDENTIFIED,
        PASSWORD,
        PASSWORD_GIVEN
    } about; /* what came before: `identified`, then `by`, then a password */
};

static bool is_digit(uint16_t c) { return c >= '0' && c <= '9'; }
static bool is_blank(uint16_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_word(uint16_t c) {
    return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '$' || c == '#' || c == '@' ||
           c >= FIRST_SIGN;
}

static uint16_t next(const struct sql *s, uint32_t ahead) {
    return ahead < (size_t)(s->end - s->at) ? s->at[ahead] : 0;
}

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

/* True if the text written so far ends with `c`, from `n` on backwards, perhaps with a blank after it; then `n` is
 * before it. */
static bool ends(const struct sql *s, uint32_t *n, uint16_t c) {
    uint32_t i = *n;
    if (i && s->to[i - 1] == ' ') i--;
    if (!i || s->to[i - 1] != c) return false;
    *n = i - 1;
    return true;
}

/* A value; in a list after another one, `…` stands for it. */
static void put_value(struct sql *s) {
    s->about = s->about == PASSWORD ? PASSWORD_GIVEN : ORDINARY;
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
        if (ends(s, &before, '?') && (ends(s, &before, '(') || ends(s, &before, '['))) {
            s->n = comma;
            s->blank = false;
            put(s, ',');
            put(s, ELLIPSIS);
            return;
        }
    }
    put(s, '?');
}

/* The place of the parenthesis that the last character closes; `n`: none. */
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

static void skip_quoted_part(struct sql *s, bool escapes) {
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

/* A text, and those behind it that continue it. */
static void skip_quoted(struct sql *s, bool escapes) {
    const uint16_t *more = s->at;
    while (more < s->end && *more == '\'') {
        s->at = more;
        skip_quoted_part(s, escapes);
        for (more = s->at; more < s->end && is_blank(*more); more++) {}
    }
}

/* Skips Oracle's q'{..}', from the quote on, up to the delimiter's counterpart with a quote after it. */
static void skip_delimited(struct sql *s) {
    static const char opening[] = "([{<", closing[] = ")]}>";
    uint16_t delimiter = next(s, 1);
    const char *pair = delimiter < FIRST_SIGN ? memchr(opening, delimiter, sizeof opening - 1) : NULL;
    uint16_t close = pair ? (uint16_t)closing[pair - opening] : delimiter;
    for (s->at += 2; s->at < s->end; s->at++) {
        if (*s->at != close || next(s, 1) != '\'') continue;
        s->at += 2;
        return;
    }
}

/* A name in quotes, as it is. */
static void put_name(struct sql *s, uint16_t close) {
    for (put(s, *s->at++); s->at < s->end && *s->at != close; s->at++) put_more(s, *s->at);
    if (s->at < s->end) put_more(s, *s->at++);
}

static void skip_name(struct sql *s) {
    uint16_t close = *s->at++;
    while (s->at < s->end && *s->at != close) s->at++;
    if (s->at < s->end) s->at++;
}

static bool is_sign(uint16_t c) { return c == '+' || c == '-'; }

static void skip_number(struct sql *s) {
    bool hex = *s->at == '0' && (next(s, 1) | 32) == 'x';
    for (; s->at < s->end && (is_word(*s->at) || *s->at == '.'); s->at++)
        if ((*s->at | 32) == (hex ? 'p' : 'e') && is_sign(next(s, 1)) && is_digit(next(s, 2))) s->at++;
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

/* The length of a comment, without its end; 0: it has none if comments nest. */
static uint32_t comment_length(const struct sql *s, bool nest) {
    uint32_t left = (uint32_t)(s->end - s->at), depth = 1, n;
    for (n = 2; n < left; n++) {
        if (s->at[n] == '*' && next(s, n + 1) == '/') {
            if (!--depth) return n;
            n++;
        } else if (nest && s->at[n] == '/' && next(s, n + 1) == '*') {
            depth++;
            n++;
        }
    }
    return nest ? 0 : n;
}

static void take_comment(struct sql *s) {
    bool stays = next(s, 2) == '+' || next(s, 2) == '!';
    uint32_t n = s->flat ? 0 : comment_length(s, true);
    s->flat = !n;
    if (!n) n = comment_length(s, false);
    if (stays) put(s, *s->at);
    for (n++, s->at++; n && s->at < s->end; n--, s->at++)
        if (stays) put_more(s, *s->at);
    s->blank |= !stays;
}

/* True if a text begins here with letters that tell its kind; then it is skipped. */
static bool skip_marked(struct sql *s) {
    uint16_t first = *s->at | 32, then = next(s, 1) | 32;
    uint32_t q = first == 'q' ? 0 : first == 'n' && then == 'q' ? 1 : UINT32_MAX;
    if (q != UINT32_MAX && next(s, q + 1) == '\'' && next(s, q + 2) && !is_blank(next(s, q + 2))) {
        s->at += q + 1;
        skip_delimited(s);
    } else if (next(s, 1) == '\'' && (first == 'n' || first == 'x' || first == 'b' || first == 'e')) {
        s->at++;
        skip_quoted(s, first == 'e');
    } else if (first == 'u' && next(s, 1) == '&' && next(s, 2) == '\'') {
        s->at += 2;
        skip_quoted(s, false);
    } else {
        return false;
    }
    return true;
}

/* True if the word that begins here is `word`, of lower-case letters. */
static bool is_here(const struct sql *s, const char *word) {
    uint32_t n = 0;
    for (; word[n]; n++)
        if ((next(s, n) | 32) != word[n]) return false;
    return !is_word(next(s, n));
}

/* A keyword or a name; of X'..' nothing. */
static void take_word(struct sql *s) {
    bool follows = s->about == PASSWORD && !is_here(s, "values") && !is_here(s, "password");
    if (skip_marked(s)) {
        put_value(s);
        return;
    }
    if (follows) {
        while (s->at < s->end && is_word(*s->at)) s->at++;
        put_value(s);
        return;
    }
    bool before = (s->about == IDENTIFIED && is_here(s, "by")) || (s->about == PASSWORD_GIVEN && is_here(s, "replace"));
    s->about = before ? PASSWORD : is_here(s, "identified") ? IDENTIFIED : ORDINARY;
    for (put(s, *s->at++); s->at < s->end && is_word(*s->at); s->at++) put_more(s, *s->at);
}

static void take_dollar(struct sql *s) {
    if (is_digit(next(s, 1))) {
        for (s->at++; is_digit(next(s, 0)) || (*s->at == '.' && is_digit(next(s, 1))); s->at++) {
        } /* $12.50: an amount of SQL Server */
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
    } else if (c == '"' && s->about == PASSWORD) {
        skip_name(s);
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
        s->about = ORDINARY;
    }
}

uint32_t ch_sql_without_literals(const uint16_t *text, uint32_t n, uint16_t *to, uint32_t room) {
    struct sql s = {.at = text, .end = text + n, .to = to, .room = room};
    while (s.at < s.end && s.n < room) take_token(&s);
    if (s.at < s.end || s.lost) to[room - 1] = ELLIPSIS;
    return s.n;
}
