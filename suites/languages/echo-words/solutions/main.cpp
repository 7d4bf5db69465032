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
    for (int length = n / 2; length; length--) {
        set<string> found;
        for (int i = 0; i + 2 * length <= n; i++)
            if (text.find(text.substr(i, length), i + length) != string::npos) found.insert(text.substr(i, length));
        if (!found.empty()) {
            cout << length << ' ' << *found.begin() << '\n';
            return 0;
        }
    }
    cout << "0 -\n";
}
