/* A tiny picture: "PIC", width, height, then runs of (count, colour); it says how many pixels each colour has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t fill_row(unsigned char *pixels, size_t at, size_t total, unsigned count, unsigned char colour) {
    if (at >= total) return at;
    memset(pixels + at, colour, count);
    return at + count;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    FILE *file = fopen(argv[1], "rb");
    if (!file) return 2;
    unsigned char head[5];
    if (fread(head, 1, 5, file) != 5 || memcmp(head, "PIC", 3) || !head[3] || !head[4]) return 1;
    size_t total = (size_t)head[3] * head[4], at = 0, counts[256] = {0};
    unsigned char *pixels = calloc(total, 1), run[2];
    while (at < total && fread(run, 1, 2, file) == 2) at = fill_row(pixels, at, total, run[0], run[1]);
    for (size_t i = 0; i < total; i++) counts[pixels[i]]++;
    for (int c = 0; c < 256; c++)
        if (counts[c]) printf("%d: %zu\n", c, counts[c]);
    free(pixels);
    fclose(file);
    return 0;
}
