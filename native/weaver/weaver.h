/* The weaver as the agent sees it: Python, which weaves a class, and the files that keep what it made and what it was
 * given. It knows nothing of rules and of the JVM's classes. */
#ifndef CLASSHOOK_WEAVER_H
#define CLASSHOOK_WEAVER_H
#include "../sampling/sampling.h"
#include "embed.h"

/* ---- python.c: Python, started when first needed, on a stack of its own */
void ch_python_find_conflicts(void); /* looks for reasons not to start Python at all */
bool ch_python_is_ready(void); /* starts it at the first call */
const char *ch_python_trouble(void); /* why it is not ready; valid after ch_python_is_ready */
void ch_python_say_unusable(void); /* prints that, once */
void ch_python_warn_unusable(struct ch_error *error); /* the same, if Python was needed and is not ready */
bool ch_python_weave(const char *name, const unsigned char *data, uint32_t bytes, const struct ch_about *about,
                     struct ch_woven *out);
/* These return a malloc'ed text, or NULL after ch_fail. */
/* Asks the module `inside_jvm` of an extension, in instrument/extensions/. */
char *ch_python_ask(const char *extension, const char *what, const char *text, size_t bytes, struct ch_error *error);
/* compiled rules */
char *ch_python_compile(const char *rules_file, const char *rules, size_t bytes, struct ch_error *error);
/* See embed.h; `rules`: NULL: those in force. */
char *ch_python_scripts(const struct ch_hub *hub, const char *request, const char *rules, size_t bytes,
                        struct ch_error *error);
/* compiled rules to exchange them for. With the session taken */
char *ch_python_without(const char *rule, struct ch_error *error);
const struct ch_bridge *ch_python_bridge(void); /* NULL: no script was run */
void ch_python_start(const char *pythonpath, const char *libpython, uint64_t timeout_ms);
/* the text is kept, until there are others; false: it cannot read them */
bool ch_python_rules(const char *text, size_t bytes);
char *ch_python_rules_copy(size_t *bytes); /* those that it has, malloc'ed, or NULL */
bool ch_python_has_rule(const char *rule); /* whether it is one of these, in force or paused; its text as there */

/* ---- pack.c: the file that holds the cache */
struct ch_packed { /* an entry of its index */
    struct ch_key key;
    uint64_t at; /* 0: not found */
    uint32_t bytes, zero;
};
bool ch_pack_open(const char *path, struct ch_key *its_secret, struct ch_error *error);
bool ch_pack_is_open(void); /* and accepts more records */
struct ch_packed ch_pack_find(struct ch_key key); /* the record may be damaged */
bool ch_pack_read(const struct ch_packed *e, void *to);
void ch_pack_add(struct ch_packed e, const void *record, bool anew); /* anew: even if the key exists */

/* ---- cache.c: woven classes of earlier runs */
/* `rules`: ch_rules_hash; a warning if it cannot be used */
void ch_cache_open(const char *dir, struct ch_key rules, struct ch_error *error);
/* the file stands for these rules; keys of classes woven by others must contain theirs */
bool ch_cache_is_of(struct ch_key rules);
/* ch_woven_free(out) after use */
bool ch_cache_find(struct ch_key key, const char *name, size_t original_bytes, struct ch_woven *out);
void ch_cache_add(struct ch_key key, const char *name, size_t original_bytes, const struct ch_woven *w, bool anew);
void ch_woven_free(struct ch_woven *w);

/* ---- original_files.c: where originals lie in the data directory */
void ch_originals_start(const char *data_directory);
const char *ch_originals_folder(void);
/* unless it is there; errno if false */
bool ch_originals_keep(const unsigned char hash[32], bool woven, const unsigned char *data, size_t bytes);

/* ---- original_classes.c: class files as they came to the hook, for reports of coverage */
/* if its table asks for it */
void ch_original_keep(const struct ch_woven *w, const unsigned char *data, size_t bytes, bool ahead);
void ch_original_warn(struct ch_error *error); /* if one could not be kept */
#endif
