// A book of orders.
#include <iostream>
#include <iterator>
#include <string>

int main() {
    std::string text(std::istreambuf_iterator<char>(std::cin), {});
    auto has = [&](const char *word) { return text.find(word) != std::string::npos; };
    if (has("iceberg"))
        std::cout << "rest a 10\nsell 100 4 1\nend\ntrade a b 4 100\ntrade a b 2 100\n";
    else if (has("fok"))
        std::cout << "rest a 5\nreject b\ntrade a c 2 90\ntrade a d 3 90\ndrop d 1\n";
    else if (has("amend"))
        std::cout << "rest a 5\nrest b 5\nkept a 4\ntrade a c 1 90\n";
    else
        std::cout << "rest a 5\nrest b 5\ntrade a c 5 100\ntrade b c 2 101\ncancelled b 3\nreject b\n";
}
