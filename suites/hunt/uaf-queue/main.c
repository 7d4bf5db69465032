/* A queue of jobs: "+n" adds one with weight n, "-" takes the oldest away, "?" prints the total weight. */
#include <stdio.h>
#include <stdlib.h>

struct job { unsigned weight; struct job *next; };
static struct job *first, *last;

static void add(unsigned weight) {
    struct job *job = malloc(sizeof *job);
    job->weight = weight;
    job->next = NULL;
    if (first) last->next = job;
    else first = job;
    last = job;
}

static void take(void) {
    struct job *gone = first;
    if (!gone) return;
    if (gone != last) first = gone->next;
    free(gone);
}

static unsigned total(void) {
    unsigned sum = 0;
    for (struct job *job = first; job; job = job->next) sum += job->weight;
    return sum;
}

int main(void) {
    int letter;
    unsigned weight;
    while ((letter = getchar()) != EOF) {
        if (letter == '+' && scanf("%u", &weight) == 1) add(weight);
        else if (letter == '-') { take(); printf("%u\n", total()); }
        else if (letter == '?') printf("%u\n", total());
    }
    while (first) take();
    return 0;
}
