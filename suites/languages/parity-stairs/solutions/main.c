#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static int v[300], length[300], sum[300];
    int n, best = 0;
    scanf("%d", &n);
    for (int i = 0; i < n; i++) {
        scanf("%d", &v[i]);
        length[i] = 1;
        sum[i] = v[i];
        for (int j = 0; j < i; j++)
            if (v[j] < v[i] && (v[j] + v[i]) % 2) {
                int l = length[j] + 1, s = sum[j] + v[i];
                if (l > length[i] || (l == length[i] && s > sum[i])) { length[i] = l; sum[i] = s; }
            }
        if (length[i] > length[best] || (length[i] == length[best] && sum[i] > sum[best])) best = i;
    }
    printf("%d %d\n", length[best], sum[best]);
    return 0;
}
