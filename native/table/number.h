#ifndef CLASSHOOK_NUMBER_H
#define CLASSHOOK_NUMBER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal number of digits alone; false: it is none, or larger than `most`. */
static inline bool ch_read_number(const char *at, size_t bytes, uint64_t most, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < bytes; i++) {
        unsigned digit = (unsigned)at[i] - '0';
        if (digit > 9 || digit > most || *out > (most - digit) / 10) return false;
        *out = *out * 10 + digit;
    }
    return bytes;
}
#endif
