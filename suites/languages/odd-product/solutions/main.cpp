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
    cin >> n;
    vector<int> digits{1};
    for (int i = 1; i <= n; i++) {
        int carry = 0;
        for (int& digit : digits) {
            carry += digit * (i * i + 1);
            digit = carry % 10;
            carry /= 10;
        }
        for (; carry; carry /= 10) digits.push_back(carry % 10);
    }
    cout << digits.size() << ' ' << accumulate(digits.begin(), digits.end(), 0) << '\n';
}
