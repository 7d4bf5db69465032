#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long long value, total;
static int m;

static void visit(int r, int c) {
    value++;
    if ((r + c) % m == 0) total += value;
}

int main(void) {
    int rows, columns;
    scanf("%d %d %d", &rows, &columns, &m);
    int top = 0, bottom = rows - 1, left = 0, right = columns - 1;
    while (top <= bottom && left <= right) {
        for (int c = left; c <= right; c++) visit(top, c);
        for (int r = top + 1; r <= bottom; r++) visit(r, right);
        if (top < bottom) for (int c = right - 1; c >= left; c--) visit(bottom, c);
        if (left < right) for (int r = bottom - 1; r > top; r--) visit(r, left);
        top++; bottom--; left++; right--;
    }
    printf("%lld\n", total);
    return 0;
}
