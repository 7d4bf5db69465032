#include "count.h"
#include <ctype.h>

struct counts count(const char *text, long length)
{
    struct counts found = {0, 0, length};
    int inside = 0;
    for (int at = 0; at < length; at++) {
        if (text[at] == '\n')
            found.lines++;
        if (text[at] == ' ')
            inside = 0;
        else if (!inside)
            inside = ++found.words;
    }
    return found;
}
