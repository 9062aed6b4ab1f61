/* The cache of woven classes: one pack file for each set of rules and build of classhook, shared by all JVMs.
 *
 * 1. A record's key is a hash of all that decides the result: the class's bytes, whether it belongs to the JDK, and what earlier runs
 *    found of it (verdicts.c), which has records of its own; the rules and the build name the file. A record keeps numbers relative,
 *    as the weaver made them.
 * 2. The file is mapped; at the start all records that are whole go into a table. Only their bytes up to there are ever touched.
 * 3. A new record is appended under the file's lock, behind what other JVMs have appended since, which is read first. What a
 *    killed JVM left half-way at the end is cut off then; nobody has read so far. Where the lock is not free, nothing is kept.
 * 4. A record whose checksum is wrong is passed over, with a notice. A pack that is full or damaged is started anew, under the same
 *    name: who has the old one mapped keeps it.
 */
#include "agent.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_BYTES ((uint64_t)256 << 20)
#define PACK_MAGIC "CLSPACK1"
#define RECORD_MAGIC 0x6b635243u

struct record {
    uint32_t magic, bytes; /* of header and payload, a multiple of 8 */
    struct ch_key key;
    uint64_t check; /* over the rest */
    uint32_t status, length, slots, integers_at, meta_bytes, zero;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fd = -1;
static const uint8_t *map;
static uint64_t known; /* bytes of whole records, from the start of the file */
static uint64_t *table;
static size_t room, used;
static bool damaged, full, opened;

/* ---- a 128-bit hash: two lanes of multiply and rotate over 16 bytes at a time, mixed at the end (the scheme of MurmurHash3) */

static uint64_t rotated(uint64_t x, int by) { return x << by | x >> (64 - by); }

static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

struct ch_key ch_hash(struct ch_key seed, const void *data, size_t bytes) {
    const uint64_t c1 = 0x87c37b91114253d5u, c2 = 0x4cf5ad432745937fu;
    uint64_t a = seed.high, b = seed.low, k[2];
    const uint8_t *p = data;
    for (size_t left = bytes; left; p += 16, left = left > 16 ? left - 16 : 0) {
        k[0] = k[1] = 0;
        memcpy(k, p, left < 16 ? left : 16);
        a = (rotated(a ^ rotated(k[0] * c1, 31) * c2, 27) + b) * 5 + 0x52dce729;
        b = (rotated(b ^ rotated(k[1] * c2, 33) * c1, 31) + a) * 5 + 0x38495ab5;
    }
    a ^= bytes, b ^= bytes;
    a += b, b += a;
    a = mixed(a), b = mixed(b);
    a += b, b += a;
    return (struct ch_key){a, b};
}

static bool same(struct ch_key a, struct ch_key b) { return a.high == b.high && a.low == b.low; }

static uint64_t checksum(const struct record *r) {
    const struct ch_key seed = {r->key.high ^ r->status, r->key.low ^ r->length};
    return ch_hash(seed, &r->status, r->bytes - offsetof(struct record, status)).high;
}

/* ---- the table: offsets of records, by key */

static uint64_t *place_of(struct ch_key key) {
    size_t at = key.low & (room - 1);
    while (table[at] && !same(((const struct record *)(map + table[at]))->key, key)) at = (at + 1) & (room - 1);
    return &table[at];
}

static void remember(uint64_t offset) {
    if (opened && ((const struct record *)(map + offset))->status == CH_VERDICTS) return; /* for the next run */
    if (used * 2 >= room) {
        uint64_t *old = table;
        size_t n = room, more = n ? n * 2 : 4096;
        uint64_t *fresh = calloc(more, sizeof *fresh);
        if (!fresh) return;
        table = fresh;
        room = more;
        for (size_t i = 0; i < n; i++)
            if (old[i]) *place_of(((const struct record *)(map + old[i]))->key) = old[i];
        free(old);
    }
    uint64_t *place = place_of(((const struct record *)(map + offset))->key);
    used += !*place;
    *place = offset;
}

/* Takes up the whole records between `known` and the file's end; false if something else lies there. */
static bool read_on(uint64_t size) {
    while (known + sizeof(struct record) <= size) {
        const struct record *r = (const struct record *)(map + known);
        if (r->magic != RECORD_MAGIC || r->bytes < sizeof *r || r->bytes % 8 || r->bytes > size - known ||
            (uint64_t)r->length + r->meta_bytes > r->bytes - sizeof *r)
            return false;
        remember(known);
        known += r->bytes;
    }
    return known == size;
}

/* ---- opening */

/* What of the compiled rules decides how a class is woven: not where a rule was written, nor what it is called. */
static struct ch_key hash_of_rules(const char *text, size_t bytes) {
    struct ch_key key = {0, 0};
    for (const char *line = text, *end = text + bytes, *next; line < end; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        if (!strncmp(line, "end\t", 4)) break;
        const char *cut = line[0] == 'R' ? line + 2 + strcspn(line + 2, "\t") : NULL; /* R<TAB>kind<TAB>pace<TAB>... */
        if (cut && *cut == '\t') cut += 1 + strcspn(cut + 1, "\t\n");
        key = ch_hash(key, line, (size_t)((cut ? cut : next) - line));
    }
    return key;
}

/* The file's lock, unless another process sits on it: the program's start must not wait for that. */
static bool lock_soon(void) {
    for (int tries = 0; tries < 20; tries++) {
        if (!flock(fd, LOCK_EX | LOCK_NB)) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return false;
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    return false;
}

static bool open_pack(const char *path) {
    struct stat s;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || !lock_soon()) return false;
    bool good = !fstat(fd, &s) && s.st_uid == geteuid();
    if (good && s.st_size == 0) good = pwrite(fd, PACK_MAGIC, 8, 0) == 8 && !fstat(fd, &s);
    if (good && (uint64_t)s.st_size > MOST_BYTES - (MOST_BYTES >> 3)) { /* start anew; who has it mapped keeps the old one */
        unlink(path);
        close(fd);
        return open_pack(path);
    }
    map = good ? mmap(NULL, MOST_BYTES, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (map == MAP_FAILED || memcmp(map, PACK_MAGIC, 8)) {
        if (map != MAP_FAILED) ch_say("%s is no cache of woven classes and is left alone; name another with cache=DIR", path);
        flock(fd, LOCK_UN);
        return false;
    }
    futimens(fd, NULL); /* used now: the oldest packs are pruned first */
    known = 8;
    if (!read_on((uint64_t)s.st_size)) {
        damaged = true;
        ch_say("the cache of woven classes %s is damaged at byte %llu; the next run begins a new one", path, (unsigned long long)known);
        unlink(path); /* others may have it mapped, so it is never shortened; the next JVM begins a new one */
        full = true;
    }
    flock(fd, LOCK_UN);
    opened = true;
    return true;
}

void ch_cache_open(const char *dir, const char *rules, size_t bytes) {
    char path[4096];
    struct ch_key key = hash_of_rules(rules, bytes);
    if (strlen(dir) > 4000 || !ch_make_dirs(dir, 0700)) {
        ch_say("cannot make the cache directory %s: %s; classes are woven without it", dir, strerror(errno));
        return;
    }
    snprintf(path, sizeof path, "%s/%016llx%016llx-%s.pack", dir, (unsigned long long)key.high, (unsigned long long)key.low, CH_BUILD_ID);
    if (!open_pack(path)) {
        if (fd >= 0) close(fd);
        fd = -1;
        if (errno) ch_say("cannot use the cache %s: %s; classes are woven without it", path, strerror(errno));
    }
}

/* ---- looking up and adding */

bool ch_cache_is_open(void) { return fd >= 0 && !full; }

bool ch_cache_find(struct ch_key key, struct ch_woven *out) {
    if (fd < 0 || !table) return false;
    pthread_mutex_lock(&lock);
    uint64_t offset = *place_of(key);
    pthread_mutex_unlock(&lock);
    if (!offset) return false;
    const struct record *r = (const struct record *)(map + offset);
    if (checksum(r) != r->check) {
        if (!__atomic_exchange_n(&damaged, true, __ATOMIC_RELAXED)) ch_say("a woven class in the cache is damaged and is woven again");
        return false;
    }
    unsigned char *payload = (unsigned char *)(uintptr_t)(r + 1);
    *out = (struct ch_woven){.status = (int)r->status, .bytes = payload + r->meta_bytes, .length = r->length, .slots = r->slots,
                             .integers = r->slots, .integers_at = r->integers_at, .meta = (char *)payload, .meta_bytes = r->meta_bytes};
    return true;
}

static struct record *record_of(struct ch_key key, const struct ch_woven *w) {
    uint64_t bytes = (sizeof(struct record) + (uint64_t)w->meta_bytes + w->length + 7) & ~(uint64_t)7;
    struct record *r = bytes < MOST_BYTES / 16 ? calloc(1, bytes) : NULL;
    if (!r) return NULL;
    *r = (struct record){RECORD_MAGIC, (uint32_t)bytes, key, 0, (uint32_t)w->status, w->length, w->slots, w->integers_at, w->meta_bytes, 0};
    if (w->meta_bytes) memcpy(r + 1, w->meta, w->meta_bytes);
    if (w->length) memcpy((uint8_t *)(r + 1) + w->meta_bytes, w->bytes, w->length);
    r->check = checksum(r);
    return r;
}

void ch_cache_add(struct ch_key key, const struct ch_woven *w, bool anew) {
    struct stat s;
    if (fd < 0 || full) return;
    struct record *r = record_of(key, w);
    if (!r) return;
    pthread_mutex_lock(&lock);
    if (!flock(fd, LOCK_EX | LOCK_NB)) { /* who holds it may be stopped: rather weave that class again next time */
        if (!fstat(fd, &s)) {
            if ((uint64_t)s.st_size < known)
                full = true; /* somebody cut it off */
            else if (!read_on((uint64_t)s.st_size) && ftruncate(fd, (off_t)known))
                full = true;
            if (known + r->bytes > MOST_BYTES) full = true;
            if (!full && (anew || !(table && *place_of(key)))) {
                if (pwrite(fd, r, r->bytes, (off_t)known) == (ssize_t)r->bytes) {
                    remember(known);
                    known += r->bytes;
                } else { /* the disk is full: leave no half record */
                    full = true;
                    if (ftruncate(fd, (off_t)known)) damaged = true;
                }
            }
        }
        flock(fd, LOCK_UN);
    }
    pthread_mutex_unlock(&lock);
    free(r);
}
