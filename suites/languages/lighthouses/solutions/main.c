#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long long gcd(long long a, long long b) { return b ? gcd(b, a % b) : a; }

int main(void) {
    int k;
    long long t = 0, step = 1, m, x;
    scanf("%d", &k);
    while (k--) {
        scanf("%lld %lld", &m, &x);
        int tries = 0;
        while (t % m != x && tries++ < m) t += step;
        if (t % m != x) {
            printf("never\n");
            return 0;
        }
        step = step / gcd(step, m) * m;
    }
    printf("%lld\n", t);
    return 0;
}
