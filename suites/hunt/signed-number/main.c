/* Sums the numbers of a line such as "12+7+300", as far as they are below a million. */
#include <stdio.h>

static int read_number(const char **text) {
    int number = 0;
    while (**text >= '0' && **text <= '9') {
        number = number * 10 + (**text - '0');
        (*text)++;
    }
    return number;
}

int main(void) {
    char line[100];
    while (fgets(line, sizeof line, stdin)) {
        const char *text = line;
        long sum = 0;
        for (;;) {
            int number = read_number(&text);
            if (number < 1000000) sum += number;
            if (*text != '+') break;
            text++;
        }
        printf("%ld\n", sum);
    }
    return 0;
}
