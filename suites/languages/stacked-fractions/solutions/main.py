import sys

numbers = list(map(int, sys.stdin.read().split()))
top, bottom = 0, 1
for i in range(numbers[0]):
    a, b = numbers[1 + 2 * i], numbers[2 + 2 * i]
    top, bottom = top * b + a * bottom, bottom * b
terms = []
while bottom:
    terms.append(top // bottom)
    top, bottom = bottom, top % bottom
print(*terms)
