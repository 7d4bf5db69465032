#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int match(char a, char b) {
    return (a == '(' && b == ')') || (a == '[' && b == ']') || (a == '{' && b == '}');
}

int main(void) {
    static char text[92];
    static int cost[92][92];
    scanf("%91s", text);
    int n = (int)strlen(text);
    for (int length = 1; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
            int j = i + length, least = cost[i + 1][j] + 1;
            for (int k = i + 1; k < j; k++)
                if (match(text[i], text[k]) && cost[i + 1][k] + cost[k + 1][j] < least)
                    least = cost[i + 1][k] + cost[k + 1][j];
            cost[i][j] = least;
        }
    printf("%d\n", cost[0][n]);
    return 0;
}
