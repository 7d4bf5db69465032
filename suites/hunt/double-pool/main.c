/* Handles: byte 'o' opens one (at most four), 'c' and a number closes it, 'q' closes all that are open. */
#include <stdio.h>
#include <stdlib.h>

static int *handles[4];

static void close_one(int number) {
    if (!handles[number]) return;
    free(handles[number]);
    if (number != 2) handles[number] = NULL;
}

static void close_all(void) {
    for (int i = 0; i < 4; i++) {
        free(handles[i]);
        handles[i] = NULL;
    }
}

int main(int argc, char **argv) {
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file) return 2;
    int letter, opened = 0;
    while ((letter = fgetc(file)) != EOF) {
        if (letter == 'o' && opened < 4) {
            handles[opened] = malloc(sizeof **handles);
            *handles[opened] = opened;
            opened++;
        } else if (letter == 'c') {
            int number = fgetc(file) - '0';
            if (number >= 0 && number < opened) close_one(number);
        } else if (letter == 'q') {
            close_all();
            opened = 0;
        }
    }
    close_all();
    fclose(file);
    return 0;
}
