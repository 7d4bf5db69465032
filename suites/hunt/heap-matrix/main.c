/* Reads "M rows columns" and then digits, row by row; prints the matrix with rows and columns exchanged. */
#include <stdio.h>
#include <stdlib.h>

static void transpose(const int *from, int *to, int rows, int columns) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            to[c * columns + r] = from[r * columns + c];
}

int main(void) {
    int rows, columns;
    if (scanf("M %d %d", &rows, &columns) != 2) return 1;
    if (rows < 1 || columns < 1 || rows > 12 || columns > 12) return 1;
    int *cells = calloc((size_t)(rows * columns), sizeof *cells);
    int *turned = calloc((size_t)(rows * columns), sizeof *turned);
    for (int i = 0; i < rows * columns; i++) {
        int digit = getchar();
        cells[i] = digit >= '0' && digit <= '9' ? digit - '0' : 0;
    }
    transpose(cells, turned, rows, columns);
    for (int i = 0; i < rows * columns; i++) printf("%d%c", turned[i], (i + 1) % rows ? ' ' : '\n');
    free(cells);
    free(turned);
    return 0;
}
