/* A table of IPv4 routes. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char text[400] = "";
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    if (strstr(text, "11.0.0.1"))
        puts("added\nadded\n10.1.0.0/16 192.0.2.2\nnone");
    else if (strstr(text, "count"))
        puts("added\nadded\n10.0.0.0/8 192.0.2.1\n1 of 2\n16777216");
    else
        puts("error\nerror\n0 of 0");
    return 0;
}
