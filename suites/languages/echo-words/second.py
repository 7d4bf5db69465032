text = input().strip()
n = len(text)
# common[j] for a fixed i: how long the parts that end before i and j are the same.
longest, words = 0, set()
common = [[0] * (n + 1) for _ in range(n + 1)]
for i in range(1, n + 1):
    for j in range(i + 1, n + 1):
        if text[i - 1] == text[j - 1]:
            common[i][j] = common[i - 1][j - 1] + 1
            length = min(common[i][j], j - i)
            if length > longest:
                longest, words = length, set()
            if length == longest:
                words.add(text[i - length : i])
print(longest, min(words) if words else "-")
