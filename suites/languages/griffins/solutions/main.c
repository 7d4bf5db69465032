#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n, m, column[9];

static long long place(int row) {
    long long ways = 0;
    if (row == n) return 1;
    for (int c = 0; c < m; c++) {
        if (row >= 1 && abs(c - column[row - 1]) <= 2) continue;
        if (row >= 2 && abs(c - column[row - 2]) == 1) continue;
        column[row] = c;
        ways += place(row + 1);
    }
    return ways;
}

int main(void) {
    scanf("%d %d", &n, &m);
    printf("%lld\n", place(0));
    return 0;
}
