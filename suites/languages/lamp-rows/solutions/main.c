#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static char on[50001];
    int n, count = 0, last = 0;
    scanf("%d", &n);
    for (int i = 1; i <= n; i++)
        if (__builtin_popcount((unsigned)i) % 2 == 0)
            for (int lamp = i; lamp <= n; lamp += i) on[lamp] = !on[lamp];
    for (int lamp = 1; lamp <= n; lamp++) if (on[lamp]) { count++; last = lamp; }
    printf("%d %d\n", count, last);
    return 0;
}
