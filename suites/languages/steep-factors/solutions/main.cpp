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
    int n;
    cin >> n;
    vector<int> least(n + 1);
    for (int p = 2; p <= n; p++)
        if (!least[p])
            for (int m = p; m <= n; m += p)
                if (!least[m]) least[m] = p;
    long long count = 0, total = 0;
    for (int i = 2; i <= n; i++) {
        int last = 0;
        bool steep = true;
        for (int rest = i; rest > 1 && steep; rest /= last) {
            steep = least[rest] >= 2 * last;
            last = least[rest];
        }
        if (steep) count++, total += i;
    }
    cout << count << ' ' << total << '\n';
}
