text = input().strip()
n = len(text)
best = ""
for length in range(n // 2, 0, -1):
    for i in range(n - 2 * length + 1):
        part = text[i : i + length]
        if part in text[i + length :] and (not best or part < best):
            best = part
    if best:
        break
print(len(best), best or "-")
