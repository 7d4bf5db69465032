/* Reads points: "P x y" or, in space, "S x y z"; says in which half each lies. */
#include <stdio.h>

struct point { int x, y, z, flat; };

static int read_point(struct point *point) {
    char kind;
    if (scanf(" %c", &kind) != 1) return 0;
    point->flat = kind == 'P';
    if (kind != 'P' && kind != 'S') return 0;
    if (scanf("%d %d", &point->x, &point->y) != 2) return 0;
    if (!point->flat) scanf("%d", &point->z);
    return 1;
}

static void describe(const struct point *point) {
    if (point->flat) puts(point->x >= 0 ? "right" : "left");
    else puts(point->z >= 0 ? "above" : "below");
}

int main(void) {
    for (;;) {
        struct point point;
        if (!read_point(&point)) break;
        describe(&point);
    }
    return 0;
}
