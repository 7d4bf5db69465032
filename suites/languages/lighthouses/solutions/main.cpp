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
    int k;
    long long t = 0, step = 1, m, x;
    cin >> k;
    while (k--) {
        cin >> m >> x;
        for (int tries = 0; t % m != x; tries++, t += step)
            if (tries > m) {
                cout << "never\n";
                return 0;
            }
        step = lcm(step, m);
    }
    cout << t << '\n';
}
