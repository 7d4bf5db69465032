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
    int rows, columns;
    cin >> rows >> columns;
    vector<string> cells(rows);
    for (auto& row : cells) cin >> row;
    using State = tuple<int, int, int, int>;  // paid, row, column, direction; 4 for none
    priority_queue<State, vector<State>, greater<State>> waiting;
    set<tuple<int, int, int>> done;
    const int dy[] = {0, 1, 0, -1}, dx[] = {1, 0, -1, 0};
    waiting.push({0, 0, 0, 4});
    while (true) {
        auto [paid, r, c, came] = waiting.top();
        waiting.pop();
        if (r == rows - 1 && c == columns - 1) {
            cout << paid << '\n';
            return 0;
        }
        if (!done.insert({r, c, came}).second) continue;
        for (int d = 0; d < 4; d++) {
            int v = r + dy[d], u = c + dx[d];
            if (v < 0 || v >= rows || u < 0 || u >= columns) continue;
            waiting.push({paid + cells[v][u] - '0' + (came != 4 && came != d ? 3 : 0), v, u, d});
        }
    }
}
