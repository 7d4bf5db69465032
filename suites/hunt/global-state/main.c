/* A machine of five states, driven by letters: a b c d; it prints the states that it goes through. */
#include <stdio.h>

static const unsigned char next_state[5][4] = {
    {1, 0, 0, 2}, {1, 3, 0, 0}, {2, 2, 4, 1}, {0, 4, 3, 5}, {4, 1, 0, 3},
};

static int step(int state, int letter) {
    return next_state[state][letter - 'a'];
}

int main(void) {
    int state = 0, letter;
    while ((letter = getchar()) != EOF) {
        if (letter == '\n') {
            state = 0;
            putchar('\n');
            continue;
        }
        if (letter < 'a' || letter > 'd') return 1;
        state = step(state, letter);
        putchar('0' + state);
    }
    return 0;
}
