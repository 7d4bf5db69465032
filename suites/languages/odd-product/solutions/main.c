#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static int digits[2000];
    int n, length = 1, sum = 0;
    scanf("%d", &n);
    digits[0] = 1;
    for (int i = 1; i <= n; i++) {
        int carry = 0;
        for (int d = 0; d < length; d++) {
            carry += digits[d] * (i * i + 1);
            digits[d] = carry % 10;
            carry /= 10;
        }
        for (; carry; carry /= 10) digits[length++] = carry % 10;
    }
    for (int d = 0; d < length; d++) sum += digits[d];
    printf("%d %d\n", length, sum);
    return 0;
}
