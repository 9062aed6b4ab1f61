/* A pack: the file of woven classes for one set of rules and one build of classhook, shared by many JVMs.
 *
 * 1. The file begins with a header that holds the hash's secret, followed by the first of a chain of index blocks: key
 *    and offset of each record. The index is read at the start, a record when it is needed. The file is not mapped:
 *    others may truncate it at any time.
 * 2. Under the file's lock, a new record is appended after those of other JVMs, then its entry is written to the index,
 *    then the entry is counted. Incomplete data of a killed JVM is never read. If the lock is not free, the record is
 *    not kept.
 * 3. A later record with the same key replaces an earlier one. A pack that is full, or whose header is cut off or index
 *    damaged, is replaced by an empty file of the same name; JVMs that have the old one open keep using it.
 */
#include "weaver.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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

struct index {
    uint64_t magic, next; /* offset of the next block, 0: none yet */
    uint64_t used;
    struct ch_packed entries[BLOCK_ENTRIES];
};

struct known {
    struct ch_keyed is;
    struct ch_packed entry;
};

static const char magic[8] = {'C', 'L', 'S', 'P', 'A', 'C', 'K', '2'};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fd = -1;
static struct ch_key secret;
static uint64_t block_at, block_used; /* offset of the last index block, and how many of its entries have been read */
static CH_TABLE(struct known) table;
static bool full;

/* ---- the table */

static void remember(struct ch_packed e) {
    struct known *before = ch_table_find_key(&table, &e.key);
    if (before)
        before->entry = e; /* a later record replaces an earlier one */
    else
        ch_table_add_key(&table, &(struct known){{.key = e.key}, e});
}

/* ---- the index */

static bool read_at(uint64_t at, void *to, size_t bytes) { return pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes; }

static bool write_at(uint64_t at, const void *from, size_t bytes) {
    ssize_t n = pwrite(fd, from, bytes, (off_t)at);
    if (n >= 0) errno = ENOSPC; /* in case the write was short */
    return n == (ssize_t)bytes;
}

/* Reads the new entries of the index; false if it is damaged. */
static bool read_on(uint64_t size) {
    static struct index block; /* lock held */
    for (;;) {
        if (!read_at(block_at, &block, sizeof block) || block.magic != INDEX_MAGIC || block.used > BLOCK_ENTRIES ||
            block.used < block_used)
            return false;
        for (; block_used < block.used; block_used++) {
            struct ch_packed e = block.entries[block_used];
            if (e.at < sizeof(struct header) || e.bytes > LARGEST_RECORD || e.at > size || e.bytes > size - e.at)
                return false;
            remember(e);
        }
        if (!block.next || block_used < BLOCK_ENTRIES) return true;
        if (block.next < block_at + sizeof block || block.next > size)
            return false; /* only forward, so that the loop ends */
        block_at = block.next;
        block_used = 0;
    }
}

/* Takes the file's lock, unless another process holds it for long: the program's start must not wait for that. */
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

/* State of an existing file. Cut off: its header was not completely written (killed JVM, full disk, machine
 * stopped). */
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

static bool open_pack(const char *path, bool again, struct ch_error *error);

/* Replaces the pack by an empty one. JVMs that have the old one open keep using it. */
static bool open_anew(const char *path, nlink_t names, struct ch_error *error) {
    if (names) unlink(path); /* else another JVM has unlinked it */
    close(fd);
    ch_table_clear(&table);
    return open_pack(path, true, error);
}

static bool open_pack(const char *path, bool again, struct ch_error *error) {
    struct stat s;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0 || !lock_soon() || fstat(fd, &s)) return false;
    errno = EPERM; /* in case the file belongs to another user */
    if (!S_ISREG(s.st_mode) || s.st_uid != geteuid() || (s.st_size == 0 && (!begin_pack() || fstat(fd, &s))))
        return false;
    enum state state = take_up((uint64_t)s.st_size);
    if (state == FOREIGN || (state == CUT_OFF && again)) {
        ch_fail(error, "%s is not a cache of woven classes and is left alone; name another directory with cache=DIR",
                path);
        errno = 0;
        return false;
    }
    if (state == DAMAGED && !again)
        ch_warn(error, "the cache of woven classes %s is damaged and is replaced by an empty one", path);
    if (state != WHOLE && !again) return open_anew(path, s.st_nlink, error);
    full = state != WHOLE; /* and could not be replaced: use what was read, add nothing */
    futimens(fd, NULL); /* marks it as used: the least recently used packs are pruned first */
    flock(fd, LOCK_UN);
    return true;
}

/* Writes a new index block at the end of the file and links it to the chain. */
static bool begin_block(uint64_t at) {
    static const struct index empty = {.magic = INDEX_MAGIC};
    if (!write_at(at, &empty, sizeof empty) || !write_at(block_at + offsetof(struct index, next), &at, sizeof at))
        return false;
    block_at = at;
    block_used = 0;
    return true;
}

/* The file's lock is held, and the index has been read to its end. False: the disk is full. */
static bool append(const void *record, struct ch_packed e, uint64_t end) {
    if (block_used == BLOCK_ENTRIES) {
        if (!begin_block(end)) return false;
        end += sizeof(struct index);
    }
    e.at = end;
    uint64_t more = block_used + 1;
    if (!write_at(e.at, record, e.bytes) ||
        !write_at(block_at + offsetof(struct index, entries) + block_used * sizeof e, &e, sizeof e) ||
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

bool ch_pack_is_open(void) { return fd >= 0 && !full; }

bool ch_pack_open(const char *path, struct ch_key *its_secret, struct ch_error *error) {
    if (open_pack(path, false, error)) {
        *its_secret = secret;
        return true;
    }
    if (errno) ch_fail(error, "cannot use the cache %s: %s; classes are woven without it", path, strerror(errno));
    if (fd >= 0) close(fd);
    fd = -1;
    return false;
}

struct ch_packed ch_pack_find(struct ch_key key) {
    pthread_mutex_lock(&lock);
    const struct known *found = ch_table_find_key(&table, &key);
    const struct ch_packed e = found ? found->entry : (struct ch_packed){.at = 0};
    pthread_mutex_unlock(&lock);
    return e;
}

bool ch_pack_read(const struct ch_packed *e, void *to) { return read_at(e->at, to, e->bytes); }

void ch_pack_add(struct ch_packed e, const void *record, bool anew) {
    struct stat s;
    if (!ch_pack_is_open() || e.bytes >= LARGEST_RECORD) return;
    pthread_mutex_lock(&lock);
    if (!full &&
        !flock(fd,
               LOCK_EX | LOCK_NB)) { /* its holder may be stopped: do not wait; the next run weaves the class again */
        bool known = ch_table_find_key(&table, &e.key);
        full = fstat(fd, &s) || !still_ours() || !read_on((uint64_t)s.st_size) ||
               (uint64_t)s.st_size + e.bytes + sizeof(struct index) > MOST_BYTES;
        /* skip a record that another JVM has just added, but not one that was known before: it could not be read */
        bool wanted = anew || known || !ch_table_find_key(&table, &e.key);
        if (!full && wanted) full = !append(record, e, ((uint64_t)s.st_size + 7) & ~(uint64_t)7);
        flock(fd, LOCK_UN);
    }
    pthread_mutex_unlock(&lock);
}
