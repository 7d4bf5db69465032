#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <string>
#include <vector>

using namespace std;

int main() {
    const vector<int> digit{0, 1, 2, 3, 2, 1, 2, 3, 4, 2};
    int a, b, total = 0, most = 0, best = 0;
    cin >> a >> b;
    for (int number = a; number <= b; number++) {
        int letters = number / 1000 + digit[number / 100 % 10] + digit[number / 10 % 10] + digit[number % 10];
        total += letters;
        if (letters > most) most = letters, best = number;
    }
    cout << total << ' ' << best << '\n';
}
