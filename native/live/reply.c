/* An answer in lines of JSON, in memory. */
#include "live.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32 << 20 };

static void add(struct ch_reply *r, const char *text, size_t n) {
    if (r->failed || r->bytes + n > MOST) return;
    if (r->bytes + n > r->room) {
        size_t room = (r->bytes + n) * 2;
        char *more = realloc(r->text, room);
        if (!more) {
            r->failed = true;
            return;
        }
        r->text = more;
        r->room = room;
    }
    memcpy(r->text + r->bytes, text, n);
    r->bytes += n;
}

void ch_reply_add(struct ch_reply *r, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0) add(r, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
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
    *r = (struct ch_reply){NULL, 0, 0, false};
}
