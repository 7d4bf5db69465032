#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int near(const char *a, const char *b) {
    if (strlen(a) == strlen(b)) {
        int other = 0;
        for (; *a; a++, b++) other += *a != *b;
        return other == 1;
    }
    return !strcmp(a + 1, b) || !strcmp(b + 1, a);
}

int main(void) {
    static char first[10], last[10], words[120][10];
    int n, steps[120], queue[120], head = 0, tail = 0;
    scanf("%9s %9s %d", first, last, &n);
    for (int i = 0; i < n; i++) {
        scanf("%9s", words[i]);
        steps[i] = -1;
        if (!strcmp(words[i], first)) { steps[i] = 0; queue[tail++] = i; }
    }
    while (head < tail) {
        int at = queue[head++];
        for (int i = 0; i < n; i++)
            if (steps[i] < 0 && near(words[at], words[i])) { steps[i] = steps[at] + 1; queue[tail++] = i; }
    }
    for (int i = 0; i < n; i++) if (!strcmp(words[i], last)) printf("%d\n", steps[i]);
    return 0;
}
