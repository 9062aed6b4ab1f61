/* The live file: mapped memory that outlives the process. session_files.c has the session's data file in it.
 *
 * 1. The file is created on tmpfs if there is one (a store into a page of a file on disk can stall for tens of
 *    milliseconds), with a symbolic link to it in the data directory; else in the data directory itself.
 * 2. A region is one range of the file, mapped as a whole when it is opened. The file is sparse: only pages that are
 *    touched take room. A page that the disk has no room for is replaced by memory of the process (disk_full_guard.c).
 * 3. A file on tmpfs may take a tenth of what was free there. Regions opened later go to a second file in the data
 *    directory.
 * 4. If a file cannot grow, the region is memory of the process, and the header counts it as refused.
 * 5. The classes of a bundle were woven before and need counters in any case. If the bundle can write no file, they are
 *    in a file without a name, which nobody reads.
 */
#include "base.h"
#include "clock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define TMPFS "/dev/shm"
#define TMPFS_MAGIC 0x01021994
#define ENOUGH ((uint64_t)512 << 20) /* a container's tmpfs may be small and would soon be full; use the disk then */
enum { SHARE = 10 /* the agent uses at most 1/SHARE of what is free on tmpfs */ };

struct ch_header *ch_header;
struct ch_room ch_room;
static struct ch_entry *directory; /* the part of the directory that is being filled */
static size_t directory_used;
static uint64_t ends[2]; /* sizes of the two files */
static uint64_t tmpfs_share;

static uint64_t tmpfs_free(const char *where) {
    struct statfs s;
    return statfs(where, &s) == 0 && s.f_type == TMPFS_MAGIC ? (uint64_t)s.f_bavail * (uint64_t)s.f_bsize + 1 : 0;
}

static int create(const char *name) {
    int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    /* the lock tells a reader that the process is alive; the kernel releases it however the process ends */
    if (file >= 0 && flock(file, LOCK_EX)) { /* blocks only while a reader tests the lock */
        close(file);
        return -1;
    }
    return file;
}

