/* A list of tagged values: one byte of tag, one byte of length, the value. It prints every value in upper case. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_value(const unsigned char *from, size_t length, size_t left) {
    size_t take = length < left ? length : left;
    char *value = malloc(take);
    for (size_t i = 0; i < take; i++) value[i] = (char)toupper(from[i]);
    value[take] = 0;
    return value;
}

int main(void) {
    unsigned char text[512];
    size_t size = fread(text, 1, sizeof text, stdin), at = 0;
    while (at + 2 <= size) {
        unsigned char tag = text[at], length = text[at + 1];
        at += 2;
        char *value = copy_value(text + at, length, size - at);
        printf("%u=%s\n", tag, value);
        free(value);
        at += length;
    }
    return 0;
}
