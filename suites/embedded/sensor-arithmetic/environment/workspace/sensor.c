/* Small arithmetic of a sensor. */
#include <stdint.h>

uint8_t next(uint8_t x)
{
    return (uint8_t)((x << 3 | x >> 5) * 5 + 29);
}

uint8_t level(uint8_t raw)
{
    return raw * 17 / 16;
}

uint16_t charge(uint16_t n)
{
    return (uint16_t)(3u * n * n / 7 + n);
}

uint16_t key(const char *text)
{
    uint16_t sum = 7;
    while (*text)
        sum = (uint16_t)(sum * 33 + (uint8_t)(*text++ << 4));
    return sum;
}

uint32_t remaining(uint32_t now, uint32_t deadline)
{
    uint32_t left = deadline - now;
    return left > 0x7FFFFFFF ? 0 : left;
}

int8_t middle(int8_t a, int8_t b)
{
    uint8_t sum = (uint8_t)(a + b);
    return (int8_t)(sum / 2);
}

int spread(unsigned k)
{
    uint8_t mask = 0xF0;
    mask = (uint8_t)(mask << k % 8 | mask >> (8 - k % 8));
    return ~mask & 0x1FF;
}
