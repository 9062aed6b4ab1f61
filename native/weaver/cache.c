/* The cache of woven classes: one pack file (pack.c) for each set of rules and build of classhook, shared by all JVMs.
 *
 * A record's key is a hash of everything that decides the result: the class's bytes and name, and whether it belongs to
 * the JDK and to the boot loader. The file name stands for the rules and the build. Slot numbers in a record are
 * relative, as the weaver made them; it also holds the name and length of the original class. If a record does not
 * match its index entry or its checksum, the class is woven again, with a notice, and the new record replaces it.
 */
#include "weaver.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    struct ch_key key;
    uint64_t check; /* checksum of what follows */
    uint32_t status, slots, integers_at;
    uint32_t original_bytes, name_bytes, meta_bytes, bytes, zero; /* name, table and woven class follow */
};

static struct ch_key rules_of_file;
static bool damaged; /* a damaged record was found and reported */

void ch_cache_open(const char *dir, struct ch_key key, struct ch_error *error) {
    char path[4096];
    static bool opened;
    if (ch_exchange_relaxed(&opened, true)) return; /* under later rules records have other keys in the same file */
    if (strlen(dir) > 4000 || !ch_make_dirs(dir, 0700)) {
        ch_warn(error, "cannot use the cache directory %s: %s; classes are woven without it", dir, strerror(errno));
        return;
    }
    snprintf(path, sizeof path, "%s/%016llx%016llx-%s.pack", dir, (unsigned long long)key.high,
             (unsigned long long)key.low, CH_BUILD_ID);
    struct ch_key secret;
    if (!ch_pack_open(path, &secret, error)) return;
    rules_of_file = key;
    ch_hash_use(secret);
}

bool ch_cache_is_of(struct ch_key rules) { return ch_same_key(rules, rules_of_file); }

static uint64_t check_of(const struct record *r, size_t bytes) {
    return ch_checksum(r->key, &r->status, bytes - offsetof(struct record, status));
}

/* Memory for records that are read. One buffer is kept for reuse, since allocating it costs more than reading the
 * record. */
static void *spare;
static const size_t spare_bytes = 256 << 10;

static void *memory_for(size_t bytes) {
    void *p = bytes <= spare_bytes ? ch_exchange_acquire(&spare, NULL) : NULL;
    return p ? p : malloc(bytes < spare_bytes ? spare_bytes : bytes);
}

static void give_back(struct record *r, size_t bytes) {
    void *none = NULL;
    if (bytes > spare_bytes || !ch_replace_release(&spare, &none, (void *)r)) free(r);
}

/* Reads the record that an index entry points to; NULL if it is not that record or is damaged. */
static struct record *read_record(const struct ch_packed *e) {
    struct record *r = memory_for(e->bytes);
    if (r && e->bytes >= sizeof *r && ch_pack_read(e, r) && ch_same_key(r->key, e->key) &&
        r->check == check_of(r, e->bytes) && sizeof *r + (uint64_t)r->name_bytes + r->meta_bytes + r->bytes == e->bytes)
        return r;
    if (r) give_back(r, e->bytes);
    return NULL;
}

bool ch_cache_find(struct ch_key key, const char *name, size_t original_bytes, struct ch_woven *out) {
    struct ch_packed e = ch_pack_find(key);
    if (!e.at) return false;
    struct record *r = read_record(&e);
    if (!r) {
        if (!ch_exchange_relaxed(&damaged, true)) ch_say("a woven class in the cache is damaged and is woven again");
        return false;
    }
    const char *own_name = (const char *)(r + 1);
    if (r->original_bytes != original_bytes || r->name_bytes != strlen(name) || memcmp(own_name, name, r->name_bytes)) {
        give_back(r, e.bytes);
        return false;
    }
    char *meta = (char *)(r + 1) + r->name_bytes;
    *out = (struct ch_woven){.memory = r,
                             .status = (int)r->status,
                             .bytes = (unsigned char *)meta + r->meta_bytes,
                             .length = r->bytes,
                             .slots = r->slots,
                             .integers = r->slots,
                             .integers_at = r->integers_at,
                             .meta = meta,
                             .meta_bytes = r->meta_bytes};
    return true;
}

void ch_woven_free(struct ch_woven *w) {
    struct record *r = w->memory;
    if (r) {
        give_back(r, sizeof *r + (size_t)r->name_bytes + r->meta_bytes + r->bytes);
    } else {
        free(w->bytes);
        free(w->meta);
    }
}

static struct record *record_of(struct ch_key key, const char *name, size_t original_bytes, const struct ch_woven *w,
                                size_t *bytes) {
    size_t n = strlen(name);
    *bytes = sizeof(struct record) + n + w->meta_bytes + w->length;
    struct record *r = calloc(1, *bytes);
    if (!r) return NULL;
    *r = (struct record){.key = key,
                         .status = (uint32_t)w->status,
                         .slots = w->slots,
                         .integers_at = w->integers_at,
                         .original_bytes = (uint32_t)original_bytes,
                         .name_bytes = (uint32_t)n,
                         .meta_bytes = w->meta_bytes,
                         .bytes = w->length};
    char *to = (char *)(r + 1);
    memcpy(to, name, n);
    if (w->meta_bytes) memcpy(to + n, w->meta, w->meta_bytes);
    if (w->length) memcpy(to + n + w->meta_bytes, w->bytes, w->length);
    r->check = check_of(r, *bytes);
    return r;
}

void ch_cache_add(struct ch_key key, const char *name, size_t original_bytes, const struct ch_woven *w, bool anew) {
    size_t bytes;
    struct record *r = ch_pack_is_open() ? record_of(key, name, original_bytes, w, &bytes) : NULL;
    if (!r) return;
    ch_pack_add((struct ch_packed){.key = key, .bytes = (uint32_t)bytes}, r, anew);
    free(r);
}
