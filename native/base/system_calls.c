/* Functions that glibc 2.17 does not export: they ask the kernel. On processors with 64 bits, its `struct stat` is that
 * of glibc and of musl. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int stat(const char *path, struct stat *s) { return (int)syscall(SYS_newfstatat, AT_FDCWD, path, s, 0); }
int lstat(const char *path, struct stat *s) {
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, s, AT_SYMLINK_NOFOLLOW);
}
int fstat(int fd, struct stat *s) { return (int)syscall(SYS_fstat, fd, s); }
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }
int memfd_create(const char *name, unsigned flags) { return (int)syscall(SYS_memfd_create, name, flags); }
ssize_t getrandom(void *bytes, size_t n, unsigned flags) { return syscall(SYS_getrandom, bytes, n, flags); }
