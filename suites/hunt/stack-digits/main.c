/* Reads lines "number base" and prints the number in that base, 2 to 16. */
#include <stdio.h>

static void to_base(unsigned number, unsigned base) {
    char digits[20];
    int count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    while (count) putchar(digits[--count]);
    putchar('\n');
}

int main(void) {
    unsigned number, base;
    while (scanf("%u %u", &number, &base) == 2) {
        if (base < 2 || base > 16) {
            puts("base?");
            continue;
        }
        to_base(number, base);
    }
    return 0;
}
