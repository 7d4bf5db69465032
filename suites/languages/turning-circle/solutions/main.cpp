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
    int n, k, at = 0, turn = 0;
    cin >> n >> k;
    vector<int> people(n), gone;
    iota(people.begin(), people.end(), 1);
    while (people.size() > 1) {
        int size = people.size(), step = (k + turn - 1) % size;
        at = turn % 2 == 0 ? (at + step) % size : (at - 1 - step + 2 * size) % size;
        gone.push_back(people[at]);
        people.erase(people.begin() + at);
        turn++;
    }
    cout << people[0] << ' ' << accumulate(gone.end() - 3, gone.end(), 0) << '\n';
}
