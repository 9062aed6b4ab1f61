/* Finds the function of a native library that an instruction belongs to, by the library's file.
 *
 * 1. The dynamic linker says which libraries are loaded, and where (dl_iterate_phdr). One that was unknown is looked
 *    for again when an instruction is in none.
 * 2. A library's functions are in its section .symtab; if it has none, in that of the file with debug information that
 *    its build ID names (/usr/lib/debug/.build-id), else in .dynsym. The file stays mapped for the names.
 * 3. An instruction that is in no function, by the sizes that the table has, is the library's.
 * 4. Of the names that C++ compilers make, the simple ones are shown as in the source (Itanium C++ ABI, 5.1).
 */
#include "native_symbols.h"
#include "../base/sorted.h"
#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct function {
    uint64_t from, size; /* from: as in the file */
    const char *name;
};
struct file { /* mapped */
    const char *bytes;
    size_t size;
};
struct library {
    uint64_t base, from, to;
    char *path;
    bool looked;
    struct file file, debug; /* which have the functions' names */
    struct function *functions;
    size_t n;
};

static struct library *libraries;
static size_t count;

/* ---- libraries */

static bool is_known(uint64_t base, const char *path) {
    for (size_t i = 0; i < count; i++)
        if (libraries[i].base == base && !strcmp(libraries[i].path, path)) return true;
    return false;
}

static int add_library(struct dl_phdr_info *info, size_t bytes, void *unused) {
    struct library new = {.base = info->dlpi_addr, .from = UINT64_MAX};
    (void)bytes, (void)unused;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        if (from < new.from) new.from = from;
        if (from + p->p_memsz > new.to) new.to = from + p->p_memsz;
    }
    const char *path = *info->dlpi_name ? info->dlpi_name : count ? "" : "/proc/self/exe"; /* the program comes first */
    if (!new.to || !*path || is_known(new.base, path)) return 0;
    struct library *more = realloc(libraries, (count + 1) * sizeof *more);
    if (!more) return 1;
    libraries = more;
    if ((new.path = strdup(path))) libraries[count++] = new;
    return 0;
}

static struct library *library_at(uint64_t pc) {
    for (size_t i = count; i-- > 0;) /* the last one: others may have been there before */
        if (libraries[i].from <= pc && pc < libraries[i].to) return &libraries[i];
    return NULL;
}

/* ---- a library's file */

static struct file map(const char *path) {
    struct file f = {NULL, 0};
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return f;
    if (!fstat(fd, &s) && s.st_size > (off_t)sizeof(ElfW(Ehdr))) {
        void *at = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED) f = (struct file){at, (size_t)s.st_size};
    }
    close(fd);
    if (f.bytes && memcmp(f.bytes, ELFMAG, SELFMAG) != 0) {
        munmap((void *)(uintptr_t)f.bytes, f.size);
        f.bytes = NULL;
    }
    return f;
}

/* The file's part, or NULL if it does not have all of it. */
static const void *part(const struct file *f, uint64_t at, uint64_t size) {
    return at <= f->size && size <= f->size - at ? f->bytes + at : NULL;
}

static const ElfW(Shdr) * sections(const struct file *f, size_t *n) {
    const ElfW(Ehdr) *head = (const void *)f->bytes;
    const void *all = head->e_shentsize == sizeof(ElfW(Shdr)) && head->e_shoff % sizeof(uint64_t) == 0
                          ? part(f, head->e_shoff, (uint64_t)head->e_shnum * sizeof(ElfW(Shdr)))
                          : NULL;
    *n = all ? head->e_shnum : 0;
    return all;
}

/* The first section of a type, with its bytes. */
static const ElfW(Shdr) * section(const struct file *f, uint32_t type, const void **bytes) {
    size_t n;
    const ElfW(Shdr) *all = sections(f, &n);
    for (size_t i = 0; i < n; i++)
        if (all[i].sh_type == type && (*bytes = part(f, all[i].sh_offset, all[i].sh_size))) return &all[i];
    return NULL;
}

static bool add_functions(struct library *l, const struct file *f, uint32_t type) {
    const void *bytes = NULL;
    size_t sections_there;
    const ElfW(Shdr) *all = sections(f, &sections_there), *table = section(f, type, &bytes);
    if (!table || table->sh_link >= sections_there) return false;
    const ElfW(Sym) *symbols = bytes;
    const ElfW(Shdr) *of_names = &all[table->sh_link];
    const char *names = part(f, of_names->sh_offset, of_names->sh_size);
    size_t most = table->sh_size / sizeof *symbols, n = 0;
    if (!names || !of_names->sh_size || names[of_names->sh_size - 1]) return false;
    struct function *functions = malloc(most * sizeof *functions);
    if (!functions) return false;
    for (size_t i = 0; i < most; i++) {
        const ElfW(Sym) *s = &symbols[i];
        if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_size && s->st_name < of_names->sh_size)
            functions[n++] = (struct function){s->st_value, s->st_size, names + s->st_name};
    }
    if (!n) {
        free(functions);
        return false;
    }
    l->functions = functions;
    l->n = n;
    return true;
}

