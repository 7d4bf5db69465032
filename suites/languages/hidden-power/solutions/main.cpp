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
    int a, e = 0;
    string s, digits = "1";
    cin >> a >> s;
    reverse(s.begin(), s.end());
    do {
        e++;
        int carry = 0;
        for (char& digit : digits) {
            carry += (digit - '0') * a;
            digit = char('0' + carry % 10);
            carry /= 10;
        }
        for (; carry; carry /= 10) digits += char('0' + carry % 10);
    } while (digits.find(s) == string::npos);
    cout << e << '\n';
}
