/* The name of the program that this JVM runs, which is the same in each run: it identifies repetitions
 * (instrument/store/runs.py).
 *
 * 1. The first word is the main class, or the jar without its folder, version, build and digits.
 * 2. Arguments stay as they are, except for times, UUIDs and the names of temporary files, which differ in each run.
 * 3. The arguments of workers that build tools start contain a port, a number or a file of the tool: all their digits
 *    are removed.
 */
#include "base.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { UUID = 36, COMMIT = 7 /* hex digits of a commit's hash, at least */ };

struct text {
    char *at, *end;
};

/* By the beginnings of their first words. */
static const char *const workers[] = {
    "surefirebooter",
    "org.apache.maven.surefire.",
    "worker.org.gradle.",
    "org.gradle.launcher.daemon.",
    "sbt.ForkMain",
    "mill.testrunner.",
    "com.google.testing.junit.runner.",
    "junit-platform-console",
    "org.junit.platform.console.",
    "org.apache.tools.ant.taskdefs.optional.junit.",
    "com.intellij.rt.",
    "org.eclipse.jdt.internal.junit.runner.",
    "org.pitest.",
    "org.openjdk.jmh.runner.ForkedMain",
    "org.jetbrains.kotlin.daemon.",
};
static const char *const temporary[] = {"/tmp/", "/var/tmp/", "/dev/shm/"};
static const char *const qualifiers[] = {"SNAPSHOT", "RELEASE", "FINAL", "GA", "RC", "M",
                                         "ALPHA",    "BETA",    "CR",    "SP", "V",  "B"}; /* of versions */

static void add(struct text *to, const char *from, size_t n) {
    for (; n && to->at < to->end; n--) *to->at++ = *from == ' ' ? '_' : *from, from++;
}

static bool begins(const char *text, const char *end, const char *with) {
    size_t n = strlen(with);
    return (size_t)(end - text) >= n && !memcmp(text, with, n);
}

/* ---- the first word */

static bool is_qualifier(const char *word, size_t n) {
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (strlen(qualifiers[i]) == n && !strncasecmp(qualifiers[i], word, n)) return true;
    return false;
}

static bool is_commit(const char *word, size_t n) {
    bool digits = false;
    for (size_t i = 0; i < n; i++) {
        if (!isxdigit((unsigned char)word[i])) return false;
        digits |= isdigit((unsigned char)word[i]) != 0;
    }
    return n >= COMMIT && digits;
}

/* A part of a jar's name, of those that hyphens divide. */
static void add_part(struct text *to, const char *part, size_t n, bool first) {
    char kept[256];
    size_t m = 0;
    if (isdigit((unsigned char)*part) || is_commit(part, n)) return;
    for (size_t i = 0; i < n && m < sizeof kept; i++)
        if (!isdigit((unsigned char)part[i])) kept[m++] = part[i];
    while (m && kept[m - 1] == '.') m--;
    if (!m || (!first && is_qualifier(kept, m))) return;
    if (!first) add(to, "-", 1);
    add(to, kept, m);
}

static void add_jar(struct text *to, const char *from, const char *end) {
    const char *slash = memrchr(from, '/', (size_t)(end - from)), *begin = to->at;
    for (const char *part = slash ? slash + 1 : from; part < end;) {
        size_t n = 0;
        while (part + n < end && !strchr("-_+", part[n])) n++;
        if (n) add_part(to, part, n, to->at == begin);
        part += n + 1;
    }
    add(to, ".jar", 4);
}

/* The end of a jar's name, which may have blanks in it; NULL if the command is that of a class. */
static const char *end_of_jar(const char *command) {
    const char *blank = command + strcspn(command, " ");
    if (begins(blank - (blank - command >= 4 ? 4 : 0), blank, ".jar")) return blank;
    for (const char *at = command; (*command == '/' || *command == '.') && (at = strstr(at, ".jar")); at += 4)
        if (at[4] == ' ' || !at[4]) return at + 4;
    return NULL;
}

/* ---- arguments */

/* Eight digits: year, month and day. */
static bool is_date(const char *at) {
    int month = (at[4] - '0') * 10 + at[5] - '0', day = (at[6] - '0') * 10 + at[7] - '0';
    return (begins(at, at + 8, "20") || begins(at, at + 8, "19")) && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* The length of a time or a UUID that begins here; 0 if none does. */
static size_t passing(const char *at, const char *end) {
    size_t n = 0, digits = 0, last = 0;
    while (at + n < end && n <= UUID && (isxdigit((unsigned char)at[n]) || at[n] == '-')) n++;
    if (n == UUID && at[8] == '-' && at[13] == '-' && at[18] == '-' && at[23] == '-') return n;
    for (n = 0; at + n < end && (isdigit((unsigned char)at[n]) || (digits && strchr("-_:.T+", at[n]))); n++)
        if (isdigit((unsigned char)at[n])) digits++, last = n + 1;
    bool plain = last == digits; /* then seconds since 1970, or a date */
    return digits >= (plain ? 10 : 8) || (plain && digits == 8 && is_date(at)) ? last : 0;
}

static void add_argument(struct text *to, const char *at, const char *end, bool of_worker) {
    for (const char *begin = at; at < end;) {
        size_t n = 0;
        bool value = at == begin || strchr("=:,@", at[-1]), word = value || !isalnum((unsigned char)at[-1]);
        for (size_t i = 0; value && i < sizeof temporary / sizeof *temporary; i++)
            if (begins(at, end, temporary[i])) {
                add(to, temporary[i], strlen(temporary[i]));
                while (at < end && !strchr(":,", *at)) at++;
                n = 1;
            }
        if (n) continue;
        if (of_worker && isdigit((unsigned char)*at)) {
            at++;
        } else if ((word || isdigit((unsigned char)*at)) && !(at > begin && isdigit((unsigned char)at[-1])) &&
                   (n = passing(at, end))) {
            add(to, "#", 1);
            at += n;
        } else {
            add(to, at++, 1);
        }
    }
}

void ch_program(const char *command, char *to, size_t room) {
    struct text text = {to, to + room - 1};
    const char *jar = end_of_jar(command), *at = jar ? jar : command + strcspn(command, " ");
    bool of_worker = false;
    if (jar)
        add_jar(&text, command, jar - 4);
    else
        add(&text, command, (size_t)(at - command));
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) of_worker |= begins(to, text.at, workers[i]);
    while (*at) {
        const char *word = at + strspn(at, " "), *end = word + strcspn(word, " ");
        if (text.at < text.end && end > word) *text.at++ = ' ';
        add_argument(&text, word, end, of_worker);
        at = end;
    }
    *text.at = 0;
}