static bool allocate(int fd, uint64_t offset, uint64_t bytes) {
    int error;
    do error = posix_fallocate(fd, (off_t)offset, (off_t)bytes);
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

/* Creates the file and allocates room for its header. */
static int create_allocated(const char *name) {
    int file = create(name);
    if (file >= 0 && !allocate(file, 0, CH_CHUNK)) {
        int error = errno;
        unlink(name);
        close(file);
        errno = error;
        return -1;
    }
    return file;
}

/* Chooses how much address space regions may take: a lot, unless the process has a limit. */
static void find_room(void) {
    struct rlimit limit;
    ch_room =
        (struct ch_room){.slots = CH_MOST_SLOTS, .records_bytes = (size_t)128 << 20, .meta_bytes = (size_t)4 << 30};
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return;
    /* leaves room for the blocks of some hundred threads */
    while (ch_room.slots > CH_LEAST_SLOTS && ch_room.slots * 8 * 1024 > limit.rlim_cur) ch_room.slots /= 2;
    ch_room.records_bytes = 2 * 8 * ch_room.slots;
    ch_room.meta_bytes = (limit.rlim_cur / 32 / CH_CHUNK + 1) * CH_CHUNK;
    ch_room.limit = limit.rlim_cur;
}

/* Creates the live file, on tmpfs if that has room; false and errno if it fails. */
static bool make_file(const char *dir, bool tmpfs) {
    const char *path = ch_files.path;
    ch_files_on_tmpfs(ch_files.live, sizeof ch_files.live, "");
    uint64_t room = !tmpfs || tmpfs_free(dir) || getenv("CLASSHOOK_NO_TMPFS") ? 0 : tmpfs_free(TMPFS);
    if (room > ENOUGH && (ch_files.fds[0] = create_allocated(ch_files.live)) >= 0) {
        tmpfs_share = room / SHARE;
        ch_files.tmpfs = true;
        if (!symlink(ch_files.live, path)) return true;
        int error = errno;
        unlink(ch_files.live);
        close(ch_files.fds[0]);
        ch_files.fds[0] = -1;
        errno = error;
        return false;
    }
    memcpy(ch_files.live, path, sizeof ch_files.path);
    return (ch_files.fds[0] = create_allocated(path)) >= 0;
}

void ch_files_note(void) {
    struct stat s;
    char folder[sizeof ch_files.path];
    snprintf(folder, sizeof folder, "%s", ch_files.path);
    char *name = strrchr(folder, '/');
    *name++ = 0;
    char *real = realpath(folder, NULL);
    if (!stat("/proc/self/ns/mnt", &s)) ch_header->mounts = s.st_ino;
    int length = real ? snprintf(ch_header->link, sizeof ch_header->link, "%s/%s", real, name) : -1;
    if (length < 0 || (size_t)length >= sizeof ch_header->link) *ch_header->link = 0;
    free(real);
}

/* Makes a file without a name, as if the data file had been moved away, so that nothing is written at the end. */
static bool make_nameless_file(void) {
    *ch_files.path = *ch_files.live = 0;
    ch_files.fds[0] = memfd_create("classhook", MFD_CLOEXEC);
    return ch_files.fds[0] >= 0 && !ftruncate(ch_files.fds[0], CH_CHUNK);
}

static bool make_some_file(const char *dir, int64_t now, bool tmpfs, struct ch_error *error) {
    bool chosen = ch_files_choose(dir, now);
    if (chosen && make_file(dir, tmpfs)) return true;
    const char *what = chosen ? "write into" : "use", *why = chosen ? strerror(errno) : ch_files_why();
    if (ch_is_bundle() && make_nameless_file()) {
        ch_say("cannot %s the data directory %s: %s; the program runs, and nothing is recorded", what, dir, why);
        return true;
    }
    return ch_fail(error, "cannot %s the data directory %s: %s; this JVM is not instrumented", what, dir, why);
}

/* NULL, and the reason in errno: no address space, or no memory for what guards it from a full disk. */
static void *mapped(size_t bytes, int fd, uint64_t offset) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)offset);
    if (p == MAP_FAILED) return NULL;
    if (ch_guard(p, bytes)) return p;
    munmap(p, bytes);
    errno = ENOMEM;
    return NULL;
}

bool ch_store_open(const char *dir, bool tmpfs, struct ch_error *error) {
    int64_t now = ch_unix_ns();
    if (!make_some_file(dir, now, tmpfs, error)) return false;
    find_room();
    void *p = mapped(CH_CHUNK, ch_files.fds[0], 0);
    if (!p) {
        int why = errno;
        ch_store_discard();
        return ch_fail(error, "cannot map the data file %s: %s; this JVM is not instrumented", ch_files.path,
                       strerror(why));
    }
    ch_header = p;
    ch_files_opened(0);
    ends[0] = CH_CHUNK;
    directory = ch_header->directory;
    directory_used = 0;
    ch_header->format = CH_FORMAT;
    ch_header->header_bytes = sizeof *ch_header;
    ch_header->pid = (uint32_t)getpid();
    ch_header->start_unix_ns = now;
    fill_command(ch_header->command, sizeof ch_header->command);
    ch_header->moved = !*ch_files.path;
    if (!ch_header->moved) ch_files_note();
    memcpy(ch_header->magic, "CLSHOOK\n", 8);
    return true;
}

void ch_store_end(enum ch_end how) {
    ch_header->how_ended = how;
    if (ch_file_is_open(0))
        futimens(ch_files.fds[0],
                 /* stores into mapped pages of tmpfs do not; `classhook run` removes what is old
             * (instrument/store/orphans.py) */
                 NULL);
}

void ch_store_discard(void) {
    unlink(ch_files.path);
    unlink(ch_files.live);
}

/* ---- regions */

bool ch_may_grow(uint64_t bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) return true;
    errno = EFBIG;
    return false;
}

bool ch_write(int to, uint64_t at, const void *from, size_t bytes) {
    if (!ch_may_grow(at + bytes)) return false;
    for (size_t done = 0; done < bytes;) {
        ssize_t n = pwrite(to, (const char *)from + done, bytes - done, (off_t)(at + done));
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) done += (size_t)n;
    }
    return true;
}

