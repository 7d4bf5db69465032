def added(x, y, small):
    result, carry = [], small
    for place in range(max(len(x), len(y))):
        carry += (x[place] if place < len(x) else 0) + (y[place] if place < len(y) else 0)
        result.append(carry % 10)
        carry //= 10
    while carry:
        result.append(carry % 10)
        carry //= 10
    return result


a, b, n = input().split()
x, y = ([int(digit) for digit in reversed(word)] for word in (a, b))
for i in range(3, int(n) + 1):
    x, y = y, added(x, y, i)
while len(y) > 1 and y[-1] == 0:
    y.pop()
print(len(y), sum(digit == 7 for digit in y))
