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
    int islands = 0, largest = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            if (cells[r][c] != '#') continue;
            queue<pair<int, int>> waiting({{r, c}});
            cells[r][c] = '.';
            int size = 0;
            while (!waiting.empty()) {
                auto [y, x] = waiting.front();
                waiting.pop();
                size++;
                for (auto [dy, dx] : {pair(0, 1), pair(1, 0), pair(0, -1), pair(-1, 0)}) {
                    int v = (y + dy + rows) % rows, u = (x + dx + columns) % columns;
                    if (cells[v][u] == '#') cells[v][u] = '.', waiting.push({v, u});
                }
            }
            islands++;
            largest = max(largest, size);
        }
    cout << islands << ' ' << largest << '\n';
}
