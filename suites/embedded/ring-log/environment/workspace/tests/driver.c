/* Puts words into a ring and prints what it holds: driver SIZE WORD... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ring.h"

int main(int argc, char **argv)
{
    unsigned char buffer[256];
    struct ring ring;
    ring_init(&ring, buffer, (size_t)atoi(argv[1]));
    for (int i = 2; i < argc; i++)
        printf("%d ", ring_put(&ring, argv[i], strlen(argv[i])));
    printf("|");
    for (size_t i = 0; i < ring.count; i++) {
        char out[64] = "";
        ring_get(&ring, i, out, sizeof out - 1);
        printf(" %s", out);
    }
    return 0;
}
