/* Reads "mode level": the mode fast, slow or auto; prints whether the level is allowed. */
#include <stdio.h>
#include <string.h>

static int limit_of(const char *mode, int *limit) {
    if (!strcmp(mode, "fast")) *limit = 9;
    else if (!strcmp(mode, "slow")) *limit = 3;
    else if (strcmp(mode, "auto")) return 0;
    return 1;
}

static void judge(const char *mode, int level) {
    int limit;
    if (!limit_of(mode, &limit)) {
        puts("no such mode");
        return;
    }
    puts(level <= limit ? "allowed" : "too high");
}

int main(void) {
    char mode[8];
    int level;
    while (scanf("%7s %d", mode, &level) == 2) judge(mode, level);
    return 0;
}