/* The note with the build ID; NULL: there is none. Its section is not the first one of notes where the compiler adds
 * properties. */
static const ElfW(Nhdr) * build_id(const struct file *f) {
    enum { MOST = 64 };
    size_t n;
    const ElfW(Shdr) *all = sections(f, &n);
    for (size_t i = 0; i < n; i++) {
        const ElfW(Nhdr) *note = all[i].sh_type == SHT_NOTE && all[i].sh_offset % sizeof(uint32_t) == 0
                                     ? part(f, all[i].sh_offset, all[i].sh_size)
                                     : NULL;
        if (note && all[i].sh_size >= sizeof *note && note->n_type == NT_GNU_BUILD_ID &&
            note->n_namesz == sizeof "GNU" && note->n_descsz <= MOST &&
            all[i].sh_size >= sizeof *note + note->n_namesz + note->n_descsz)
            return note;
    }
    return NULL;
}

/* The file of debug information that the build ID names. */
static struct file debug_file(const struct file *f) {
    char path[256] = "/usr/lib/debug/.build-id/";
    const ElfW(Nhdr) *note = build_id(f);
    if (!note) return (struct file){0};
    const unsigned char *id = (const unsigned char *)(note + 1) + note->n_namesz;
    char *to = path + strlen(path);
    for (size_t i = 0; i < note->n_descsz; i++) to += sprintf(to, i == 1 ? "/%02x" : "%02x", id[i]);
    strcpy(to, ".debug");
    return map(path);
}

static int by_begin(const void *a, const void *b) {
    uint64_t one = ((const struct function *)a)->from, other = ((const struct function *)b)->from;
    return one < other ? -1 : one > other;
}

static void look_into(struct library *l) {
    l->looked = true;
    l->file = map(l->path);
    if (!l->file.bytes) return;
    if (!add_functions(l, &l->file, SHT_SYMTAB)) {
        l->debug = debug_file(&l->file);
        if (!l->debug.bytes || !add_functions(l, &l->debug, SHT_SYMTAB)) add_functions(l, &l->file, SHT_DYNSYM);
    }
    if (l->n) qsort(l->functions, l->n, sizeof *l->functions, by_begin);
}

static const struct function *function_at(const struct library *l, uint64_t at) {
    size_t behind = ch_first_where(l->n, i, l->functions[i].from > at);
    const struct function *f = behind ? &l->functions[behind - 1] : NULL;
    return f && at - f->from < f->size ? f : NULL;
}

/* ---- names */

/* `_ZN7G1Paths3runEv`: `G1Paths::run`; what is not as simple, as it is. */
static void write_name(const char *name, char *to, size_t room) {
    const char *at = name;
    size_t n = 0, whole = strlen(name);
    to[0] = 0;
    if (!strncmp(at, "_ZN", 3))
        at += at[3] == 'K' ? 4 : 3;
    else if (!strncmp(at, "_Z", 2))
        at += 2;
    while (at != name && isdigit((unsigned char)*at)) {
        char *text;
        unsigned long length = strtoul(at, &text, 10);
        if (!length || length > whole - (size_t)(text - name) || n + length + 3 > room) break;
        n += (size_t)snprintf(to + n, room - n, "%s%.*s", n ? "::" : "", (int)length, text);
        at = text + length;
    }
    if (!n) snprintf(to, room, "%s", name);
}

bool ch_symbol_at(uint64_t pc, struct ch_symbol *found) {
    struct library *l = library_at(pc);
    if (!l) dl_iterate_phdr(add_library, NULL);
    if (!l && !(l = library_at(pc))) return false;
    if (!l->looked) look_into(l);
    const struct function *f = function_at(l, pc - l->base);
    const char *slash = strrchr(l->path, '/'), *file = slash ? slash + 1 : l->path;
    char name[400] = "";
    if (f) write_name(f->name, name, sizeof name);
    snprintf(found->name, sizeof found->name, f ? "%s [%.64s]" : "%s[%.64s]", name, file);
    found->from = f ? l->base + f->from : l->from;
    return true;
}
