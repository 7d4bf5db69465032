#include "count.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static char text[1 << 20];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 1;
    struct counts found = count(text, (long)fread(text, 1, sizeof text, file));
    fclose(file);
    printf("%ld %ld %ld\n", found.lines, found.words, found.bytes);
    return 0;
}
