/* Reads dates "year-month-day" and prints which day of the year each is. */
#include <stdio.h>

static const int before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

static int day_of_year(int year, int month, int day) {
    int leap = month > 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return before[month] + day + leap;
}

int main(void) {
    int year, month, day;
    while (scanf("%d-%d-%d", &year, &month, &day) == 3) {
        if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31) {
            puts("no date");
            continue;
        }
        printf("%d\n", day_of_year(year, month, day));
    }
    return 0;
}
