#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int least[200001];

int main(void) {
    int n, count = 0;
    long long total = 0;
    scanf("%d", &n);
    for (int p = 2; p <= n; p++)
        if (!least[p])
            for (int m = p; m <= n; m += p)
                if (!least[m]) least[m] = p;
    for (int i = 2; i <= n; i++) {
        int rest = i, last = 0, steep = 1;
        while (rest > 1) {
            int p = least[rest];
            if (last && p < 2 * last) { steep = 0; break; }
            last = p;
            rest /= p;
        }
        if (steep) { count++; total += i; }
    }
    printf("%d %lld\n", count, total);
    return 0;
}
