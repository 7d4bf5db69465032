/* A text buffer that grows: lower-case letters are added, "!" repeats the text's first letter, "." prints it. */
#include <stdio.h>
#include <stdlib.h>

static char *text;
static size_t used, room;

static void put(const char *letter) {
    if (used + 1 >= room) {
        room = room ? room * 2 : 16;
        char *grown = malloc(room);
        for (size_t i = 0; i < used; i++) grown[i] = text[i];
        free(text);
        text = grown;
        text[used++] = *letter;
    } else {
        text[used++] = *letter;
    }
    text[used] = 0;
}

int main(void) {
    int letter;
    while ((letter = getchar()) != EOF) {
        char one = (char)letter;
        if (letter >= 'a' && letter <= 'z') put(&one);
        else if (letter == '!' && used) put(&text[0]);
        else if (letter == '.' && used) puts(text);
    }
    free(text);
    return 0;
}
