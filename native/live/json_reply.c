/* An answer in lines of JSON, in memory: whole, or an error that says why it is not. */
#include "live.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 << 20, LEAST = 256 /* bytes: room for an error */ };

static void fail(struct ch_reply *r, const char *why) {
    r->failed = true;
    if (!r->text && (r->text = malloc(LEAST))) r->room = LEAST;
    r->bytes = r->text ? (size_t)snprintf(r->text, r->room, "{\"error\": \"%s\"}\n", why) : 0;
}

/* The place for the next n bytes; NULL: the answer has become an error. */
static char *room_for(struct ch_reply *r, size_t n) {
    if (r->failed) return NULL;
    if (n > MOST - r->bytes) {
        fail(r, "the answer is larger than 256 MB");
        return NULL;
    }
    if (r->bytes + n > r->room) {
        size_t room = (r->bytes + n) * 2 + LEAST;
        char *more = realloc(r->text, room);
        if (!more) {
            fail(r, "the JVM has no memory for the answer");
            return NULL;
        }
        r->text = more;
        r->room = room;
    }
    return r->text + r->bytes;
}

static void add(struct ch_reply *r, const char *text, size_t n) {
    char *to = room_for(r, n);
    if (!to) return;
    memcpy(to, text, n);
    r->bytes += n;
}

void ch_reply_add(struct ch_reply *r, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *to = n < 0 ? NULL : room_for(r, (size_t)n + 1);
    if (to) {
        vsnprintf(to, (size_t)n + 1, format, again);
        r->bytes += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

void ch_reply_text(struct ch_reply *r, const char *text) { add(r, text, strlen(text)); }

void ch_reply_string(struct ch_reply *r, const char *text, size_t n) {
    add(r, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            ch_reply_add(r, "\\%c", c);
        else if (c < 32 || c == 127)
            ch_reply_add(r, "\\u%04x", c);
        else
            add(r, (const char *)&text[i], 1);
    }
    add(r, "\"", 1);
}

void ch_reply_field(struct ch_reply *r, const char *key, const char *text) {
    ch_reply_add(r, "\"%s\": ", key);
    ch_reply_string(r, text, strlen(text));
}

void ch_reply_stops(struct ch_reply *r, const struct ch_stops *s) {
    ch_reply_add(r, ", \"classes\": %u, \"stops\": %u, \"longest_stop_ns\": %llu, \"stopped_ns\": %llu", s->classes,
                 s->batches, (unsigned long long)s->longest_ns, (unsigned long long)s->all_ns);
    if (s->end == CH_STOPS_CANCELLED) ch_reply_add(r, ", \"unfinished\": \"cancelled\"");
    if (s->end == CH_STOPS_TOO_LONG) ch_reply_add(r, ", \"unfinished\": \"too-long\"");
}

void ch_reply_postponed(struct ch_reply *r) {
    ch_reply_add(r, ", \"postponed\": [");
    for (size_t i = 0; i < ch_postponed(); i++) {
        if (i) ch_reply_add(r, ", ");
        ch_reply_string(r, ch_postponed_text(i), strlen(ch_postponed_text(i)));
    }
    ch_reply_add(r, "]");
}

void ch_reply_lines(struct ch_reply *r, const char *text) {
    for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, '\n');
        ch_reply_add(r, "{\"line\": ");
        ch_reply_string(r, at, (size_t)(end - at));
        ch_reply_add(r, "}\n");
    }
}

void ch_reply_free(struct ch_reply *r) {
    free(r->text);
    *r = (struct ch_reply){.client = r->client};
}
