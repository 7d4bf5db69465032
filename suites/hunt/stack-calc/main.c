/* A calculator in reverse Polish notation: digits are pushed, + - * take two numbers and push one, = prints. */
#include <stdio.h>

static int evaluate(const char *text) {
    unsigned stack[8];
    int top = 0;
    for (; *text && *text != '\n'; text++) {
        if (*text >= '0' && *text <= '9') {
            if (top > 8) return 1;
            stack[top++] = (unsigned)(*text - '0');
        } else if (*text == '=') {
            if (top) printf("%u\n", stack[top - 1]);
        } else if (*text == '+' || *text == '-' || *text == '*') {
            if (top < 2) return 1;
            unsigned right = stack[--top], left = stack[top - 1];
            stack[top - 1] = *text == '+' ? left + right : *text == '-' ? left - right : left * right;
        } else if (*text != ' ') {
            return 1;
        }
    }
    return 0;
}

int main(void) {
    char line[128];
    while (fgets(line, sizeof line, stdin))
        if (evaluate(line)) puts("error");
    return 0;
}
