n, m = map(int, input().split())
MOD = 1000000007
ways = [[0] * (m + 1) for _ in range(3)]
for letter in range(3):
    ways[letter][1] = 1
for _ in range(n - 1):
    ends = [sum(row) % MOD for row in ways]
    new = [[0] * (m + 1) for _ in range(3)]
    for letter in range(3):
        for before in range(3):
            if before != letter and not (before == 0 and letter == 2):
                new[letter][1] = (new[letter][1] + ends[before]) % MOD
        for run in range(2, m + 1):
            new[letter][run] = ways[letter][run - 1]
    ways = new
print(sum(map(sum, ways)) % MOD)
