/* Prints the longest word of each line. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void longest_word(const char *line) {
    char word[24], best[24] = "";
    size_t length = 0;
    for (;; line++) {
        if (isalpha((unsigned char)*line)) {
            word[length++] = *line;
        } else {
            word[length] = 0;
            if (length > strlen(best)) strcpy(best, word);
            length = 0;
        }
        if (!*line) break;
    }
    puts(best);
}

int main(void) {
    char line[256];
    while (fgets(line, sizeof line, stdin)) longest_word(line);
    return 0;
}
