#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int digits(int n) {
    int sum = 0;
    for (; n; n /= 10) sum += n % 10;
    return sum;
}

static int days(int year, int month) {
    static const int usual[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return usual[month - 1] + (month == 2 && leap);
}

int main(void) {
    int a, b, count = 0, weekday = 5; /* 1 January 1600 was a Saturday; 0 is Monday */
    scanf("%d %d", &a, &b);
    for (int year = 1600; year <= b; year++)
        for (int month = 1; month <= 12; month++)
            for (int day = 1; day <= days(year, month); day++) {
                int sum = digits(day) + digits(month) + digits(year);
                if (year >= a && sum % (weekday + 1) == 0) count++;
                weekday = (weekday + 1) % 7;
            }
    printf("%d\n", count);
    return 0;
}
