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
    int rows, columns, m;
    cin >> rows >> columns >> m;
    vector<vector<bool>> seen(rows, vector<bool>(columns));
    int r = 0, c = 0, dr = 0, dc = 1;
    long long total = 0;
    for (int value = 1; value <= rows * columns; value++) {
        seen[r][c] = true;
        if ((r + c) % m == 0) total += value;
        int v = r + dr, u = c + dc;
        if (v < 0 || v >= rows || u < 0 || u >= columns || seen[v][u]) {
            tie(dr, dc) = pair(dc, -dr);
            v = r + dr, u = c + dc;
        }
        r = v, c = u;
    }
    cout << total << '\n';
}
