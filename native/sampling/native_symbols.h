/* Names of native code: see native_symbols.c. */
#ifndef CLASSHOOK_NATIVE_SYMBOLS_H
#define CLASSHOOK_NATIVE_SYMBOLS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ch_symbol {
    uint64_t from; /* where the function, or else the library, begins */
    char name[512]; /* `inflate [libz.so.1]`, `[libz.so.1]` */
};
/* False: no library has code there. One thread calls this. */
bool ch_symbol_at(uint64_t pc, struct ch_symbol *found);
#endif
