/* The jar or directory that a class comes from: the location of its protection domain's code source, read from fields,
 * so that no Java code runs.
 *
 * A URL becomes a path, with a slash at the end if it is a directory: `file:/a/b.jar` /a/b.jar,
 * `jar:file:/a.jar!/lib/b.jar!/` and Spring Boot's `jar:nested:/a.jar/!lib/b.jar!/` /a.jar!/lib/b.jar. Others stay
 * URLs: jrt:/java.sql.
 */
#include "../base/jdk_members.h"
#include "classes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jfieldID codesource, location, protocol, host, file;

bool ch_source_start(JNIEnv *env) {
    codesource = ch_jdk_field(env, CH_JDK_DOMAIN_SOURCE, NULL);
    location = ch_jdk_field(env, CH_JDK_SOURCE_LOCATION, NULL);
    protocol = ch_jdk_field(env, CH_JDK_URL_PROTOCOL, NULL);
    host = ch_jdk_field(env, CH_JDK_URL_HOST, NULL);
    file = ch_jdk_field(env, CH_JDK_URL_FILE, NULL);
    return codesource && location && protocol && host && file;
}

/* A field that is a String, malloc'ed; empty if it is null. */
static char *text_of(JNIEnv *env, jobject object, jfieldID f) {
    jstring string = (*env)->GetObjectField(env, object, f);
    const char *text = string ? (*env)->GetStringUTFChars(env, string, NULL) : NULL;
    char *copy = strdup(text ? text : "");
    if (text) (*env)->ReleaseStringUTFChars(env, string, text);
    if (string) (*env)->DeleteLocalRef(env, string);
    return copy;
}

static int hex(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static void decode(char *text) {
    char *to = text;
    for (const char *at = text; *at; at++) {
        bool escaped = *at == '%' && hex(at[1]) >= 0 && hex(at[2]) >= 0 && (at[1] != '0' || at[2] != '0');
        *to++ = escaped ? (char)(hex(at[1]) * 16 + hex(at[2])) : *at;
        if (escaped) at += 2;
    }
    *to = 0;
}

/* The path within a `jar:` URL. */
static void unpack(char *text) {
    char *colon = strchr(text, ':'), *slash = strchr(text, '/'), *at;
    if (colon && (!slash || colon < slash)) memmove(text, colon + 1, strlen(colon));
    size_t n = strlen(text);
    if (n > 2 && !strcmp(text + n - 2, "!/")) text[n - 2] = 0;
    for (at = text; (at = strstr(at, "/!")); at += 2) at[0] = '!', at[1] = '/';
}

static char *path_of(const char *protocol_text, const char *host_text, char *file_text) {
    size_t room = strlen(protocol_text) + strlen(host_text) + strlen(file_text) + 4;
    char *path = malloc(room);
    if (!path) return NULL;
    decode(file_text);
    if (!strcmp(protocol_text, "jar")) unpack(file_text);
    if (!strcmp(protocol_text, "file") || !strcmp(protocol_text, "jar"))
        strcpy(path, file_text);
    else
        snprintf(path, room, "%s:%s%s%s", protocol_text, *host_text ? "//" : "", host_text, file_text);
    return path;
}

char *ch_source(JNIEnv *env, jobject domain) {
    jobject source = domain && codesource ? (*env)->GetObjectField(env, domain, codesource) : NULL;
    jobject url = source ? (*env)->GetObjectField(env, source, location) : NULL;
    char *path = NULL;
    if (url) {
        char *texts[] = {text_of(env, url, protocol), text_of(env, url, host), text_of(env, url, file)};
        if (texts[0] && texts[1] && texts[2]) path = path_of(texts[0], texts[1], texts[2]);
        for (int i = 0; i < 3; i++) free(texts[i]);
        (*env)->DeleteLocalRef(env, url);
    }
    if (source) (*env)->DeleteLocalRef(env, source);
    return path;
}
