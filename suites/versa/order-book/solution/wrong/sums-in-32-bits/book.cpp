// A book of orders for one share: price first, then time.
#include <algorithm>
#include <iostream>
#include <list>
#include <map>
#include <sstream>
#include <string>

struct Order {
    std::string id;
    long shown, hidden, most;  // most: what an iceberg shows at once; 0 for other orders
    long total() const { return shown + hidden; }
};

using Level = std::list<Order>;

struct Place {
    bool buy;
    long price;
    Level::iterator order;
};

class Book {
    std::map<long, Level> sides[2];  // by price, negated for buyers, so that the best is first
    std::map<std::string, Place> places;

    static long key(bool buy, long price) { return buy ? -price : price; }

    static bool good(bool buy, long limit, long price) { return buy ? price <= limit : price >= limit; }

    void leave(const std::string &id) {
        Place place = places.at(id);
        auto &side = sides[place.buy];
        auto level = side.find(key(place.buy, place.price));
        level->second.erase(place.order);
        if (level->second.empty())
            side.erase(level);
        places.erase(id);
    }

    long within(bool buy, long limit) const {
        int sum = 0;
        for (const auto &[k, level] : sides[!buy])
            if (good(buy, limit, key(!buy, k)))
                for (const Order &order : level)
                    sum += order.total();
        return sum;
    }

    long trade(const std::string &id, bool buy, long left, const long *limit) {
        auto &other = sides[!buy];
        while (left > 0 && !other.empty()) {
            auto &[k, level] = *other.begin();
            long price = key(!buy, k);
            if (limit && !good(buy, *limit, price))
                break;
            Order &first = level.front();
            long amount = std::min(left, first.shown);
            std::cout << "trade " << first.id << ' ' << id << ' ' << amount << ' ' << price << '\n';
            left -= amount;
            first.shown -= amount;
            if (first.shown == 0 && first.hidden > 0) {
                first.shown = std::min(first.most, first.hidden);
                first.hidden -= first.shown;
                level.splice(level.end(), level, level.begin());
            } else if (first.shown == 0) {
                leave(std::string(first.id));
            }
        }
        return left;
    }

    void rest(const std::string &id, bool buy, long left, long price, long most) {
        if (left == 0)
            return;
        long shown = most ? std::min(most, left) : left;
        Level &level = sides[buy][key(buy, price)];
        level.push_back({id, shown, left - shown, most});
        places[id] = {buy, price, std::prev(level.end())};
        std::cout << "rest " << id << ' ' << left << '\n';
    }

    void drop(const std::string &id, long left) {
        if (left > 0)
            std::cout << "drop " << id << ' ' << left << '\n';
    }

  public:
    void enter(const std::string &what, const std::string &id, std::istream &words) {
        std::string side;
        long quantity = 0, price = 0, most = 0;
        words >> side >> quantity >> price >> most;
        bool buy = side == "buy";
        if (places.count(id) || (what == "fok" && within(buy, price) < quantity))
            std::cout << "reject " << id << '\n';
        else if (what == "market")
            drop(id, trade(id, buy, quantity, nullptr));
        else if (what == "ioc" || what == "fok")
            drop(id, trade(id, buy, quantity, &price));
        else
            rest(id, buy, trade(id, buy, quantity, &price), price, most);
    }

    void amend(const std::string &id, long quantity, long price) {
        if (!places.count(id)) {
            std::cout << "reject " << id << '\n';
            return;
        }
        Place place = places.at(id);
        Order &order = *place.order;
        if (price == place.price && quantity <= order.total()) {
            order.shown = std::min(order.shown, quantity);
            order.hidden = quantity - order.shown;
            std::cout << "kept " << id << ' ' << quantity << '\n';
            return;
        }
        long most = order.most;
        leave(id);
        rest(id, place.buy, trade(id, place.buy, quantity, &price), price, most);
    }

    void cancel(const std::string &id) {
        if (!places.count(id)) {
            std::cout << "reject " << id << '\n';
            return;
        }
        std::cout << "cancelled " << id << ' ' << places.at(id).order->total() << '\n';
        leave(id);
    }

    void show() const {
        for (auto level = sides[0].rbegin(); level != sides[0].rend(); ++level)
            print("sell", level->first, level->second);
        for (const auto &[k, level] : sides[1])
            print("buy", -k, level);
        std::cout << "end\n";
    }

  private:
    static void print(const char *side, long price, const Level &level) {
        int shown = 0;
        for (const Order &order : level)
            shown += order.shown;
        std::cout << side << ' ' << price << ' ' << shown << ' ' << level.size() << '\n';
    }
};

int main() {
    Book book;
    std::string line, what, id;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        words >> what >> id;
        long quantity, price;
        if (what == "show")
            book.show();
        else if (what == "cancel")
            book.cancel(id);
        else if (what == "amend" && words >> quantity >> price)
            book.amend(id, quantity, price);
        else
            book.enter(what, id, words);
    }
}
