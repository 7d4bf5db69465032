/* A table of IPv4 routes. So far it knows `add` and `find`, and takes every line for a good one. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct route {
    uint32_t address, hop;
    int length;
};

static struct route table[64];
static int used;

static uint32_t join(unsigned a, unsigned b, unsigned c, unsigned d)
{
    return a << 24 | b << 16 | c << 8 | d;
}

static int covers(const struct route *route, uint32_t address)
{
    return (route->address ^ address) >> (32 - route->length) == 0;
}

static void show(uint32_t a)
{
    printf("%u.%u.%u.%u", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255);
}

int main(void)
{
    char line[100];
    unsigned a, b, c, d, e, f, g, h;
    int length;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "add %u.%u.%u.%u/%d %u.%u.%u.%u", &a, &b, &c, &d, &length, &e, &f, &g, &h) == 9) {
            table[used++] = (struct route){join(a, b, c, d), join(e, f, g, h), length};
            puts("added");
        } else if (sscanf(line, "find %u.%u.%u.%u", &a, &b, &c, &d) == 4) {
            const struct route *best = NULL;
            for (int k = 0; k < used; k++)
                if (covers(&table[k], join(a, b, c, d)) && (!best || best->length < table[k].length))
                    best = &table[k];
            if (best) {
                show(best->address);
                printf("/%d ", best->length);
                show(best->hop);
                puts("");
            } else
                puts("none");
        }
    }
    return 0;
}
