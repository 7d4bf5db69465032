/* A clock in a file: "CLK1", then four bytes of seconds (least byte first), then steps of one signed byte in hours. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int32_t later(int32_t seconds, int hours) {
    int32_t step = hours * 3600;
    return seconds + step;
}

int main(int argc, char **argv) {
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    unsigned char head[8];
    if (!file) return 2;
    if (fread(head, 1, 8, file) != 8 || memcmp(head, "CLK1", 4)) return 1;
    uint32_t raw = head[4] | (uint32_t)head[5] << 8 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 24;
    int32_t seconds = (int32_t)raw;
    int hours;
    while ((hours = fgetc(file)) != EOF) seconds = later(seconds, (signed char)hours);
    printf("%d\n", seconds);
    fclose(file);
    return 0;
}
