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
    long long top = 0, bottom = 1, a, b;
    cin >> n;
    while (cin >> a >> b) {
        top = top * b + a * bottom;
        bottom *= b;
    }
    for (; bottom; top %= bottom, swap(top, bottom)) cout << top / bottom << ' ';
    cout << '\n';
}
