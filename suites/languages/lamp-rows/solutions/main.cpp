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
    vector<bool> on(n + 1);
    for (int i = 1; i <= n; i++)
        if (__builtin_popcount(i) % 2 == 0)
            for (int lamp = i; lamp <= n; lamp += i) on[lamp].flip();
    int last = n;
    while (last && !on[last]) last--;
    cout << count(on.begin(), on.end(), true) << ' ' << last << '\n';
}
