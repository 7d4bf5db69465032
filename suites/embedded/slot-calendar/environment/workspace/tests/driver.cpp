// Carries out commands from standard input: new P, book FROM TO N, cancel NUMBER, free FROM TO, earliest FROM LENGTH N.
#include <cstdio>
#include <cstring>

#include "../calendar.hpp"

int main()
{
    char word[16];
    long a, b, c;
    Calendar calendar(1);
    while (std::scanf("%15s %ld %ld %ld", word, &a, &b, &c) == 4) {
        if (!std::strcmp(word, "new"))
            calendar = Calendar(static_cast<int>(a));
        else if (!std::strcmp(word, "book"))
            std::printf("%d\n", calendar.book(a, b, static_cast<int>(c)));
        else if (!std::strcmp(word, "cancel"))
            std::printf("%d\n", calendar.cancel(static_cast<int>(a)));
        else if (!std::strcmp(word, "free"))
            std::printf("%d\n", calendar.free(a, b));
        else
            std::printf("%ld\n", calendar.earliest(a, b, static_cast<int>(c)));
    }
}
