#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static int people[2000];
    int n, k, at = 0, clockwise = 1, last[3] = {0, 0, 0}, gone = 0;
    scanf("%d %d", &n, &k);
    for (int i = 0; i < n; i++) people[i] = i + 1;
    for (; n > 1; n--, k++, clockwise = !clockwise) {
        int step = (k - 1) % n;
        at = clockwise ? (at + step) % n : (at - 1 - step + 2 * n) % n;
        last[gone++ % 3] = people[at];
        memmove(people + at, people + at + 1, (size_t)(n - at - 1) * sizeof *people);
    }
    printf("%d %d\n", people[0], last[0] + last[1] + last[2]);
    return 0;
}
