#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sand[25][25], rows, columns;

static void put(int r, int c) {
    if (r < 0 || r >= rows) return;
    sand[r][c]++;
}

int main(void) {
    int y, x, k, grains = 0, threes = 0;
    scanf("%d %d %d %d %d", &rows, &columns, &y, &x, &k);
    while (k--) {
        int again = 1;
        sand[y][x]++;
        while (again) {
            again = 0;
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < columns; c++)
                    while (sand[r][c] >= 4) {
                        again = 1;
                        sand[r][c] -= 4;
                        put(r - 1, c);
                        put(r + 1, c);
                        put(r, (c + columns - 1) % columns);
                        put(r, (c + 1) % columns);
                    }
        }
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) { grains += sand[r][c]; threes += sand[r][c] == 3; }
    printf("%d %d\n", grains, threes);
    return 0;
}
