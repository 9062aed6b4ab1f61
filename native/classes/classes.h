/* The layer of classes: which are woven, by whom, and what becomes of them. */
#ifndef CLASSHOOK_CLASSES_H
#define CLASSHOOK_CLASSES_H
#include "../counting/counting.h"
#include "embed.h"

extern bool ch_stacks_travel; /* virtual threads exist, and VirtualThread may be woven to follow them */
extern bool ch_aot_recording; /* of this run an AOT cache is made: the JVM crashes then where one of its own classes was changed */

/* ---- class_name.c: where the JVM does not tell */
char *ch_class_name(const unsigned char *data, size_t bytes); /* malloc'ed; NULL where they are damaged */

/* ---- glob.c */
bool ch_glob(const char *pattern, const char *name); /* may match more than rules/patterns.py does, never less */

/* ---- filter.c: which classes can a rule match, by name alone */
bool ch_filter_load(const char *text, size_t bytes);
bool ch_filter_match(JNIEnv *env, jobject loader, const char *name, const unsigned char *data, jint bytes, bool *in_jdk);
bool ch_filter_all_matched(void); /* may be false for a pattern whose classes an earlier one matched */
bool ch_filter_start(JNIEnv *env); /* once the module system is up */

/* ---- candidates.c: what of the JVM's classes may be woven at all */
bool ch_is_tracker(jobject loader, const char *name);
bool ch_is_untouchable(jobject loader, const char *name);
bool ch_may_match(JNIEnv *env, jobject loader, const char *name, const unsigned char *data, jint bytes, bool *in_jdk);

/* ---- left_alone.c: classes that stay as they are, and why */
void ch_skip(const char *name, const char *reason, const char *detail);  /* which the report says */
void ch_leave(const char *name, const char *reason, const char *detail); /* ... where a rule matches it and nobody counted that */
void ch_retransform(JNIEnv *env, jint n, jclass *classes);

/* ---- python.c: Python, when first needed, on a stack of ours */
void ch_python_look_around(void); /* for what forbids to start it at all */
bool ch_python_is_ready(void); /* starts it at the first call */
const char *ch_python_trouble(void); /* why it is not, once that was asked */
void ch_python_say_trouble(void);    /* once */
struct ch_verdicts { /* methods to be counted, see earlier_runs.c */
    const uint32_t *methods; /* their places, in order */
    uint32_t n;
    void *memory; /* malloc'ed, where they lie */
};
bool ch_python_weave(const char *name, const unsigned char *data, uint32_t bytes, bool in_jdk, struct ch_verdicts v, struct ch_woven *out);
char *ch_python_compile(const char *rules_file); /* compiled text, malloc'ed; NULL if that failed, which has been said */
void ch_python_start(const char *pythonpath, uint64_t timeout_ms);
void ch_python_rules(const char *text, size_t bytes);

/* ---- pack.c: the file in which they lie */
struct ch_packed { /* an entry of its index */
    struct ch_key key;
    uint64_t at; /* 0: there is none */
    uint32_t bytes, is_verdict;
};
bool ch_pack_open(const char *path, struct ch_key *its_secret); /* false: why not has been said */
bool ch_pack_is_open(void); /* and takes more */
struct ch_packed ch_pack_find(struct ch_key key); /* what lies there may be damaged */
bool ch_pack_read(const struct ch_packed *e, void *to);
void ch_pack_add(struct ch_packed e, const void *record, bool anew); /* anew: also where there is one already */

/* ---- cache.c: woven classes of earlier runs */
void ch_cache_open(const char *dir, const char *rules, size_t bytes);
bool ch_cache_find(struct ch_key key, const char *name, size_t original_bytes, struct ch_woven *out); /* to be freed */
void ch_cache_add(struct ch_key key, const char *name, size_t original_bytes, const struct ch_woven *w, bool anew);
void ch_woven_free(struct ch_woven *w);

/* ---- copies.c: classes woven before in this JVM, by the same key */
uint32_t ch_copies_find(struct ch_key key); /* the first slot, UINT32_MAX if there is none */
void ch_copies_add(struct ch_key key, uint32_t first_slot);

/* ---- earlier_runs.c: which methods earlier runs found too short for their budgets */
void ch_verdicts_start(const char *program);
struct ch_verdicts ch_verdicts_find(struct ch_key class_key);
void ch_verdicts_apply(struct ch_key class_key, struct ch_verdicts v, uint32_t first_slot, const struct ch_woven *w); /* its slots are new */
void ch_verdicts_keep(void); /* at the end */

/* ---- woven_ahead.c: classes woven ahead of time */
bool ch_find_woven_ahead(const unsigned char *data, uint32_t bytes, struct ch_woven *out);

/* ---- ask_loader.c: a class loader for the tracker */
bool ch_asking_prepare(JNIEnv *env, jclass tracker); /* at VMStart */
bool ch_asking_start(JNIEnv *env);
bool ch_ask(JNIEnv *env, jobject loader, char *why, size_t size, bool *mishap); /* `why`, where the answer is no, and whether another time may be better */
extern __thread bool ch_introducing __attribute__((tls_model("initial-exec"))); /* a class of ours is being defined */
void ch_introduce(JNIEnv *env, jobject loader, jobject domain, int64_t number);
bool ch_name_of_class(jclass c, char *to, size_t size); /* the internal one */

/* ---- loaders.c: which class loaders find the tracker */
enum ch_loader { CH_LOADER_READY, CH_LOADER_WAITS /* the class comes again */, CH_LOADER_REFUSES };
bool ch_loaders_start(JNIEnv *env);
enum ch_loader ch_loader_ready(JNIEnv *env, jobject loader, jobject domain, jclass redefined, const char *name);
int64_t ch_loader_number(jobject loader); /* from 1 on; 0: the boot loader, or one that was never asked */
void JNICALL ch_class_prepare(jvmtiEnv *, JNIEnv *, jthread, jclass);
void ch_loaders_say_waiting(void); /* at the end */

/* ---- loaded_classes.c: classes that are loaded already */
void ch_loaded_start(JNIEnv *env); /* weaves what was loaded before */
void ch_loaded_say_unnumbered(void); /* names the classes whose probes nobody numbered */
void ch_loaded_say_names(void); /* writes the loaded classes' names, for the report to say what a rule may have meant */

/* ---- hook.c */
void JNICALL ch_class_file_load_hook(jvmtiEnv *, JNIEnv *, jclass, jobject, const char *, jobject, jint, const unsigned char *,
                                     jint *, unsigned char **);
extern volatile bool ch_hook_on;

#endif
