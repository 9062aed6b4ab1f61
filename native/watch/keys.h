/* Keys: values of Java as bytes that can be compared, and these as text. No Java runs.
 *
 * A key is its values, one behind another: a kind (enum ch_value, or one of those below), then a number or a text.
 */
#ifndef CLASSHOOK_KEYS_H
#define CLASSHOOK_KEYS_H
#include "watch.h"

/* Kinds that no value of Java has. */
enum { CH_KEY_THROWN = 'E' }; /* a part of a key: what is thrown, by its class */
enum { CH_KEY_CLASS = 'C', CH_KEY_THREAD = 'T', CH_KEY_STACK = 'S' };
enum { CH_KEY_SQL = 'Q' }; /* in front of a path: the value is an SQL text */
enum { CH_KEY_FRAMES = 16, CH_KEY_BYTES = 4096 };

struct ch_key_values {
    uint32_t n;
    unsigned char at[CH_KEY_BYTES];
};

/* ---- key_values.c */
bool ch_key_prepare(JNIEnv *env); /* once */
void ch_key_add_value(JNIEnv *env, struct ch_key_values *to, const struct ch_value_seen *v);
void ch_key_add_sql(struct ch_key_values *to, const jchar *text, uint32_t units, bool whole); /* without its literals */
void ch_key_add_thread(JNIEnv *env, struct ch_key_values *to); /* the name of this one */
/* the callers of the woven method whose native this is */
void ch_key_add_stack(struct ch_key_values *to, uint32_t frames);

/* ---- thrown_types.c */
void ch_tell_supertypes(JNIEnv *env, jobject thrown);

/* ---- key_text.c */
/* its length; at most `room`, without a zero behind it */
size_t ch_key_text(const void *key, uint32_t bytes, char *to, size_t room);
#endif
