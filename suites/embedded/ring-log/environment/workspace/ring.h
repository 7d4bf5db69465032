/* The latest records that fit into a buffer. */
#ifndef RING_H
#define RING_H

#include <stddef.h>

#define RING_OVERHEAD 4 /* bytes that a record may cost beside its own */

struct ring {
    unsigned char *buffer;
    size_t size;  /* of the buffer */
    size_t start; /* for the implementation */
    size_t used;  /* for the implementation */
    size_t count; /* number of records held; may be read by anyone */
};

/* Makes an empty ring in `buffer`, whose content does not matter. A size below 5 is allowed: nothing but empty records fit, or nothing at all. */
void ring_init(struct ring *ring, void *buffer, size_t size);

/* Appends a copy of `length` bytes (`data` may be NULL if there are none) after dropping the oldest records that are in its way. Returns the number of dropped
 * records; or -1, and changes nothing, if length + RING_OVERHEAD is greater than the size or length is greater than 65535. */
int ring_put(struct ring *ring, const void *data, size_t length);

/* Copies the record at `index` (0 is the oldest) to `out`, at most `room` bytes of it (`out` may be NULL if that is 0). Returns the record's full length, or -1 if
 * there is no such record. */
long ring_get(const struct ring *ring, size_t index, void *out, size_t room);

/* Drops the oldest record. Returns its length, or -1 if there is none. */
long ring_drop(struct ring *ring);

#endif
