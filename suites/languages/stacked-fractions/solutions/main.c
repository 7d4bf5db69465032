#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int n;
    long long top = 0, bottom = 1, a, b;
    scanf("%d", &n);
    while (n--) {
        scanf("%lld %lld", &a, &b);
        top = top * b + a * bottom;
        bottom *= b;
    }
    while (bottom) {
        long long rest = top % bottom;
        printf("%lld ", top / bottom);
        top = bottom;
        bottom = rest;
    }
    printf("\n");
    return 0;
}
