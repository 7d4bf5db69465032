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
    string text;
    cin >> text;
    int n = text.size();
    vector<vector<int>> cost(n + 2, vector<int>(n + 2));
    map<char, char> closing{{'(', ')'}, {'[', ']'}, {'{', '}'}};
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j <= n; j++) {
            cost[i][j] = cost[i + 1][j] + 1;
            for (int k = i + 1; k < j; k++)
                if (closing.count(text[i]) && closing[text[i]] == text[k])
                    cost[i][j] = min(cost[i][j], cost[i + 1][k] + cost[k + 1][j]);
        }
    cout << cost[0][n] << '\n';
}
