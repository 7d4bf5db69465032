// A book of orders for one share.
//
// Both sides are kept alike: a queue of orders is filed under its "distance", which is the price for sellers and the
// price with a minus for buyers. So the best queue of a side always comes first, and an order that comes in reaches all
// queues of the other side whose distance is not more than its own, turned round.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>

using Amount = std::int64_t;

constexpr Amount everything = std::numeric_limits<Amount>::max();

struct Resting {
    std::string id;
    Amount shown, hidden, most;

    Amount left() const { return shown + hidden; }

    // Sets what is left; the hidden part goes first.
    void shrink_to(Amount amount) {
        shown = std::min(shown, amount);
        hidden = amount - shown;
    }

    // Shows the next part of what is left.
    void uncover() {
        Amount all = left();
        shown = std::min(all, most);
        hidden = all - shown;
    }
};

using Queue = std::list<Resting>;
using Side = std::map<Amount, Queue>;

enum class Leftover { rests, drops };

class Market {
    struct Place {
        bool buy;
        Amount distance;
        Queue::iterator order;
    };

    Side sides[2]; // of sellers, of buyers
    std::unordered_map<std::string, Place> places;

    static Amount distance_of(bool buy, Amount price) { return buy ? -price : price; }

    // Whether this much can be had from a side within reach.
    bool enough(const Side &side, Amount reach, Amount wanted) const {
        for (auto level = side.begin(); level != side.end() && level->first <= reach; ++level)
            for (const Resting &order : level->second)
                if ((wanted -= order.left()) <= 0)
                    return true;
        return false;
    }

    // Trades what can be traded, and returns what is left of the quantity.
    Amount trade(Side &side, Amount reach, const std::string &id, Amount quantity) {
        while (quantity > 0 && !side.empty() && side.begin()->first <= reach) {
            auto level = side.begin();
            Queue &queue = level->second;
            Resting &first = queue.front();
            Amount amount = std::min(quantity, first.shown);
            std::cout << "trade " << first.id << ' ' << id << ' ' << amount << ' ' << std::abs(level->first) << '\n';
            quantity -= amount;
            first.shown -= amount;
            if (first.shown > 0)
                continue;
            if (first.hidden > 0) {
                first.uncover();
                queue.splice(queue.end(), queue, queue.begin());
            } else {
                places.erase(first.id);
                queue.pop_front();
                if (queue.empty())
                    side.erase(level);
            }
        }
        return quantity;
    }

    void leave(const std::string &id) {
        auto entry = places.find(id);
        const Place place = entry->second;
        auto level = sides[place.buy].find(place.distance);
        level->second.erase(place.order);
        if (level->second.empty())
            sides[place.buy].erase(level);
        places.erase(entry);
    }

    static void answer(const char *word, const std::string &id, Amount quantity) {
        std::cout << word << ' ' << id << ' ' << quantity << '\n';
    }

  public:
    bool knows(const std::string &id) const { return places.count(id) > 0; }

    bool can_fill(bool buy, Amount quantity, Amount price) const {
        return enough(sides[!buy], -distance_of(buy, price), quantity);
    }

    void enter(const std::string &id, bool buy, Amount quantity, Amount price, Amount most, Leftover leftover) {
        const Amount distance = distance_of(buy, price);
        quantity = trade(sides[!buy], -distance, id, quantity);
        if (quantity == 0)
            return;
        if (leftover == Leftover::drops)
            return answer("drop", id, quantity);
        Queue &queue = sides[buy][distance];
        queue.push_back({id, 0, quantity, most});
        queue.back().uncover();
        places[id] = {buy, distance, std::prev(queue.end())};
        answer("rest", id, quantity);
    }

    void amend(const std::string &id, Amount quantity, Amount price) {
        const Place place = places.at(id);
        if (place.distance == distance_of(place.buy, price) && quantity <= place.order->left()) {
            place.order->shrink_to(quantity);
            return answer("kept", id, quantity);
        }
        const Amount most = place.order->most;
        leave(id);
        enter(id, place.buy, quantity, price, most, Leftover::rests);
    }

    void cancel(const std::string &id) {
        answer("cancelled", id, places.at(id).order->left());
        leave(id);
    }

    void show() const {
        const auto print = [](const char *word, const Side::value_type &level) {
            Amount shown = 0;
            for (const Resting &order : level.second)
                shown += order.shown;
            std::cout << word << ' ' << std::abs(level.first) << ' ' << shown << ' ' << level.second.size() << '\n';
        };
        std::for_each(sides[0].rbegin(), sides[0].rend(), [&](const auto &level) { print("sell", level); });
        std::for_each(sides[1].begin(), sides[1].end(), [&](const auto &level) { print("buy", level); });
        std::cout << "end\n";
    }
};

// A command's words behind its ID, each taken when it is wanted.
class Words {
    std::istringstream stream;

  public:
    explicit Words(const std::string &line) : stream(line) {}

    std::string word() {
        std::string text;
        stream >> text;
        return text;
    }

    Amount number() {
        Amount value = 0;
        stream >> value;
        return value;
    }

    bool buys() { return word() == "buy"; }
};

struct Command {
    bool of_resting; // whether its ID has to rest in the book, or must not
    std::function<bool(Market &, const std::string &, Words &)> run; // false if it is rejected
};

int main() {
    std::ios::sync_with_stdio(false);

    // An order that comes in, with those of the words that its kind has.
    const auto order = [](bool priced, bool iceberg, bool whole, Leftover leftover) {
        return [=](Market &market, const std::string &id, Words &words) {
            const bool buy = words.buys();
            const Amount quantity = words.number();
            const Amount price = priced ? words.number() : buy ? everything : 0;
            const Amount most = iceberg ? words.number() : everything;
            if (whole && !market.can_fill(buy, quantity, price))
                return false;
            market.enter(id, buy, quantity, price, most, leftover);
            return true;
        };
    };
    const std::map<std::string, Command> commands = {
        {"limit", {false, order(true, false, false, Leftover::rests)}},
        {"iceberg", {false, order(true, true, false, Leftover::rests)}},
        {"market", {false, order(false, false, false, Leftover::drops)}},
        {"ioc", {false, order(true, false, false, Leftover::drops)}},
        {"fok", {false, order(true, false, true, Leftover::drops)}},
        {"cancel",
         {true,
          [](Market &market, const std::string &id, Words &) {
              market.cancel(id);
              return true;
          }}},
        {"amend",
         {true,
          [](Market &market, const std::string &id, Words &words) {
              const Amount quantity = words.number();
              const Amount price = words.number();
              market.amend(id, quantity, price);
              return true;
          }}},
    };

    Market market;
    std::string line;
    while (std::getline(std::cin, line)) {
        Words words(line);
        const std::string name = words.word();
        if (name == "show") {
            market.show();
            continue;
        }
        const auto command = commands.find(name);
        if (command == commands.end())
            continue;
        const std::string id = words.word();
        if (command->second.of_resting != market.knows(id) || !command->second.run(market, id, words))
            std::cout << "reject " << id << '\n';
    }
}
