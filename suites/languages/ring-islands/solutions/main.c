#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char cells[61][64];
static int rows, columns;

static int sink(int r, int c) {
    r = (r + rows) % rows;
    c = (c + columns) % columns;
    if (cells[r][c] != '#') return 0;
    cells[r][c] = '.';
    return 1 + sink(r - 1, c) + sink(r + 1, c) + sink(r, c - 1) + sink(r, c + 1);
}

int main(void) {
    int islands = 0, largest = 0;
    scanf("%d %d", &rows, &columns);
    for (int r = 0; r < rows; r++) scanf("%63s", cells[r]);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            if (cells[r][c] == '#') {
                int size = sink(r, c);
                islands++;
                if (size > largest) largest = size;
            }
    printf("%d %d\n", islands, largest);
    return 0;
}
