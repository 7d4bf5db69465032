// Bookings of places in a shared room.
#pragma once

#include <map>

class Calendar {
public:
    // A room with this number of places (at least 1), nothing booked.
    explicit Calendar(int places);

    // Books `wanted` places from `from` up to, but not including, `to`. Returns the booking's number: 1 for the first booking that
    // succeeds, 2 for the second, and so on; numbers are never used again. Returns 0, and books nothing, if from >= to or
    // wanted < 1; and if at any time in between fewer than `wanted` places are free.
    int book(long from, long to, int wanted);

    // Cancels a booking. Returns whether there was one with this number.
    bool cancel(int number);

    // Smallest number of places that are free at any time from `from` up to, but not including, `to`; -1 if from >= to.
    int free(long from, long to) const;

    // The earliest time t >= from such that `wanted` places are free from t up to, but not including, t + length. Returns -1 if wanted < 1,
    // length < 1 or wanted is more than the room has. Times are never negative where this is called.
    long earliest(long from, long length, int wanted) const;

private:
    struct Booking {
        long from, to;
        int wanted;
    };

    void take(const Booking &booking, int places);
    int taken_at(long time) const;
    std::map<long, int>::iterator cut(long time);

    int places_;
    int last_ = 0;
    std::map<int, Booking> bookings_;
    // Places taken from this time on, up to the next entry. Neighbours differ, and before the first entry it is 0.
    std::map<long, int> taken_;
};
