/* The files of the store of originals: ORIGINALS/PID-START-NUMBER.classes, one of each JVM that had something to add.
 *
 * 1. A file begins with a magic word and a block of entries: hash, place and size of each class file. Where a block is
 *    full, it leads to the next one. An entry is written after its class file, so that what a killed JVM left
 *    incomplete is not read (instrument/store/originals.py).
 * 2. Only one JVM writes to a file, so nobody waits for anybody. When it keeps its first class, it reads the entries of
 *    all files that are there, and adds what they lack. JVMs that run at the same time may both keep a class.
 * 3. A file for each class would take more time than all else that happens when a woven class is loaded
 *    (docs/decisions/0025-coverage-reports.md).
 */
#include "weaver.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_ENTRIES = 255 };

struct entry {
    unsigned char hash[32]; /* SHA-256 of the original */
    uint64_t at;
    uint32_t bytes; /* 0: no entry yet */
    uint32_t woven; /* 1: this is the class as it was woven ahead of time, which has the original in it */
};

struct block {
    uint64_t next; /* offset of the next block, 0: none yet */
    struct entry entries[BLOCK_ENTRIES];
};

static const char magic[8] = {'C', 'L', 'S', 'O', 'R', 'I', 'G', '1'};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[4096 + 16];
static bool looked; /* at the files that were there */
static int file = -1;
static struct stat own;
static uint64_t end, block_at;
static unsigned block_used;
static ch_keys known;

const char *ch_originals_folder(void) { return folder; }

/* A program may close all files that it does not know, and then open its own under our number. */
static bool is_ours(void) {
    struct stat s;
    return file >= 0 && !fstat(file, &s) && ch_same_file(&s, &own) && s.st_nlink;
}

void ch_originals_start(const char *data_directory) {
    pthread_mutex_lock(&lock);
    snprintf(folder, sizeof folder, "%s/originals", data_directory);
    if (is_ours()) close(file);
    file = -1;
    looked = false;
    ch_table_clear(&known);
    pthread_mutex_unlock(&lock);
}

/* ---- what is there */

static struct ch_key key_of(const unsigned char *hash, bool woven) {
    struct ch_key key;
    memcpy(&key, hash, sizeof key);
    return ch_hash_own((struct ch_key){woven, 0}, &key, sizeof key);
}

static void read_entries(int from) {
    static struct block block; /* lock held */
    char begins[sizeof magic];
    struct stat s;
    if (fstat(from, &s) || !S_ISREG(s.st_mode) || pread(from, begins, sizeof begins, 0) != sizeof begins ||
        memcmp(begins, magic, sizeof magic))
        return;
    uint64_t size = (uint64_t)s.st_size;
    for (uint64_t at = sizeof magic, next; at; at = next) {
        if (pread(from, &block, sizeof block, (off_t)at) != sizeof block) return;
        for (const struct entry *e = block.entries; e < block.entries + BLOCK_ENTRIES && e->bytes; e++)
            if (e->at <= size && e->bytes <= size - e->at)
                ch_keys_add(&known, key_of(e->hash, e->woven)); /* without memory, it is kept again */
        next = block.next > at ? block.next : 0; /* only forward, so that the loop ends */
    }
}

static void look(void) {
    DIR *files = opendir(folder);
    looked = true;
    for (struct dirent *one; files && (one = readdir(files));) {
        const char *ending = strrchr(one->d_name, '.');
        if (!ending || strcmp(ending, ".classes")) continue;
        int from = openat(dirfd(files), one->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (from < 0) continue;
        read_entries(from);
        close(from);
    }
    if (files) closedir(files);
}

/* ---- what is added; false: errno says why */

static bool begin_block(void) {
    static const struct block empty;
    if (!ch_write(file, end, &empty, sizeof empty) ||
        (block_at && !ch_write(file, block_at + offsetof(struct block, next), &end, sizeof end)))
        return false;
    block_at = end;
    block_used = 0;
    end += sizeof empty;
    return true;
}

static bool begin_file(void) {
    static unsigned number;
    char path[sizeof folder + 80];
    if (!ch_make_dirs(folder, 0777)) return false;
    snprintf(path, sizeof path, "%s/%u-%llx-%u.classes", folder, ch_header->pid,
             (unsigned long long)ch_header->start_unix_ns, ++number);
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0) return false;
    end = sizeof magic;
    block_at = 0;
    if (!fstat(file, &own) && ch_write(file, 0, magic, sizeof magic) && begin_block()) return true;
    int error = errno;
    unlink(path);
    close(file);
    file = -1;
    errno = error;
    return false;
}

static bool add(struct entry e, const unsigned char *data) {
    if (!is_ours() && !begin_file()) return false;
    if (block_used == BLOCK_ENTRIES && !begin_block()) return false;
    e.at = end;
    if (!ch_write(file, end, data, e.bytes) ||
        !ch_write(file, block_at + offsetof(struct block, entries) + block_used * sizeof e, &e, sizeof e))
        return false;
    end += e.bytes;
    block_used++;
    return true;
}

bool ch_originals_keep(const unsigned char hash[32], bool woven, const unsigned char *data, size_t bytes) {
    struct entry e = {.bytes = (uint32_t)bytes, .woven = woven};
    struct ch_key key = key_of(hash, woven);
    memcpy(e.hash, hash, sizeof e.hash);
    pthread_mutex_lock(&lock);
    if (!looked) look();
    bool there = ch_table_find_key(&known, &key), good = there || add(e, data);
    if (good && !there) ch_keys_add(&known, key);
    pthread_mutex_unlock(&lock);
    return good;
}
