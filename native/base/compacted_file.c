/* Writes the live file as one without holes, as instrument/store/compact.py does: the header with a directory, and then
 * the pieces of the regions that were touched. Other threads may go on counting meanwhile.
 */
#include "base.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IN_A_PART = CH_ENTRIES - 1 /* the last entry points to the next part */, PAGE = 4096 };

struct piece {
    struct ch_entry entry; /* of the new file */
    int from; /* the descriptor, and where in its file */
    uint64_t at, there; /* there: bytes that are to be read; zeros follow up to the entry's size */
};
struct pieces {
    struct piece *all;
    size_t n;
    int error; /* errno of what failed, or 0 */
};

static uint64_t whole_units(uint64_t bytes) { return (bytes + CH_UNIT - 1) / CH_UNIT * CH_UNIT; }

static void add(struct pieces *p, struct piece one) {
    if (!(p->n & (p->n - 1))) {
        struct piece *more = realloc(p->all, (p->n ? 2 * p->n : 1) * sizeof *more);
        if (!more) {
            p->error = ENOMEM;
            return;
        }
        p->all = more;
    }
    p->all[p->n++] = one;
}

/* All of it, or false and errno: a file that ends earlier is damaged. */
static bool read_all(int from, uint64_t at, void *to, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t n = pread(from, (char *)to + done, bytes - done, (off_t)(at + done));
        if (!n) errno = EIO;
        if (!n || (n < 0 && errno != EINTR)) return false;
        if (n > 0) done += (size_t)n;
    }
    return true;
}

/* The begin of the next page with anything but zeros (or with zeros only), or the end of these; a file system may not
 * know its holes. */
static uint64_t skip_pages(struct pieces *p, int from, uint64_t at, uint64_t end, bool zeros) {
    static const unsigned char empty[PAGE];
    unsigned char page[PAGE];
    for (; at < end && !p->error; at += PAGE) {
        size_t n = end - at < PAGE ? (size_t)(end - at) : PAGE;
        if (!read_all(from, at, page, n)) p->error = errno;
        if (!memcmp(page, empty, n) != zeros) break;
    }
    return at < end ? at : end;
}

/* The parts of a region that were touched. */
static void add_region(struct pieces *p, const struct ch_entry *e, uint64_t used) {
    int from = ch_files.fds[e->file];
    uint64_t at = e->offset, end = e->offset + (used < e->bytes ? whole_units(used) : e->bytes);
    while (at < end && !p->error) {
        off_t data = lseek(from, (off_t)at, SEEK_DATA);
        off_t hole = data < 0 ? data : lseek(from, data, SEEK_HOLE);
        if (data < 0 || hole < 0) {
            if (errno != ENXIO) p->error = errno; /* ENXIO: only holes follow */
            return;
        }
        if ((uint64_t)data >= end) return;
        uint64_t stop = (uint64_t)hole < end ? (uint64_t)hole : end;
        for (at = skip_pages(p, from, (uint64_t)data, stop, true); at < stop && !p->error;
             at = skip_pages(p, from, at, stop, true)) {
            uint64_t begin = at;
            at = skip_pages(p, from, at, stop, false);
            add(p, (struct piece){
                       {.kind = e->kind, .block = e->block, .bytes = at - begin, .first = e->first + begin - e->offset},
                       from,
                       begin,
                       at - begin});
        }
    }
}

static uint64_t used_of(const struct ch_entry *e) {
    uint64_t used = e->kind == CH_SLOTS   ? ch_header->slots_used * 8
                    : e->kind == CH_COVER ? ch_header->slots_used
                    : e->kind == CH_META  ? ch_header->meta_used
                                          : UINT64_MAX;
    return used == UINT64_MAX ? used : used > e->first ? used - e->first : 0;
}

