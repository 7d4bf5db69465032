a, b, n = map(int, input().split())
for i in range(3, n + 1):
    a, b = b, a + b + i
digits = str(b)
print(len(digits), digits.count("7"))
