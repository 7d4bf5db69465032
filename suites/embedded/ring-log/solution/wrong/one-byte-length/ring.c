/* The latest records that fit into a buffer: two bytes of length, then the record, one after the other and on from the end to the start. */
#include "ring.h"

#define HEAD 2

static unsigned char *at(const struct ring *ring, size_t offset)
{
    /* offset is at most the size, and so is start: one subtraction is enough, and nothing overflows */
    size_t left = ring->size - ring->start;
    return ring->buffer + (offset < left ? ring->start + offset : offset - left);
}

static size_t length_at(const struct ring *ring, size_t offset)
{
    return (size_t)*at(ring, offset) | (size_t)*at(ring, offset + 1) << 8;
}

void ring_init(struct ring *ring, void *buffer, size_t size)
{
    ring->buffer = buffer;
    ring->size = size;
    ring->start = 0;
    ring->used = 0;
    ring->count = 0;
}

int ring_put(struct ring *ring, const void *data, size_t length)
{
    int dropped = 0;
    if (length > 65535 || ring->size < RING_OVERHEAD || length > ring->size - RING_OVERHEAD)
        return -1;
    /* What is promised is counted with RING_OVERHEAD, of which only HEAD is needed. */
    while (ring->used + ring->count * (RING_OVERHEAD - HEAD) + length + RING_OVERHEAD > ring->size) {
        ring_drop(ring);
        dropped++;
    }
    *at(ring, ring->used) = length & 255;
    *at(ring, ring->used + 1) = 0;
    for (size_t i = 0; i < length; i++)
        *at(ring, ring->used + HEAD + i) = ((const unsigned char *)data)[i];
    ring->used += HEAD + length;
    ring->count++;
    return dropped;
}

long ring_get(const struct ring *ring, size_t index, void *out, size_t room)
{
    size_t offset = 0;
    if (index >= ring->count)
        return -1;
    while (index--)
        offset += HEAD + length_at(ring, offset);
    size_t length = length_at(ring, offset);
    for (size_t i = 0; i < length && i < room; i++)
        ((unsigned char *)out)[i] = *at(ring, offset + HEAD + i);
    return (long)length;
}

long ring_drop(struct ring *ring)
{
    if (ring->count == 0)
        return -1;
    size_t length = length_at(ring, 0);
    ring->start = (size_t)(at(ring, HEAD + length) - ring->buffer);
    ring->used -= HEAD + length;
    ring->count--;
    return (long)length;
}
