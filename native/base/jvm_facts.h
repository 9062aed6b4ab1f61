/* Facts of Java and the JVM that the agent and the embedding library share: how primitive values are boxed, and which
 * line an instruction belongs to. */
#ifndef CLASSHOOK_JVM_FACTS_H
#define CLASSHOOK_JVM_FACTS_H
#include <jni.h>
#include <jvmti.h>
#include <stdbool.h>

/* ---- boxes */

enum { CH_BOXES = 8 };
struct ch_box {
    char letter; /* of the descriptor */
    const char *class_name; /* in java.lang */
    jclass its_class; /* a global reference */
    jfieldID value;
};
#define CH_UNKNOWN_BOXES \
    { \
        {'Z', "Boolean", NULL, NULL}, {'B', "Byte", NULL, NULL}, {'C', "Character", NULL, NULL}, \
            {'S', "Short", NULL, NULL}, {'I', "Integer", NULL, NULL}, {'J', "Long", NULL, NULL}, \
            {'F', "Float", NULL, NULL}, { \
            'D', "Double", NULL, NULL \
        } \
    }

/* Finds classes and fields, each class by `find`, which returns a local reference or NULL. False: one is missing; an
 * exception may be pending. */
static inline bool ch_boxes_find(JNIEnv *env, struct ch_box boxes[CH_BOXES],
                                 jclass (*find)(JNIEnv *env, const char *class_name)) {
    for (int i = 0; i < CH_BOXES; i++) {
        jclass c = find(env, boxes[i].class_name);
        if (!c || !(boxes[i].value = (*env)->GetFieldID(env, c, "value", (char[]){boxes[i].letter, 0}))) return false;
        if (!boxes[i].its_class && !(boxes[i].its_class = (*env)->NewGlobalRef(env, c))) return false;
        (*env)->DeleteLocalRef(env, c);
    }
    return true;
}

/* The box of a value of this type; NULL: the object is none. */
static inline const struct ch_box *ch_box_of(JNIEnv *env, const struct ch_box boxes[CH_BOXES], jobject object,
                                             char letter) {
    for (int i = 0; i < CH_BOXES; i++)
        if (boxes[i].letter == letter && boxes[i].its_class && (*env)->IsInstanceOf(env, object, boxes[i].its_class))
            return &boxes[i];
    return NULL;
}

/* ---- lines */

/* The line of the instruction at `at`, by a method's table, which need not be in order; -1: unknown. */
static inline jint ch_line_at(const jvmtiLineNumberEntry *table, jint n, jlocation at) {
    jint line = -1;
    jlocation best = -1;
    for (jint i = 0; i < n; i++)
        if (table[i].start_location <= at && table[i].start_location > best) {
            best = table[i].start_location;
            line = table[i].line_number;
        }
    return line;
}

/* ---- constants of a class, as JVMTI's GetConstantPool has them */

struct ch_texts {
    const unsigned char *at, *end;
    jint left; /* constants */
};
static inline struct ch_texts ch_texts_of(const unsigned char *pool, jint bytes, jint count) {
    return (struct ch_texts){pool, pool + bytes, count - 1};
}

/* The next constant that is a text, which no zero byte ends. False: there is none, or the constants are not what they
 * should be. */
static inline bool ch_next_text(struct ch_texts *texts, const char **text, size_t *bytes) {
    enum { UTF8 = 1, LONG = 5, DOUBLE = 6 }; /* tags (JVMS 4.4) */
    static const unsigned char sizes[] = {[UTF8] = 3,
                                          [3] = 5,
                                          [4] = 5,
                                          [LONG] = 9,
                                          [DOUBLE] = 9,
                                          [7] = 3,
                                          [8] = 3,
                                          [9] = 5,
                                          [10] = 5,
                                          [11] = 5,
                                          [12] = 5,
                                          [15] = 4,
                                          /* without a text's own */
                                          [16] = 3,
                                          [17] = 5,
                                          [18] = 5,
                                          [19] = 3,
                                          [20] = 3};
    while (texts->left > 0 && texts->end - texts->at >= 3) {
        const unsigned char *one = texts->at;
        size_t size = *one < sizeof sizes ? sizes[*one] : 0, n = *one == UTF8 ? (size_t)one[1] << 8 | one[2] : 0;
        if (!size || size + n > (size_t)(texts->end - one)) return false;
        texts->left -= *one == LONG || *one == DOUBLE ? 2 : 1; /* these take two places */
        texts->at += size + n;
        *text = (const char *)one + 3;
        *bytes = n;
        if (*one == UTF8) return true;
    }
    return false;
}
#endif
