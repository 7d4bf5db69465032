/* A table of IPv4 routes: kept in the order of addresses, shorter prefixes first. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct route {
    uint32_t address, hop;
    int length;
};

static struct route *table;
static size_t used, room;

static uint32_t mask(int length)
{
    return length > 0 ? UINT32_MAX << (32 - length) : 0;
}

/* A number without leading zeros, or -1; moves the text behind it. */
static int number(const char **text, int most)
{
    const char *at = *text;
    int value = 0;
    while (*at >= '0' && *at <= '9' && value <= most)
        value = value * 10 + (*at++ - '0');
    if (at == *text || value > most)
        return -1;
    *text = at;
    return value;
}

/* What follows an address; NULL if there is none. */
static const char *address(const char *text, uint32_t *value)
{
    *value = 0;
    for (int part = 0; part < 4; part++) {
        if (part > 0 && *text++ != '.')
            return NULL;
        int byte = number(&text, 255);
        if (byte < 0)
            return NULL;
        *value = *value << 8 | (uint32_t)byte;
    }
    return text;
}

static int is_address(const char *text, uint32_t *value)
{
    const char *rest = address(text, value);
    return rest != NULL && *rest == '\0';
}

static int is_prefix(const char *text, uint32_t *value, int *length)
{
    const char *rest = address(text, value);
    if (rest == NULL || *rest++ != '/')
        return 0;
    *length = number(&rest, 32);
    return *length >= 0 && *rest == '\0' && (*value & ~mask(*length)) == 0;
}

/* The place of a prefix, or where it would be put. */
static size_t place(uint32_t value, int length)
{
    size_t low = 0, high = used;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct route *at = &table[middle];
        if (at->address < value || (at->address == value && at->length < length))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct route *exactly(uint32_t value, int length)
{
    size_t at = place(value, length);
    return at < used && table[at].address == value && table[at].length == length ? &table[at] : NULL;
}

/* The longest route that covers an address and is no longer than a length. */
static struct route *longest(uint32_t value, int length)
{
    struct route *found = NULL;
    while (length >= 0 && found == NULL) {
        found = exactly(value & mask(length), length);
        length--;
    }
    return found;
}

static void show(const struct route *route)
{
    uint32_t a = route->address, h = route->hop;
    printf("%u.%u.%u.%u/%d %u.%u.%u.%u\n", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255, route->length,
           h >> 24, h >> 16 & 255, h >> 8 & 255, h & 255);
}

static void add(uint32_t value, int length, uint32_t hop)
{
    struct route *old = exactly(value, length);
    if (old != NULL) {
        puts(old->hop == hop ? "same" : "replaced");
        old->hop = hop;
        return;
    }
    if (used == room) {
        room = room * 2 + 16;
        table = realloc(table, room * sizeof *table);
        if (table == NULL)
            exit(2);
    }
    size_t at = place(value, length);
    memmove(&table[at + 1], &table[at], (used - at) * sizeof *table);
    table[at] = (struct route){value, hop, length};
    used++;
    puts("added");
}

static void drop(struct route *route)
{
    if (route != NULL) {
        used--;
        memmove(route, route + 1, (used - (size_t)(route - table)) * sizeof *table);
    }
    puts(route != NULL ? "dropped" : "absent");
}

static void list(void)
{
    size_t shown = 0;
    for (size_t k = 0; k < used; k++) {
        const struct route *cover = longest(table[k].address, table[k].length - 1);
        if (cover == NULL || cover->hop != table[k].hop) {
            show(&table[k]);
            shown++;
        }
    }
    printf("%zu of %zu\n", shown, used);
}

static void count(uint32_t hop)
{
    int64_t total = 0;
    for (size_t k = 0; k < used; k++) {
        int64_t size = INT64_C(1) << (32 - table[k].length);
        const struct route *cover = longest(table[k].address, table[k].length - 1);
        if (table[k].hop == hop)
            total += size;
        if (cover != NULL && cover->hop == hop)
            total -= size;
    }
    printf("%" PRId64 "\n", total);
}

static void obey(char **word, int words)
{
    uint32_t value, hop;
    int length;
    if (words == 3 && strcmp(word[0], "add") == 0 && is_prefix(word[1], &value, &length) && is_address(word[2], &hop))
        add(value, length, hop);
    else if (words == 2 && strcmp(word[0], "drop") == 0 && is_prefix(word[1], &value, &length))
        drop(exactly(value, length));
    else if (words == 2 && strcmp(word[0], "find") == 0 && is_address(word[1], &value)) {
        const struct route *found = longest(value, 32);
        if (found != NULL)
            show(found);
        else
            puts("none");
    } else if (words == 2 && strcmp(word[0], "count") == 0 && is_address(word[1], &hop))
        count(hop);
    else if (words == 1 && strcmp(word[0], "list") == 0)
        list();
    else if (words > 0)
        puts("error");
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        char *word[4];
        int words = 0;
        for (char *at = strtok(line, " \t\n"); at != NULL && words < 4; at = strtok(NULL, " \t\n"))
            word[words++] = at;
        obey(word, words);
    }
    return 0;
}
