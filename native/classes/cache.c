/* The cache of woven classes: one pack file for each set of rules and build of classhook, shared by all JVMs.
 *
 * 1. A record's key is a hash of all that decides the result: the class's bytes and name, whether it belongs to the JDK and to the boot
 *    loader, and what earlier runs found of it (earlier_runs.c), which has records of its own; the rules and the build name the file. A
 *    record keeps numbers relative, as the weaver made them, and says name and length of the class as it was.
 * 2. The file begins with a header that has the hash's secret, and the first of a chain of index blocks: key and place of each record.
 *    The index is read at the start, a record when it is wanted. Nothing is mapped: others may cut the file off at any time.
 * 3. A new record is appended under the file's lock, behind what other JVMs have appended since, then its entry in the index, then the
 *    entry is counted; what a killed JVM left half-way nobody ever looks at. Where the lock is not free, nothing is kept.
 * 4. A record that is not what its entry says, or whose checksum is wrong, is woven again, with a notice, and takes the place of the old one.
 *    A pack that is full, or whose header is cut off or index damaged, is begun anew under the same name: who has the old one open keeps it.
 */
#include "classes.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_BYTES ((uint64_t)256 << 20)
#define LARGEST_RECORD (MOST_BYTES / 16)
#define INDEX_MAGIC 0x78646e4948435443u
enum { BLOCK_ENTRIES = 255 };

struct header {
    char magic[8]; /* "CLSPACK2" */
    struct ch_key secret;
    uint64_t zero;
}; /* the first index block follows */

struct entry {
    struct ch_key key;
    uint64_t at;
    uint32_t bytes, is_verdict;
};

struct index {
    uint64_t magic, next; /* where the next block lies, 0: nowhere yet */
    uint64_t used;
    struct entry entries[BLOCK_ENTRIES];
};

struct record {
    struct ch_key key;
    uint64_t check; /* over the rest */
    uint32_t status, slots, integers_at;
    uint32_t original_bytes, name_bytes, meta_bytes, bytes, zero; /* name, table and woven class follow */
};

static const char magic[8] = "CLSPACK2";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fd = -1;
static struct ch_key secret;
static uint64_t block_at, block_used; /* the last index block, and so many of its entries are known */
static struct entry *table;           /* by key; at 0: free */
static size_t room, used;
static bool damaged, full, opened;

/* ---- the table */

static struct entry *place_of(struct ch_key key) {
    size_t i = key.low & (room - 1);
    while (table[i].at && !ch_same_key(table[i].key, key)) i = (i + 1) & (room - 1);
    return &table[i];
}

static void remember(struct entry e) {
    if (opened && e.is_verdict) return; /* for the next run */
    if (used * 2 >= room) {
        struct entry *old = table, *fresh = calloc(room ? room * 2 : 4096, sizeof *fresh);
        size_t n = room;
        if (!fresh) return;
        table = fresh;
        room = n ? n * 2 : 4096;
        for (size_t i = 0; i < n; i++)
            if (old[i].at) *place_of(old[i].key) = old[i];
        free(old);
    }
    struct entry *place = place_of(e.key);
    used += !place->at;
    *place = e; /* a later one takes the place of an earlier one */
}

/* ---- the index */

static bool read_at(uint64_t at, void *to, size_t bytes) { return pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes; }

static bool write_at(uint64_t at, const void *from, size_t bytes) {
    ssize_t n = pwrite(fd, from, bytes, (off_t)at);
    if (n >= 0) errno = ENOSPC; /* where it is not all */
    return n == (ssize_t)bytes;
}

