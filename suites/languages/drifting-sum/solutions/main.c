#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static int x[3][1000];
    int a, b, n, length = 1, sevens = 0;
    scanf("%d %d %d", &a, &b, &n);
    for (int d = 0; d < 4; d++, a /= 10, b /= 10) { x[1][d] = a % 10; x[2][d] = b % 10; }
    for (int i = 3; i <= n; i++) {
        int carry = i;
        for (int d = 0; d < 1000; d++) {
            carry += x[(i - 2) % 3][d] + x[(i - 1) % 3][d];
            x[i % 3][d] = carry % 10;
            carry /= 10;
        }
    }
    for (int d = 0; d < 1000; d++) if (x[n % 3][d]) length = d + 1;
    for (int d = 0; d < length; d++) sevens += x[n % 3][d] == 7;
    printf("%d %d\n", length, sevens);
    return 0;
}
