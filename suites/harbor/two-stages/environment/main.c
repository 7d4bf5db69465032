#include <stdio.h>

int rot(int c);

int main(void)
{
    for (int c; (c = getchar()) != EOF;)
        putchar(rot(c));
    return 0;
}
