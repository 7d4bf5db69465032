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
    int rows, columns, y, x, k;
    cin >> rows >> columns >> y >> x >> k;
    vector<vector<int>> sand(rows, vector<int>(columns));
    for (; k; k--) {
        sand[y][x]++;
        queue<pair<int, int>> full({{y, x}});
        for (; !full.empty(); full.pop()) {
            auto [r, c] = full.front();
            if (sand[r][c] < 4) continue;
            sand[r][c] -= 4;
            full.push({r, c});
            for (auto [v, u] : {pair(r - 1, c), pair(r + 1, c), pair(r, (c + 1) % columns), pair(r, (c + columns - 1) % columns)})
                if (v >= 0 && v < rows) sand[v][u]++, full.push({v, u});
        }
    }
    int grains = 0, threes = 0;
    for (auto& row : sand) grains += accumulate(row.begin(), row.end(), 0), threes += count(row.begin(), row.end(), 3);
    cout << grains << ' ' << threes << '\n';
}
