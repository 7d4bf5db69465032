#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static const int value[] = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
    static const int length[] = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1};
    int a, b, total = 0, most = 0, best = 0;
    scanf("%d %d", &a, &b);
    for (int number = a; number <= b; number++) {
        int rest = number, letters = 0;
        for (int i = 0; i < 13; i++) {
            letters += rest / value[i] * length[i];
            rest %= value[i];
        }
        total += letters;
        if (letters > most) { most = letters; best = number; }
    }
    printf("%d %d\n", total, best);
    return 0;
}
