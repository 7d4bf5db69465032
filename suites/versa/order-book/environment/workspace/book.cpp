// A book of orders for one share. So far it knows `limit` and `cancel`.
#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct Order {
    std::string id;
    int quantity;
};

class Book {
    std::map<int, std::vector<Order>> buyers, sellers;

  public:
    void limit(const std::string &id, bool buy, int quantity, int price) {
        auto &other = buy ? sellers : buyers;
        for (auto level = other.begin(); level != other.end() && quantity > 0; ++level) {
            if (buy ? level->first > price : level->first < price)
                continue;
            auto &orders = level->second;
            while (!orders.empty() && quantity > 0) {
                int amount = std::min(quantity, orders[0].quantity);
                std::cout << "trade " << orders[0].id << ' ' << id << ' ' << amount << ' ' << level->first << '\n';
                quantity -= amount;
                orders[0].quantity -= amount;
                if (orders[0].quantity == 0)
                    orders.erase(orders.begin());
            }
        }
        if (quantity > 0) {
            (buy ? buyers : sellers)[price].push_back({id, quantity});
            std::cout << "rest " << id << ' ' << quantity << '\n';
        }
    }

    void cancel(const std::string &id) {
        for (auto *side : {&buyers, &sellers})
            for (auto &[price, orders] : *side)
                for (size_t k = 0; k < orders.size(); k++)
                    if (orders[k].id == id) {
                        std::cout << "cancelled " << id << ' ' << orders[k].quantity << '\n';
                        orders.erase(orders.begin() + k);
                        return;
                    }
        std::cout << "reject " << id << '\n';
    }
};

int main() {
    Book book;
    std::string line, what, id, side;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        int quantity = 0, price = 0;
        words >> what >> id;
        if (what == "cancel")
            book.cancel(id);
        else if (what == "limit" && words >> side >> quantity >> price)
            book.limit(id, side == "buy", quantity, price);
    }
}
