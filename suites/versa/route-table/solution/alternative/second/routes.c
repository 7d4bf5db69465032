/* A table of IPv4 routes.
 *
 * The routes lie in an array without order, and are found by prefix in a table of hashes, so that an address is looked
 * up by one try for each length. What concerns the table as a whole (`list`, `count`) walks through the routes in the
 * order of their addresses; those that cover the one at hand then lie on a stack. */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define NOBODY SIZE_MAX

struct prefix {
    uint32_t address;
    unsigned length;
};

struct route {
    struct prefix prefix;
    uint32_t hop;
    size_t next; /* the next route with the same hash, or NOBODY */
};

static struct route *routes;
static size_t used, room;
static size_t *buckets; /* as many as there is room for routes, a power of two */
static int in_order;    /* whether the routes are sorted, and nothing was changed since */

static void *checked(void *memory)
{
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* --- prefixes --- */

static uint32_t mask(unsigned length)
{
    return length ? UINT32_MAX << (32 - length) : 0;
}

static uint64_t size_of(struct prefix prefix)
{
    return UINT64_C(1) << (32 - prefix.length);
}

static int covers(struct prefix wide, struct prefix narrow)
{
    return wide.length <= narrow.length && ((wide.address ^ narrow.address) & mask(wide.length)) == 0;
}

static int by_address(const void *one, const void *other)
{
    const struct prefix a = ((const struct route *)one)->prefix, b = ((const struct route *)other)->prefix;
    if (a.address != b.address)
        return a.address < b.address ? -1 : 1;
    return (a.length > b.length) - (a.length < b.length);
}

/* --- the table --- */

static size_t *bucket(struct prefix prefix)
{
    uint64_t mixed = ((uint64_t)prefix.length << 32 | prefix.address) * UINT64_C(0x9E3779B97F4A7C15);
    return &buckets[(mixed >> 32) & (room - 1)];
}

static void hang(size_t place)
{
    size_t *first = bucket(routes[place].prefix);
    routes[place].next = *first;
    *first = place;
}

static void hang_all(void)
{
    for (size_t k = 0; k < room; k++)
        buckets[k] = NOBODY;
    for (size_t k = 0; k < used; k++)
        hang(k);
}

/* Where the place of a route is noted: in its bucket, or in the route before it. What is noted there is NOBODY if there
 * is no such route. */
static size_t *link_to(struct prefix prefix)
{
    size_t *link = bucket(prefix);
    while (*link != NOBODY) {
        struct route *route = &routes[*link];
        if (route->prefix.address == prefix.address && route->prefix.length == prefix.length)
            break;
        link = &route->next;
    }
    return link;
}

static void grow(void)
{
    room = room ? 2 * room : 64;
    routes = checked(realloc(routes, room * sizeof *routes));
    buckets = checked(realloc(buckets, room * sizeof *buckets));
    hang_all();
}

static void sort(void)
{
    if (in_order)
        return;
    qsort(routes, used, sizeof *routes, by_address);
    hang_all();
    in_order = 1;
}

/* Calls `visit` for each route in order, with the longest of the others that cover it, or NULL. */
static void walk(void (*visit)(const struct route *, const struct route *above, void *), void *sums)
{
    const struct route *covering[33];
    size_t depth = 0;
    sort();
    for (size_t k = 0; k < used; k++) {
        while (depth && !covers(covering[depth - 1]->prefix, routes[k].prefix))
            depth--;
        visit(&routes[k], depth ? covering[depth - 1] : NULL, sums);
        covering[depth++] = &routes[k];
    }
}

/* --- commands --- */

struct values {
    struct prefix prefix; /* an address alone has the length 32 */
    uint32_t hop;
};

static void print_address(uint32_t address, const char *end)
{
    printf("%u.%u.%u.%u%s", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255, end);
}

static void print_route(const struct route *route)
{
    print_address(route->prefix.address, "");
    printf("/%u ", route->prefix.length);
    print_address(route->hop, "\n");
}

static void add(const struct values *given)
{
    size_t found = *link_to(given->prefix);
    if (found != NOBODY) {
        puts(routes[found].hop == given->hop ? "same" : "replaced");
        routes[found].hop = given->hop;
        return;
    }
    if (used == room)
        grow();
    routes[used].prefix = given->prefix;
    routes[used].hop = given->hop;
    hang(used++);
    in_order = 0;
    puts("added");
}

static void drop(const struct values *given)
{
    size_t *link = link_to(given->prefix), hole = *link, last = used - 1;
    if (hole == NOBODY) {
        puts("absent");
        return;
    }
    *link = routes[hole].next;
    if (hole != last) { /* the last route fills the hole */
        *link_to(routes[last].prefix) = hole;
        routes[hole] = routes[last];
        in_order = 0;
    }
    used--;
    puts("dropped");
}

static void find(const struct values *given)
{
    for (unsigned tried = 0; tried <= 32; tried++) {
        struct prefix prefix = {given->prefix.address & mask(32 - tried), 32 - tried};
        size_t place = *link_to(prefix);
        if (place != NOBODY) {
            print_route(&routes[place]);
            return;
        }
    }
    puts("none");
}

static void print_needed(const struct route *route, const struct route *above, void *sums)
{
    if (above && above->hop == route->hop)
        return;
    print_route(route);
    ++*(size_t *)sums;
}

static void list(const struct values *given)
{
    size_t needed = 0;
    (void)given;
    walk(print_needed, &needed);
    printf("%zu of %zu\n", needed, used);
}

struct counted {
    uint32_t hop;
    uint64_t addresses;
};

static void add_own(const struct route *route, const struct route *above, void *sums)
{
    struct counted *counted = sums;
    if (route->hop == counted->hop)
        counted->addresses += size_of(route->prefix);
    if (above && above->hop == counted->hop)
        counted->addresses -= size_of(route->prefix);
}

static void count(const struct values *given)
{
    struct counted counted = {given->hop, 0};
    walk(add_own, &counted);
    printf("%llu\n", (unsigned long long)counted.addresses);
}

/* --- words --- */

struct word {
    const char *at, *end;
};

/* Takes a number up to `most` off a word. */
static int take_number(struct word *word, unsigned most, unsigned *number)
{
    const char *begin = word->at;
    for (*number = 0; word->at < word->end && *word->at >= '0' && *word->at <= '9'; word->at++) {
        *number = *number * 10 + (unsigned)(*word->at - '0');
        if (*number > most || (*begin == '0' && word->at > begin))
            return 0;
    }
    return word->at > begin;
}

static int take_sign(struct word *word, char sign)
{
    return word->at < word->end && *word->at++ == sign;
}

static int take_address(struct word *word, uint32_t *address)
{
    *address = 0;
    for (int part = 0; part < 4; part++) {
        unsigned number;
        if ((part && !take_sign(word, '.')) || !take_number(word, 255, &number))
            return 0;
        *address = *address << 8 | number;
    }
    return 1;
}

/* Reads a word as what a letter says: a PREFIX, an ADDRESS or a HOP. */
static int read_word(char kind, struct word word, struct values *values)
{
    uint32_t address;
    if (!take_address(&word, &address))
        return 0;
    if (kind == 'H')
        values->hop = address;
    else {
        values->prefix.address = address;
        values->prefix.length = 32;
        if (kind == 'P' && (!take_sign(&word, '/') || !take_number(&word, 32, &values->prefix.length)))
            return 0;
        if (address & ~mask(values->prefix.length))
            return 0;
    }
    return word.at == word.end;
}

static const struct command {
    const char *name, *kinds;
    void (*run)(const struct values *);
} commands[] = {
    {"add", "PH", add}, {"drop", "P", drop}, {"find", "A", find}, {"list", "", list}, {"count", "H", count},
};

/* The next word from `at` on; an empty one at the end of the line. */
static struct word next_word(const char *at, const char *end)
{
    struct word word;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    word.at = at;
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    word.end = at;
    return word;
}

static int obey(struct word name, const char *end)
{
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        const struct command *command = &commands[k];
        struct values values = {{0, 0}, 0};
        struct word word = name;
        size_t length = (size_t)(name.end - name.at);
        if (length != strlen(command->name) || memcmp(name.at, command->name, length))
            continue;
        for (const char *kind = command->kinds; *kind; kind++) {
            word = next_word(word.end, end);
            if (!read_word(*kind, word, &values))
                return 0;
        }
        word = next_word(word.end, end);
        if (word.at != word.end)
            return 0;
        command->run(&values);
        return 1;
    }
    return 0;
}

int main(void)
{
    char *line = NULL;
    size_t space = 0;
    ssize_t length;
    grow();
    while ((length = getline(&line, &space, stdin)) > 0) {
        const char *end = line + length - (line[length - 1] == '\n');
        struct word name = next_word(line, end);
        if (name.at != name.end && !obey(name, end))
            puts("error");
    }
    free(line);
    free(routes);
    free(buckets);
    return 0;
}