static bool grow(uint32_t n, uint64_t bytes) {
    if (!ch_file_is_open((int)n) || !ch_may_grow(ends[n] + bytes) ||
        ftruncate(ch_files.fds[n], (off_t)(ends[n] + bytes)))
        return false;
    ends[n] += bytes;
    return true;
}

/* Chooses the file for the next region of counters: the data file, unless that has used its share of tmpfs. */
static uint32_t file_for(enum ch_kind kind, uint64_t expected) {
    struct stat s;
    if (!tmpfs_share || (kind != CH_SLOTS && kind != CH_RECORDS && kind != CH_SEALED)) return 0;
    /* the other half is reserved for pages that existing regions have not touched yet */
    if (!fstat(ch_files.fds[0], &s) && (uint64_t)s.st_blocks * 512 < tmpfs_share / 2 && expected < tmpfs_share)
        return 0;
    if (ch_files.fds[1] < 0) {
        snprintf(ch_files.more, sizeof ch_files.more, "%s.more", ch_files.path);
        ch_files.fds[1] = open(ch_files.more, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        ch_files_opened(1);
    }
    return ch_files.fds[1] >= 0;
}

static bool note(struct ch_entry e) {
    if (directory_used == CH_ENTRIES - 1) { /* the last entry points to the directory's next part */
        uint64_t at = ends[0];
        void *p = grow(0, CH_CHUNK) ? mapped(CH_CHUNK, ch_files.fds[0], at) : NULL;
        if (!p) return false;
        directory[directory_used] = (struct ch_entry){.kind = CH_DIRECTORY, .offset = at, .bytes = CH_CHUNK};
        ch_store_release(&ch_header->entries, ch_header->entries + 1);
        directory = p;
        directory_used = 0;
    }
    directory[directory_used++] = e;
    ch_store_release(&ch_header->entries, ch_header->entries + 1);
    return true;
}

bool ch_region_memory(struct ch_region *r, size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) *r = (struct ch_region){.base = p, .bytes = bytes};
    return p != MAP_FAILED;
}

bool ch_region_open(struct ch_region *r, enum ch_kind kind, uint32_t block, size_t bytes, uint64_t expected) {
    uint32_t n = file_for(kind, expected);
    bytes = (bytes + CH_CHUNK - 1) / CH_CHUNK * CH_CHUNK;
    struct ch_entry e = {.kind = kind, .file = (uint16_t)n, .block = block, .offset = ends[n], .bytes = bytes};
    if (grow(n, bytes)) {
        void *p = mapped(bytes, ch_files.fds[n], e.offset);
        if (!p) return false;
        *r = (struct ch_region){p, bytes, e.offset, n + 1};
        if (note(e)) return true;
    } else if (!ch_region_memory(r, bytes)) {
        return false;
    }
    if (ch_header->refused++ == 0) ch_guard_say(strerror(errno));
    return true;
}

/* The file knows what was written to, also of pages that are swapped out. */
bool ch_region_data(const struct ch_region *r, size_t from, size_t end, size_t *begin, size_t *stop) {
    if (from >= end) return false;
    *begin = from;
    *stop = end;
    if (!r->file) return true;
    int fd = ch_files.fds[r->file - 1];
    off_t data = lseek(fd, (off_t)(r->offset + from), SEEK_DATA);
    if (data < 0 && errno == ENXIO) return false; /* only holes follow */
    off_t hole = data < 0 ? data : lseek(fd, data, SEEK_HOLE);
    if (hole < 0) return true; /* the file system does not tell */
    if ((uint64_t)data >= r->offset + end) return false;
    *begin = (size_t)((uint64_t)data - r->offset);
    if ((uint64_t)hole < r->offset + end) *stop = (size_t)((uint64_t)hole - r->offset);
    return true;
}

uint64_t ch_store_taken(void) {
    struct stat s;
    uint64_t bytes = 0;
    for (int i = 0; i < 2; i++)
        if (ch_files.fds[i] >= 0 && !fstat(ch_files.fds[i], &s)) bytes += (uint64_t)s.st_blocks * 512;
    return bytes;
}
