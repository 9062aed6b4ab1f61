/* The cost of timing, which is subtracted from all times. */
#ifndef CLASSHOOK_CALIBRATION_H
#define CLASSHOOK_CALIBRATION_H
#include "shadow_stacks.h"
#include "../base/clock.h"

extern struct ch_costs {
    int64_t inside,
        around; /* of an activation, in a loop at the start, in ticks: within its time, and in its caller's */
    int64_t fenced_inside, fenced_around; /* of one that stands for others: its readings are fenced */
    int64_t alone;          /* what is measured of a stretch alone where there is nothing in it */
    uint32_t rarely;        /* of new records; at the start, nothing is measured */
} ch_costs;

enum { CH_MEASURED_FIRST = 31 }; /* a new record's mask */

/* At random, so that no loop of the program is in step. */
static inline bool ch_is_measured(const struct ch_record *r, uint64_t now) {
    return !((uint32_t)(now * 0x9E3779B97F4A7C15u >> 32) & r->rarely);
}

/* The last thing that a probe does, which read the clock at `since`; and the next probe, which read it when it
 * `arrived`, and then as usual. Their own time is charged to the frame whose time it would be in. `r`: NULL
 * where the latter is fenced. */
void ch_alone_begins(struct ch_stack *s, uint64_t since);
void ch_alone_ends(struct ch_stack *s, struct ch_frame *f, struct ch_record *r, bool at_exit, uint64_t arrived,
                   uint64_t now);
/* as it usually is, from the last probe to the method's entry or exit */
void ch_stretch_seen(struct ch_record *r, bool at_exit, int64_t ticks);

#endif
