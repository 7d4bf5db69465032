text = input().strip()
n = len(text)
pairs = {"(": ")", "[": "]", "{": "}"}
cost = [[0] * (n + 1) for _ in range(n + 1)]
for length in range(1, n + 1):
    for i in range(n - length + 1):
        j = i + length
        least = cost[i + 1][j] + 1
        for k in range(i + 1, j):
            if pairs.get(text[i]) == text[k]:
                least = min(least, cost[i + 1][k] + cost[k + 1][j])
        cost[i][j] = least
print(cost[0][n])
