#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static int digits[2000];
    static char text[2001];
    char s[8];
    int a, length = 1;
    scanf("%d %7s", &a, s);
    digits[0] = 1;
    for (int e = 1;; e++) {
        int carry = 0;
        for (int d = 0; d < length; d++) {
            carry += digits[d] * a;
            digits[d] = carry % 10;
            carry /= 10;
        }
        for (; carry; carry /= 10) digits[length++] = carry % 10;
        for (int d = 0; d < length; d++) text[d] = (char)('0' + digits[length - 1 - d]);
        text[length] = 0;
        if (strstr(text, s)) {
            printf("%d\n", e);
            return 0;
        }
    }
}
