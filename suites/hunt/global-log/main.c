/* Keeps the last messages of a log: lines "info text", "warn text", "fail text"; only failures are kept, and printed. */
#include <stdio.h>
#include <string.h>

static char kept[64];
static size_t used;

static void append(const char *text) {
    size_t length = strlen(text);
    if (used + length > sizeof kept) used = 0;
    memcpy(kept + used, text, length + 1);
    used += length;
}

int main(int argc, char **argv) {
    char line[200];
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file) return 2;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "fail ", 5)) append(line + 5);
        else if (strncmp(line, "info ", 5) && strncmp(line, "warn ", 5)) puts("unknown line");
    }
    printf("%s\n", kept);
    fclose(file);
    return 0;
}
