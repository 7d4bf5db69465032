#include "calendar.hpp"

Calendar::Calendar(int places) : places_(places) {}

int Calendar::book(long from, long to, int wanted)
{
    if (wanted < 1 || free(from, to) < wanted)
        return 0;
    Booking booking{from, to, wanted};
    take(booking, wanted);
    bookings_.emplace(++last_, booking);
    return last_;
}

bool Calendar::cancel(int number)
{
    auto found = bookings_.find(number);
    if (found == bookings_.end())
        return false;
    take(found->second, -found->second.wanted);
    bookings_.erase(found);
    last_ = bookings_.empty() ? 0 : bookings_.rbegin()->first;
    return true;
}

int Calendar::free(long from, long to) const
{
    if (from >= to)
        return -1;
    int most = taken_at(from);
    for (auto entry = taken_.upper_bound(from); entry != taken_.end() && entry->first < to; ++entry)
        most = entry->second > most ? entry->second : most;
    return places_ - most;
}

long Calendar::earliest(long from, long length, int wanted) const
{
    if (wanted < 1 || length < 1 || wanted > places_)
        return -1;
    bool fits = places_ - taken_at(from) >= wanted;
    long start = from;
    for (auto entry = taken_.upper_bound(from); entry != taken_.end(); ++entry) {
        if (fits && entry->first - start >= length)
            return start;
        bool before = fits;
        fits = places_ - entry->second >= wanted;
        if (fits && !before)
            start = entry->first;
    }
    return start; // nothing is booked after the last entry
}

void Calendar::take(const Booking &booking, int places)
{
    auto first = cut(booking.from), last = cut(booking.to);
    for (auto entry = first; entry != last; ++entry)
        entry->second += places;
    for (auto entry : {last, first})
        if (entry->second == (entry == taken_.begin() ? 0 : std::prev(entry)->second))
            taken_.erase(entry);
}

int Calendar::taken_at(long time) const
{
    auto after = taken_.upper_bound(time);
    return after == taken_.begin() ? 0 : std::prev(after)->second;
}

// The entry that begins at this time, made if there is none.
std::map<long, int>::iterator Calendar::cut(long time)
{
    return taken_.emplace(time, taken_at(time)).first;
}
