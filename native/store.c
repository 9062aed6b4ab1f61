/* The data file: mapped memory that outlives the process.
 *
 * 1. The file is made on tmpfs where there is one (a store into a page of a disk's file can stall for tens of milliseconds), with
 *    a symbolic link to it in the data directory; else in the data directory itself.
 * 2. A region reserves addresses, and grows by chunks of the file that are allocated for real first: a store into a hole of a
 *    full disk would be a SIGBUS in the program's thread.
 * 3. Where the disk refuses, the region grows by anonymous memory, and the header counts that.
 */
#include "agent.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define TMPFS "/dev/shm"
#define TMPFS_MAGIC 0x01021994
#define ENOUGH ((uint64_t)512 << 20) /* a container's small tmpfs would be full soon; then the disk is the better place */
#define META_RESERVED ((size_t)4 << 30)

struct ch_header *ch_header;
static struct ch_entry *directory; /* the part of the directory that is being filled */
static size_t directory_used;
static int fd = -1;
static uint64_t file_bytes;
static struct ch_region meta;

/* Where the woven classes stand in the metadata, by their first slot: the way from a slot to its site. */
static struct woven_class {
    uint32_t first_slot;
    uint64_t at;
} *woven;
static size_t woven_count, woven_room;


static bool on_tmpfs(const char *path, uint64_t free_bytes) {
    struct statfs s;
    return statfs(path, &s) == 0 && s.f_type == TMPFS_MAGIC && (uint64_t)s.f_bavail * (uint64_t)s.f_bsize >= free_bytes;
}

static int create(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    /* the lock is how a reader knows that we live; it goes with the process however that ends */
    if (file >= 0 && flock(file, LOCK_EX)) { /* a reader may have it for a moment */
        close(file);
        return -1;
    }
    return file;
}

static bool allocate(int file, uint64_t offset, uint64_t bytes) {
    int error;
    do error = posix_fallocate(file, (off_t)offset, (off_t)bytes);
    while (error == EINTR);
    errno = error;
    return error == 0;
}

static void fill_command(char *to, size_t room) {
    FILE *f = fopen("/proc/self/cmdline", "re");
    size_t n = f ? fread(to, 1, room - 2, f) : 0;
    if (f) fclose(f);
    to[n] = to[n + 1] = 0;
}

/* Makes the file with its header's room allocated; path is where it lies. */
static int create_allocated(const char *path) {
    int file = create(path);
    if (file >= 0 && !allocate(file, 0, CH_CHUNK)) {
        int error = errno;
        unlink(path);
        close(file);
        errno = error;
        return -1;
    }
    return file;
}

bool ch_make_dirs(const char *dir, unsigned mode) {
    char path[4096];
    if (strlen(dir) >= sizeof path) return false;
    strcpy(path, dir);
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(path, mode);
        *p = '/';
    }
    return mkdir(path, mode) == 0 || errno == EEXIST;
}

