n = int(input())
product = 1
for i in range(1, n + 1):
    product *= i * i + 1
digits = str(product)
print(len(digits), sum(map(int, digits)))
