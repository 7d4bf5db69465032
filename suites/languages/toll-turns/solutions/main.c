#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static char cells[30][32];
    static int cost[30][30][4];
    static const int dy[] = {0, 1, 0, -1}, dx[] = {1, 0, -1, 0};
    int rows, columns, changed = 1, best = 1000000000;
    scanf("%d %d", &rows, &columns);
    for (int r = 0; r < rows; r++) scanf("%31s", cells[r]);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            for (int d = 0; d < 4; d++) cost[r][c][d] = r || c ? 1000000000 : 0;
    while (changed) {
        changed = 0;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++)
                for (int d = 0; d < 4; d++) {
                    int v = r + dy[d], u = c + dx[d];
                    if (v < 0 || v >= rows || u < 0 || u >= columns) continue;
                    for (int e = 0; e < 4; e++) {
                        int paid = cost[r][c][e] + (e == d ? 0 : 3) + cells[v][u] - '0';
                        if (paid < cost[v][u][d]) { cost[v][u][d] = paid; changed = 1; }
                    }
                }
    }
    for (int d = 0; d < 4; d++) if (cost[rows - 1][columns - 1][d] < best) best = cost[rows - 1][columns - 1][d];
    printf("%d\n", best);
    return 0;
}