bool ch_store_open(const char *dir) {
    char name[128], link[4096 + 256], shm[256];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    /* pid and time together are unique on this machine, also among JVMs of several PID namespaces */
    snprintf(name, sizeof name, "%d-%llx.classhook", (int)getpid(),
             (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec);
    if (strlen(dir) > 4000 || !ch_make_dirs(dir, 0777)) {
        ch_say("cannot make the data directory %s: %s; this JVM runs without us", dir, strerror(errno));
        return false;
    }
    snprintf(link, sizeof link, "%s/%s", dir, name);
    snprintf(shm, sizeof shm, TMPFS "/classhook-%d-%s", (int)getuid(), name);
    if (!on_tmpfs(dir, 0) && on_tmpfs(TMPFS, ENOUGH) && !getenv("CLASSHOOK_NO_TMPFS") && (fd = create_allocated(shm)) >= 0) {
        if (symlink(shm, link)) {
            int error = errno;
            unlink(shm);
            close(fd);
            fd = -1;
            errno = error;
        }
    } else {
        fd = create_allocated(link);
    }
    if (fd < 0) {
        ch_say("cannot write into the data directory %s: %s; this JVM runs without us", dir, strerror(errno));
        return false;
    }
    ch_header = mmap(NULL, CH_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ch_header == MAP_FAILED) {
        ch_header = NULL;
        ch_say("cannot map the data file %s: %s; this JVM runs without us", link, strerror(errno));
        return false;
    }
    file_bytes = CH_CHUNK;
    directory = ch_header->directory;
    ch_header->format = CH_FORMAT;
    ch_header->header_bytes = sizeof *ch_header;
    ch_header->pid = (uint32_t)getpid();
    ch_header->start_unix_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    fill_command(ch_header->command, sizeof ch_header->command);
    memcpy(ch_header->magic, "CLSHOOK\n", 8);
    return ch_region_reserve(&meta, CH_META, 0, META_RESERVED);
}

void ch_store_end(enum ch_end how) { ch_header->how_ended = how; }

/* Takes a new chunk of the file and writes it into the directory; its offset, or 0 where the disk refuses. */
static uint64_t take_chunk(uint32_t kind, uint32_t block, uint64_t bytes, uint64_t first) {
    if (directory_used == CH_ENTRIES - 1 && kind != CH_DIRECTORY) { /* the last entry leads on */
        uint64_t offset = take_chunk(CH_DIRECTORY, 0, CH_CHUNK, 0);
        void *p = offset ? mmap(NULL, CH_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset) : MAP_FAILED;
        if (p == MAP_FAILED) return 0;
        directory = p;
        directory_used = 0;
    }
    if (directory_used >= CH_ENTRIES || !allocate(fd, file_bytes, bytes)) return 0;
    uint64_t offset = file_bytes;
    file_bytes += bytes;
    directory[directory_used++] = (struct ch_entry){kind, block, offset, bytes, first};
    __atomic_store_n(&ch_header->entries, ch_header->entries + 1, __ATOMIC_RELEASE);
    return offset;
}

bool ch_region_reserve(struct ch_region *r, uint32_t kind, uint32_t block, size_t reserved) {
    void *p = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    *r = (struct ch_region){p, 0, reserved, kind, block};
    return true;
}

bool ch_region_grow(struct ch_region *r, size_t bytes) {
    if (bytes <= r->committed) return true;
    if (bytes > r->reserved) return false;
    /* doubling keeps the number of mappings small */
    size_t want = bytes - r->committed > r->committed ? bytes - r->committed : r->committed;
    want = (want + CH_CHUNK - 1) / CH_CHUNK * CH_CHUNK;
    if (want > r->reserved - r->committed) want = r->reserved - r->committed;
    uint64_t offset = take_chunk(r->kind, r->block, want, r->committed);
    int flags = offset ? MAP_SHARED | MAP_FIXED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    void *p = mmap(r->base + r->committed, want, PROT_READ | PROT_WRITE, flags, offset ? fd : -1, (off_t)offset);
    if (p == MAP_FAILED) {
        if (offset) directory[directory_used - 1].kind = CH_FREE; /* nobody will write there */
        return false;
    }
    if (!offset && ch_header->refused++ == 0)
        ch_say("no room for the data file (%s): counting goes on, what does not fit will be missing in the report", strerror(errno));
    r->committed += want;
    return true;
}

/* Kept in order of slots; classes woven at one time by several threads come nearly so. */
static void remember_class(uint32_t first_slot, uint64_t at) {
    if (woven_count == woven_room) {
        size_t room = woven_room ? woven_room * 2 : 256;
        struct woven_class *more = realloc(woven, room * sizeof *more);
        if (!more) return;
        woven = more;
        woven_room = room;
    }
    size_t i = woven_count++;
    for (; i && woven[i - 1].first_slot > first_slot; i--) woven[i] = woven[i - 1];
    woven[i] = (struct woven_class){first_slot, at};
}

/* A site's line is A<TAB>slot<TAB>...<TAB>type, see instrument/probes.py. */
static char *type_in(const struct ch_meta *m, uint32_t slot) {
    const char *text = (const char *)(m + 1), *end = text + m->bytes;
    char key[24];
    int n = snprintf(key, sizeof key, "\nA\t%u\t", slot - m->first_slot);
    const char *line = memmem(text, m->bytes, key, (size_t)n);
    if (!line) return NULL;
    const char *stop = memchr(line + 1, '\n', (size_t)(end - line - 1)), *tab;
    if (!stop) stop = end;
    tab = memrchr(line, '\t', (size_t)(stop - line));
    return strndup(tab + 1, (size_t)(stop - tab - 1));
}

char *ch_meta_type_of(uint32_t slot) {
    char *type = NULL;
    ch_lock();
    size_t low = 0, high = woven_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (woven[middle].first_slot <= slot)
            low = middle + 1;
        else
            high = middle;
    }
    if (low) type = type_in((const struct ch_meta *)(meta.base + woven[low - 1].at), slot);
    ch_unlock();
    return type;
}

void ch_meta_add(enum ch_meta_kind kind, uint32_t first_slot, uint32_t slots, const void *text, size_t bytes) {
    ch_lock();
    uint64_t at = ch_header->meta_used, end = (at + sizeof(struct ch_meta) + bytes + 7) & ~(uint64_t)7;
    if (bytes < UINT32_MAX && ch_region_grow(&meta, end)) {
        struct ch_meta *m = (struct ch_meta *)(meta.base + at);
        *m = (struct ch_meta){(uint32_t)bytes, kind, first_slot, slots};
        memcpy(m + 1, text, bytes);
        if (kind == CH_META_CLASS && slots) remember_class(first_slot, at);
        __atomic_store_n(&ch_header->meta_used, end, __ATOMIC_RELEASE);
    }
    ch_unlock();
}
