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
    string first, last, word;
    int n;
    cin >> first >> last >> n;
    set<string> words;
    while (cin >> word) words.insert(word);
    map<string, int> steps{{first, 0}};
    queue<string> waiting({first});
    while (!waiting.empty()) {
        string at = waiting.front();
        waiting.pop();
        vector<string> options{at.substr(1)};
        for (char letter = 'a'; letter <= 'z'; letter++) {
            options.push_back(letter + at);
            for (size_t i = 0; i < at.size(); i++) {
                string other = at;
                other[i] = letter;
                options.push_back(other);
            }
        }
        for (auto& other : options)
            if (words.count(other) && !steps.count(other)) steps[other] = steps[at] + 1, waiting.push(other);
    }
    cout << (steps.count(last) ? steps[last] : -1) << '\n';
}
