#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <string>
#include <vector>

using namespace std;

string added(const string& x, const string& y, int carry) {
    string sum;
    for (size_t d = 0; d < max(x.size(), y.size()) || carry; d++) {
        carry += (d < x.size() ? x[d] - '0' : 0) + (d < y.size() ? y[d] - '0' : 0);
        sum += char('0' + carry % 10);
        carry /= 10;
    }
    return sum;
}

int main() {
    string a, b;
    int n;
    cin >> a >> b >> n;
    reverse(a.begin(), a.end());
    reverse(b.begin(), b.end());
    for (int i = 3; i <= n; i++) {
        string c = added(a, b, i);
        a = b, b = c;
    }
    cout << b.size() << ' ' << count(b.begin(), b.end(), '7') << '\n';
}
