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
    vector<int> v(n);
    vector<pair<int, int>> best;
    for (int i = 0; i < n; i++) {
        cin >> v[i];
        pair<int, int> mine(1, v[i]);
        for (int j = 0; j < i; j++)
            if (v[j] < v[i] && (v[i] - v[j]) % 2) mine = max(mine, {best[j].first + 1, best[j].second + v[i]});
        best.push_back(mine);
    }
    auto [length, sum] = *max_element(best.begin(), best.end());
    cout << length << ' ' << sum << '\n';
}
