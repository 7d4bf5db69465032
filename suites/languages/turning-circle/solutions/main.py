n, k = map(int, input().split())
people = list(range(1, n + 1))
left = []
at, clockwise = 0, True
while len(people) > 1:
    at = (at + k - 1) % len(people) if clockwise else (at - 1 - (k - 1)) % len(people)
    left.append(people.pop(at))
    clockwise = not clockwise
    k += 1
print(people[0], sum(left[-3:]))
