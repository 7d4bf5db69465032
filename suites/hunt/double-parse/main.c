/* Reads records "name:value;"; prints them, and says what is wrong with a record. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *part(const char *from, size_t length) {
    char *copy = malloc(length + 1);
    memcpy(copy, from, length);
    copy[length] = 0;
    return copy;
}

static int parse(const char *record, size_t length) {
    const char *colon = memchr(record, ':', length);
    if (!colon) return 1;
    char *name = part(record, (size_t)(colon - record));
    char *value = part(colon + 1, length - (size_t)(colon - record) - 1);
    int wrong = 0;
    if (!*name) {
        wrong = 2;
        free(name);
    }
    if (!wrong) printf("%s is %s\n", name, value);
    free(value);
    free(name);
    return wrong;
}

int main(void) {
    char text[300];
    size_t size = fread(text, 1, sizeof text, stdin), at = 0;
    while (at < size) {
        const char *end = memchr(text + at, ';', size - at);
        if (!end) break;
        if (parse(text + at, (size_t)(end - text) - at)) puts("wrong");
        at = (size_t)(end - text) + 1;
    }
    return 0;
}
