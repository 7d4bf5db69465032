#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <string>
#include <vector>

using namespace std;

int digits(int n) { return n ? n % 10 + digits(n / 10) : 0; }

int weekday(int y, int m, int d) {  // Sakamoto; 0 is Sunday
    static const int t[] = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};
    if (m < 3) y--;
    return (y + y / 4 - y / 100 + y / 400 + t[m - 1] + d) % 7;
}

int main() {
    int a, b, count = 0;
    cin >> a >> b;
    for (int year = a; year <= b; year++) {
        bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        vector<int> days{31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        for (int month = 1; month <= 12; month++)
            for (int day = 1; day <= days[month - 1]; day++) {
                int w = weekday(year, month, day);
                count += (digits(day) + digits(month) + digits(year)) % (w ? w : 7) == 0;
            }
    }
    cout << count << '\n';
}
