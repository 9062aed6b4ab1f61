/* Included before each file: from glibc 2.38 on, its headers rename functions that read numbers. Here they have the
 * names of glibc 2.17 (building/older_glibc.py). */
#include <features.h>
#ifdef __GLIBC__
#ifdef __aarch64__
#define CH_SINCE(version) "GLIBC_2.17"
#else
#define CH_SINCE(version) "GLIBC_" #version
#endif
#define CH_RENAMED(now, name, version) __asm__(".symver " #now ", " #name "@" CH_SINCE(version));
CH_RENAMED(__isoc23_fscanf, __isoc99_fscanf, 2.7)
CH_RENAMED(__isoc23_sscanf, __isoc99_sscanf, 2.7)
CH_RENAMED(__isoc23_strtol, strtol, 2.2.5)
CH_RENAMED(__isoc23_strtoll, strtoll, 2.2.5)
CH_RENAMED(__isoc23_strtoul, strtoul, 2.2.5)
CH_RENAMED(__isoc23_strtoull, strtoull, 2.2.5)
#endif