/* Takes up what the index has beyond what is known; false where it cannot be right. */
static bool read_on(uint64_t size) {
    static struct index block; /* lock held */
    for (;;) {
        if (!read_at(block_at, &block, sizeof block) || block.magic != INDEX_MAGIC || block.used > BLOCK_ENTRIES || block.used < block_used)
            return false;
        for (; block_used < block.used; block_used++) {
            struct entry e = block.entries[block_used];
            if (e.at < sizeof(struct header) || e.bytes < sizeof(struct record) || e.bytes > LARGEST_RECORD || e.at > size || e.bytes > size - e.at)
                return false;
            remember(e);
        }
        if (!block.next || block_used < BLOCK_ENTRIES) return true;
        if (block.next < block_at + sizeof block || block.next > size) return false; /* only forward, so that it ends soon */
        block_at = block.next;
        block_used = 0;
    }
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

static bool begin_pack(void) {
    static const struct index empty = {.magic = INDEX_MAGIC};
    struct header h = {.secret = ch_random_key()};
    memcpy(h.magic, magic, sizeof magic);
    return write_at(sizeof h, &empty, sizeof empty) && write_at(0, &h, sizeof h);
}

/* Of a file in the pack's place. Cut off: not all of its header was written, as its JVM was killed, the disk was full or the machine stopped. */
enum state { WHOLE, FOREIGN, CUT_OFF, DAMAGED, TOO_LARGE };

static enum state look_at_header(struct header *h) {
    static const struct header nothing;
    *h = nothing;
    ssize_t n = pread(fd, h, sizeof *h, 0);
    bool begins = !memcmp(h->magic, magic, n < 0 ? 0 : n < (ssize_t)sizeof magic ? (size_t)n : sizeof magic);
    if (n == sizeof *h && begins) return WHOLE;
    return n >= 0 && (begins || !memcmp(h, &nothing, sizeof nothing)) ? CUT_OFF : FOREIGN;
}

static enum state take_up(uint64_t size) {
    struct header h;
    enum state state = look_at_header(&h);
    if (state != WHOLE) return state;
    secret = h.secret;
    block_at = sizeof h;
    block_used = 0;
    if (size > MOST_BYTES - (MOST_BYTES >> 3)) return TOO_LARGE;
    return read_on(size) ? WHOLE : DAMAGED;
}

static bool open_pack(const char *path, bool again);

/* Who has the old one open keeps it. */
static bool open_anew(const char *path, nlink_t names) {
    if (names) unlink(path); /* else another JVM did */
    close(fd);
    free(table);
    table = NULL;
    room = used = 0;
    return open_pack(path, true);
}

static bool open_pack(const char *path, bool again) {
    struct stat s;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0 || !lock_soon() || fstat(fd, &s)) return false;
    errno = EPERM; /* of another's file */
    if (!S_ISREG(s.st_mode) || s.st_uid != geteuid() || (s.st_size == 0 && (!begin_pack() || fstat(fd, &s)))) return false;
    enum state state = take_up((uint64_t)s.st_size);
    if (state == FOREIGN || (state == CUT_OFF && again)) {
        ch_say("%s is no cache of woven classes and is left alone; name another with cache=DIR", path);
        errno = 0;
        return false;
    }
    if (state == DAMAGED && !again) ch_say("the cache of woven classes %s is damaged and begun anew", path);
    if (state != WHOLE && !again) return open_anew(path, s.st_nlink);
    full = state != WHOLE; /* and cannot be removed: what was read of it serves */
    futimens(fd, NULL); /* used now: the oldest packs are pruned first */
    flock(fd, LOCK_UN);
    return opened = true;
}

/* What of the compiled rules decides how a class is woven: not where a rule was written, nor what it is called. */
static struct ch_key hash_of_rules(const char *text, size_t bytes) {
    struct ch_key key = {0, 0};
    for (const char *line = text, *end = text + bytes, *next; line < end; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        if (!strncmp(line, "end\t", 4)) break;
        const char *cut = line[0] == 'R' ? line + 2 + strcspn(line + 2, "\t") : NULL; /* R<TAB>kind<TAB>pace<TAB>... */
        if (cut && *cut == '\t') cut += 1 + strcspn(cut + 1, "\t\n");
        key = ch_hash_unkeyed(key, line, (size_t)((cut ? cut : next) - line));
    }
    return key;
}

void ch_cache_open(const char *dir, const char *rules, size_t bytes) {
    char path[4096];
    struct ch_key key = hash_of_rules(rules, bytes);
    if (strlen(dir) > 4000 || !ch_make_dirs(dir, 0700)) {
        ch_say("cannot use the cache directory %s: %s; classes are woven without it", dir, strerror(errno));
        return;
    }
    snprintf(path, sizeof path, "%s/%016llx%016llx-%s.pack", dir, (unsigned long long)key.high, (unsigned long long)key.low, CH_BUILD_ID);
    if (open_pack(path, false)) {
        ch_hash_use(secret);
    } else {
        if (errno) ch_say("cannot use the cache %s: %s; classes are woven without it", path, strerror(errno));
        if (fd >= 0) close(fd);
        fd = -1;
    }
}

/* ---- looking up and adding */

bool ch_cache_is_open(void) { return fd >= 0 && !full; }

static uint64_t check_of(const struct record *r, size_t bytes) {
    return ch_checksum(r->key, &r->status, bytes - offsetof(struct record, status));
}

/* Memory for records that are read: one piece is kept for the next one, since fresh memory costs more than the reading. */
static void *spare;
static const size_t spare_bytes = 256 << 10;

static void *memory_for(size_t bytes) {
    void *p = bytes <= spare_bytes ? __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQUIRE) : NULL;
    return p ? p : malloc(bytes < spare_bytes ? spare_bytes : bytes);
}

