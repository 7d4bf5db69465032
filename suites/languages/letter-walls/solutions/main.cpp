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
    const long long P = 1000000007;
    int n, m;
    cin >> n >> m;
    map<pair<char, int>, long long> ways{{{'a', 1}, 1}, {{'b', 1}, 1}, {{'c', 1}, 1}};
    for (int i = 1; i < n; i++) {
        map<pair<char, int>, long long> next;
        for (auto& [end, count] : ways)
            for (char letter : {'a', 'b', 'c'}) {
                int run = letter == end.first ? end.second + 1 : 1;
                if (run > m || (end.first == 'a' && letter == 'c')) continue;
                auto& sum = next[{letter, run}];
                sum = (sum + count) % P;
            }
        ways = next;
    }
    long long total = 0;
    for (auto& [end, count] : ways) total += count;
    cout << total % P << '\n';
}
