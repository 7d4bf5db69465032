#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOD 1000000007

int main(void) {
    int n, m;
    long long ways[3][12] = {{0}}, total = 0;
    scanf("%d %d", &n, &m);
    for (int l = 0; l < 3; l++) ways[l][1] = 1;
    for (int i = 1; i < n; i++) {
        long long next[3][12] = {{0}}, ends[3] = {0, 0, 0};
        for (int l = 0; l < 3; l++)
            for (int run = 1; run <= m; run++) ends[l] = (ends[l] + ways[l][run]) % MOD;
        for (int l = 0; l < 3; l++) {
            for (int before = 0; before < 3; before++)
                if (before != l && !(before == 0 && l == 2)) next[l][1] = (next[l][1] + ends[before]) % MOD;
            for (int run = 2; run <= m; run++) next[l][run] = ways[l][run - 1];
        }
        memcpy(ways, next, sizeof ways);
    }
    for (int l = 0; l < 3; l++)
        for (int run = 1; run <= m; run++) total += ways[l][run];
    printf("%lld\n", total % MOD);
    return 0;
}