static struct pieces pieces_of_regions(void) {
    struct pieces p = {0};
    struct ch_entry part[CH_ENTRIES];
    uint64_t n = ch_load_acquire(&ch_header->entries);
    memcpy(part, ch_header->directory, sizeof part);
    for (size_t at = 0; n && at < CH_ENTRIES && !p.error; n--) {
        const struct ch_entry e = part[at++];
        if (e.kind != CH_DIRECTORY)
            add_region(&p, &e, used_of(&e));
        else if (read_all(ch_files.fds[0], e.offset, part, sizeof part))
            at = 0;
        else
            p.error = errno;
    }
    return p;
}

static bool copy(int to, const struct piece *p, unsigned char *room) {
    for (uint64_t done = 0; done < p->entry.bytes;) {
        size_t n = p->entry.bytes - done < CH_CHUNK ? (size_t)(p->entry.bytes - done) : CH_CHUNK;
        size_t wanted = done < p->there ? (p->there - done < n ? (size_t)(p->there - done) : n) : 0;
        memset(room, 0, n);
        if (wanted && !read_all(p->from, p->at + done, room, wanted)) return false;
        if (!ch_write(to, p->entry.offset + done, room, n)) return false;
        done += n;
    }
    return true;
}

/* The header and the directory, in parts. */
static bool write_directory(int to, const struct pieces *p, size_t parts, unsigned char *room) {
    struct ch_header *h = (struct ch_header *)(void *)room;
    struct ch_entry *entries = (struct ch_entry *)(void *)room;
    for (size_t part = 0; part < parts; part++) {
        size_t from = part * IN_A_PART, n = p->n - from < IN_A_PART ? p->n - from : IN_A_PART;
        memset(room, 0, CH_CHUNK);
        if (!part) {
            memcpy(h, ch_header, sizeof *h);
            memset(h->directory, 0, sizeof h->directory);
            h->entries = p->n + parts - 1;
            h->moved = 0;
        }
        struct ch_entry *at = part ? entries : h->directory;
        for (size_t i = 0; i < n; i++) at[i] = p->all[from + i].entry;
        if (part < parts - 1)
            at[n] = (struct ch_entry){.kind = CH_DIRECTORY, .offset = CH_CHUNK * (part + 1), .bytes = CH_CHUNK};
        if (!ch_write(to, CH_CHUNK * part, room, CH_CHUNK)) return false;
    }
    return true;
}

static pthread_mutex_t moving = PTHREAD_MUTEX_INITIALIZER;
static bool copying;

/* A copy may take seconds: nobody waits for it. */
bool ch_move_begin(void) {
    if (ch_load_relaxed(&copying)) return false;
    pthread_mutex_lock(&moving);
    return true;
}

void ch_move_end(void) { pthread_mutex_unlock(&moving); }

static bool write_compacted(const char *path, int baseline) {
    struct stat s;
    if (!ch_files_are_open()) return false;
    struct pieces p = pieces_of_regions();
    if (baseline >= 0 && !fstat(baseline, &s))
        add(&p,
            (struct piece){
                {.kind = CH_BASELINE, .bytes = whole_units((uint64_t)s.st_size)}, baseline, 0, (uint64_t)s.st_size});
    size_t parts = p.n ? (p.n + IN_A_PART - 1) / IN_A_PART : 1;
    uint64_t end = CH_CHUNK * parts;
    for (size_t i = 0; i < p.n; end += p.all[i++].entry.bytes) p.all[i].entry.offset = end;
    unsigned char *room = malloc(CH_CHUNK);
    if (!room) p.error = ENOMEM;
    int to = p.error ? (errno = p.error, -1) : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool well = to >= 0 && write_directory(to, &p, parts, room);
    for (size_t i = 0; well && i < p.n; i++) well = copy(to, &p.all[i], room);
    int error = errno;
    if (to >= 0 && close(to) && well) well = false, error = errno;
    if (to >= 0 && !well) unlink(path);
    free(room);
    free(p.all);
    errno = error;
    return well;
}

bool ch_compact(const char *path, int baseline) {
    ch_store_relaxed(&copying, true);
    pthread_mutex_lock(&moving);
    bool well = write_compacted(path, baseline);
    int error = errno;
    pthread_mutex_unlock(&moving);
    ch_store_relaxed(&copying, false);
    errno = error;
    return well;
}
