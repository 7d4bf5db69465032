from itertools import accumulate

n, m = map(int, input().split())
P = 10**9 + 7
# walls[letter][length]: those of a length that end with a full run of the letter, built run by run.
walls = {letter: [0] * (n + 1) for letter in "abc"}
sums = {letter: [0] * (n + 2) for letter in "abc"}
may_follow = {"a": "bc", "b": "ac", "c": "b"}
for length in range(1, n + 1):
    for letter in "abc":
        total = 1 if length <= m else 0
        low = max(length - m, 1)
        for before in may_follow[letter]:
            total += sums[before][length] - sums[before][low]
        walls[letter][length] = total % P
    for letter in "abc":
        sums[letter][length + 1] = (sums[letter][length] + walls[letter][length]) % P
print(sum(walls[letter][n] for letter in "abc") % P)
