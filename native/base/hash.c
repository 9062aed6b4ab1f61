/* A hash that resists constructed collisions: SipHash-1-3 with 128 bits (Aumasson, Bernstein 2012), keyed by the user's
 * secret.
 *
 * Woven classes are looked up by it, so anyone who could make two classes with the same hash could have one run as the
 * other. The secret is in the pack of woven classes, which only its owner can read; without a pack, each JVM draws a
 * new one. Tables in memory have a key of their own: a later session may open a pack, whose secret is another one.
 * Accidental damage is detected by a plain checksum, which sums products in four lanes.
 */
#include "base.h"
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

struct lanes {
    uint64_t a, b, c, d;
};

static struct ch_key secret, own;

static inline uint64_t rotated(uint64_t x, int by) { return x << by | x >> (64 - by); }

static inline void mix(struct lanes *v) {
    v->a += v->b, v->b = rotated(v->b, 13) ^ v->a, v->a = rotated(v->a, 32);
    v->c += v->d, v->d = rotated(v->d, 16) ^ v->c;
    v->a += v->d, v->d = rotated(v->d, 21) ^ v->a;
    v->c += v->b, v->b = rotated(v->b, 17) ^ v->c, v->c = rotated(v->c, 32);
}

static inline void take(struct lanes *v, uint64_t word) {
    v->d ^= word;
    mix(v);
    v->a ^= word;
}

static inline uint64_t finish(struct lanes *v) {
    for (int i = 0; i < 3; i++) mix(v);
    return v->a ^ v->b ^ v->c ^ v->d;
}

/* The seed is hashed as the first 16 bytes of the message. */
static struct ch_key hash(struct ch_key key, struct ch_key seed, const void *data, size_t bytes) {
    struct lanes v = {key.high ^ 0x736f6d6570736575u, key.low ^ 0x646f72616e646f6du ^ 0xee,
                      key.high ^ 0x6c7967656e657261u, key.low ^ 0x7465646279746573u};
    const uint8_t *at = data, *end = at + (bytes & ~(size_t)7);
    uint64_t word, rest = 0;
    take(&v, seed.high);
    take(&v, seed.low);
    for (; at < end; at += 8) {
        memcpy(&word, at, 8);
        take(&v, word);
    }
    memcpy(&rest, at, bytes & 7);
    take(&v, rest | (uint64_t)(bytes + sizeof seed) << 56);
    v.c ^= 0xee;
    struct ch_key out = {.high = finish(&v)};
    v.b ^= 0xdd;
    out.low = finish(&v);
    return out;
}

struct ch_key ch_hash(struct ch_key seed, const void *data, size_t bytes) { return hash(secret, seed, data, bytes); }

struct ch_key ch_hash_own(struct ch_key seed, const void *data, size_t bytes) { return hash(own, seed, data, bytes); }

struct ch_key ch_hash_unkeyed(struct ch_key seed, const void *data, size_t bytes) {
    return hash((struct ch_key){0, 0}, seed, data, bytes);
}

uint64_t ch_checksum(struct ch_key seed, const void *data, size_t bytes) {
    const uint64_t prime = 0x9e3779b97f4a7c15u; /* odd, with well-mixed bits */
    uint64_t sums[4] = {seed.high, seed.low, bytes, prime}, words[4] = {0};
    const uint8_t *at = data, *end = at + bytes / sizeof words * sizeof words;
    for (; at < end; at += sizeof words) {
        memcpy(words, at, sizeof words);
        for (int i = 0; i < 4; i++) sums[i] = rotated((sums[i] ^ words[i]) * prime, 29);
    }
    memset(words, 0, sizeof words);
    memcpy(words, at, bytes % sizeof words);
    for (int i = 0; i < 4; i++) sums[i] = rotated((sums[i] ^ words[i]) * prime, 29);
    return hash((struct ch_key){0, 0}, seed, sums, sizeof sums).high;
}

void ch_hash_start(void) {
    secret = ch_random_key();
    if (!own.high && !own.low) own = ch_random_key(); /* a start that failed may be repeated, and tables have entries */
}

void ch_hash_use(struct ch_key key) { secret = key; }

bool ch_keys_add(ch_keys *set, struct ch_key key) {
    return !ch_table_find_key(set, &key) && ch_table_add_key(set, &(struct ch_keyed){.key = key});
}

struct ch_key ch_random_key(void) {
    struct ch_key key;
    if (getrandom(&key, sizeof key, GRND_NONBLOCK) == sizeof key) return key;
    /* early in boot, without entropy: use values that differ from run to run */
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ch_hash_unkeyed((struct ch_key){(uint64_t)getpid(), (uint64_t)(uintptr_t)&key}, &now, sizeof now);
}

/* xorshift64*, Vigna 2016 */
uint64_t ch_random_below(uint64_t *state, uint64_t n) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (*state * 0x2545F4914F6CDD1Du >> 32) * n >> 32;
}
