#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static char text[202];
    scanf("%201s", text);
    int n = (int)strlen(text);
    for (int length = n / 2; length; length--) {
        const char *best = NULL;
        for (int i = 0; i + 2 * length <= n; i++)
            for (int j = i + length; j + length <= n; j++)
                if (!strncmp(text + i, text + j, (size_t)length)) {
                    if (!best || strncmp(text + i, best, (size_t)length) < 0) best = text + i;
                    break;
                }
        if (best) {
            printf("%d %.*s\n", length, length, best);
            return 0;
        }
    }
    printf("0 -\n");
    return 0;
}
