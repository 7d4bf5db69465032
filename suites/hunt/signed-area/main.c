/* Reads "width height" and prints the area of the rectangle. */
#include <limits.h>
#include <stdio.h>

static int area(int width, int height) {
    if (width > 100000 || height > 100000) return -1;
    return width * height;
}

int main(void) {
    int width, height;
    while (scanf("%d %d", &width, &height) == 2) {
        if (width < 0 || height < 0) {
            puts("negative");
            continue;
        }
        int found = area(width, height);
        if (found < 0) puts("too large");
        else printf("%d\n", found);
    }
    return 0;
}
