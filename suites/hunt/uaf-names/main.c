/* Eight slots of names: "set 3 name", "del 3", "show 3". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *slots[8];

static void show(int slot) {
    if (slots[slot]) printf("%d: %s\n", slot, slots[slot]);
    else printf("%d is empty\n", slot);
}

static void set(int slot, const char *name) {
    free(slots[slot]);
    slots[slot] = strdup(name);
}

static void del(int slot) {
    free(slots[slot]);
    if (slot < 7) slots[slot] = NULL;
}

int main(void) {
    char line[80], name[60];
    int slot;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "set %d %59s", &slot, name) == 2 && slot >= 0 && slot < 8) set(slot, name);
        else if (sscanf(line, "del %d", &slot) == 1 && slot >= 0 && slot < 8) del(slot);
        else if (sscanf(line, "show %d", &slot) == 1 && slot >= 0 && slot < 8) show(slot);
        else puts("?");
    }
    for (slot = 0; slot < 7; slot++) free(slots[slot]);
    return 0;
}