static void give_back(struct record *r, size_t bytes) {
    void *none = NULL;
    if (bytes > spare_bytes || !__atomic_compare_exchange_n(&spare, &none, (void *)r, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) free(r);
}

/* The record that an entry speaks of; NULL where something else lies there. */
static struct record *read_record(const struct entry *e) {
    struct record *r = memory_for(e->bytes);
    if (r && read_at(e->at, r, e->bytes) && ch_same_key(r->key, e->key) && r->check == check_of(r, e->bytes) &&
        sizeof *r + (uint64_t)r->name_bytes + r->meta_bytes + r->bytes == e->bytes)
        return r;
    if (r) give_back(r, e->bytes);
    return NULL;
}

static struct entry entry_of(struct ch_key key) {
    struct entry e = {.at = 0};
    pthread_mutex_lock(&lock);
    if (table) e = *place_of(key);
    pthread_mutex_unlock(&lock);
    return e;
}

bool ch_cache_has(struct ch_key key) { return entry_of(key).at; }

bool ch_cache_find(struct ch_key key, const char *name, size_t original_bytes, struct ch_woven *out) {
    struct entry e = entry_of(key);
    if (!e.at) return false;
    struct record *r = read_record(&e);
    if (!r) {
        if (!__atomic_exchange_n(&damaged, true, __ATOMIC_RELAXED)) ch_say("a woven class in the cache is damaged and is woven again");
        return false;
    }
    const char *own_name = (const char *)(r + 1);
    if (r->original_bytes != original_bytes || r->name_bytes != strlen(name) || memcmp(own_name, name, r->name_bytes)) {
        give_back(r, e.bytes);
        return false;
    }
    char *meta = (char *)(r + 1) + r->name_bytes;
    *out = (struct ch_woven){.memory = r, .status = (int)r->status, .bytes = (unsigned char *)meta + r->meta_bytes, .length = r->bytes,
                             .slots = r->slots, .integers = r->slots, .integers_at = r->integers_at, .meta = meta,
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

static struct record *record_of(struct ch_key key, const char *name, size_t original_bytes, const struct ch_woven *w, size_t *bytes) {
    size_t n = strlen(name);
    *bytes = sizeof(struct record) + n + w->meta_bytes + w->length;
    struct record *r = *bytes < LARGEST_RECORD ? calloc(1, *bytes) : NULL;
    if (!r) return NULL;
    *r = (struct record){.key = key, .status = (uint32_t)w->status, .slots = w->slots, .integers_at = w->integers_at,
                         .original_bytes = (uint32_t)original_bytes, .name_bytes = (uint32_t)n, .meta_bytes = w->meta_bytes, .bytes = w->length};
    char *to = (char *)(r + 1);
    memcpy(to, name, n);
    if (w->meta_bytes) memcpy(to + n, w->meta, w->meta_bytes);
    if (w->length) memcpy(to + n + w->meta_bytes, w->bytes, w->length);
    r->check = check_of(r, *bytes);
    return r;
}

/* A new index block behind all, and the way to it. */
static bool begin_block(uint64_t at) {
    static const struct index empty = {.magic = INDEX_MAGIC};
    if (!write_at(at, &empty, sizeof empty) || !write_at(block_at + offsetof(struct index, next), &at, sizeof at)) return false;
    block_at = at;
    block_used = 0;
    return true;
}

/* The file's lock is held, and all that others added is known. False: the disk is full. */
static bool append(const struct record *r, struct entry e, uint64_t end) {
    if (block_used == BLOCK_ENTRIES) {
        if (!begin_block(end)) return false;
        end += sizeof(struct index);
    }
    e.at = end;
    uint64_t more = block_used + 1;
    if (!write_at(e.at, r, e.bytes) || !write_at(block_at + offsetof(struct index, entries) + block_used * sizeof e, &e, sizeof e) ||
        !write_at(block_at + offsetof(struct index, used), &more, sizeof more))
        return false;
    block_used = more;
    remember(e);
    return true;
}

static bool still_ours(void) {
    struct header h;
    return read_at(0, &h, sizeof h) && !memcmp(h.magic, magic, sizeof magic) && ch_same_key(h.secret, secret);
}

void ch_cache_add(struct ch_key key, const char *name, size_t original_bytes, const struct ch_woven *w, bool anew) {
    struct stat s;
    size_t bytes;
    if (!ch_cache_is_open()) return;
    struct record *r = record_of(key, name, original_bytes, w, &bytes);
    if (!r) return;
    pthread_mutex_lock(&lock);
    if (!full && !flock(fd, LOCK_EX | LOCK_NB)) { /* who holds it may be stopped: rather weave that class again next time */
        struct entry e = {key, 0, (uint32_t)bytes, w->status == CH_VERDICTS}, known = table ? *place_of(key) : e;
        full = fstat(fd, &s) || !still_ours() || !read_on((uint64_t)s.st_size) ||
               (uint64_t)s.st_size + bytes + sizeof(struct index) > MOST_BYTES;
        /* what another JVM added meanwhile need not be added again; what could not be read must */
        bool wanted = anew || known.at || !table || !place_of(key)->at;
        if (!full && wanted) full = !append(r, e, ((uint64_t)s.st_size + 7) & ~(uint64_t)7);
        flock(fd, LOCK_UN);
    }
    pthread_mutex_unlock(&lock);
    free(r);
}
