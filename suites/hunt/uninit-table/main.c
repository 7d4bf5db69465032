/* Marks the numbers 0 to 15 that the input names, one byte each, and counts the marked ones. */
#include <stdio.h>
#include <stdlib.h>

static int count(const unsigned char *marks) {
    int found = 0;
    for (int i = 0; i < 16; i++)
        if (marks[i]) found++;
    return found;
}

int main(void) {
    unsigned char *marks = malloc(16);
    int named = 0, byte;
    while ((byte = getchar()) != EOF && named < 40) {
        if (byte > 15) {
            free(marks);
            return 1;
        }
        marks[byte] = 1;
        named++;
    }
    if (named < 3) puts("too few");
    else printf("%d of %d\n", count(marks), named);
    free(marks);
    return 0;
}
