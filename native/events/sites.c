/* Methods with probes of `event`, by their slots: from the line of the probe table, when the probe runs for the first time.
 *
 * The line is `P slot nHANDLERS rule method descriptor`; HANDLERS is a list of numbers with a letter, `e` for the entry or `x` for the exit,
 * separated by dots (instrument/measures/event.py). Any slot is safe: a program may call the tracker with any number.
 */
#include "events.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ch_probed **known; /* by slot; one that is none: &nothing */
static const struct ch_probed nothing;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The fields of the line that is about this slot, cut in place; how many. */
static int line_of(char *text, uint32_t slot, char **fields, int most) {
    for (char *line = text, *next; line && *line; line = next) {
        if ((next = strchr(line, '\n'))) *next++ = 0;
        if (strncmp(line, "P\t", 2) || strtoul(line + 2, NULL, 10) != slot) continue;
        int n = 0;
        for (char *field = strtok_r(line, "\t", &line); field && n < most; field = strtok_r(NULL, "\t", &line)) fields[n++] = field;
        return n;
    }
    return 0;
}

static struct ch_probed *parse(const char *class_name, char **fields) {
    uint32_t n = 1;
    for (const char *p = fields[2]; *p; p++) n += *p == '.';
    struct ch_probed *made = calloc(1, sizeof *made + n * sizeof *made->told);
    if (!made) return NULL;
    made->site = (struct ch_site){strdup(class_name), strdup(fields[4]), strdup(fields[5])};
    for (char *p = fields[2] + 1; *p && made->n < n; p += *p == '.') {
        unsigned long handler = strtoul(p, &p, 10);
        bool exit = *p == 'x';
        if (*p) p++;
        if (handler && handler < CH_MOST_HANDLERS) made->told[made->n++] = (struct ch_told){(uint16_t)handler, exit};
        if (*p && *p != '.') break;
    }
    return made;
}

char *ch_probe_line(uint32_t slot, char letter, char class_name[CH_CLASS_NAME], char **fields, int most) {
    const struct ch_meta *m = ch_meta_of(slot);
    if (!m || slot - m->first_slot >= m->slots) return NULL;
    char *text = strndup((const char *)(m + 1), m->bytes);
    if (text && sscanf(text, "C\t%1023[^\t\n]", class_name) == 1 && line_of(text, slot - m->first_slot, fields, most) == most && fields[2][0] == letter)
        return text;
    free(text);
    return NULL;
}

static const struct ch_probed *find(uint32_t slot) {
    char class_name[CH_CLASS_NAME], *fields[6];
    char *text = ch_probe_line(slot, 'n', class_name, fields, 6);
    struct ch_probed *made = text ? parse(class_name, fields) : NULL;
    free(text);
    return made ? made : &nothing;
}

const struct ch_probed *ch_probed(uint32_t slot) {
    struct ch_region r;
    if (!ch_slots_there((jint)slot, 1)) return NULL;
    if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&lock);
        if (!known && ch_region_memory(&r, ch_room.slots * sizeof *known)) __atomic_store_n(&known, (const struct ch_probed **)r.base, __ATOMIC_RELEASE);
        pthread_mutex_unlock(&lock);
        if (!known) return NULL;
    }
    const struct ch_probed *p = __atomic_load_n(&known[slot], __ATOMIC_ACQUIRE);
    if (!p) {
        p = find(slot);
        pthread_mutex_lock(&lock);
        if (known[slot])
            p = known[slot];
        else
            __atomic_store_n(&known[slot], p, __ATOMIC_RELEASE);
        pthread_mutex_unlock(&lock);
    }
    return p == &nothing ? NULL : p;
}
