n = int(input())


def even(i):
    ones = 0
    while i:
        ones += i & 1
        i >>= 1
    return ones % 2 == 0


number = last = 0
for lamp in range(1, n + 1):
    switched, i = 0, 1
    while i * i <= lamp:
        if lamp % i == 0:
            switched += even(i)
            if i * i != lamp:
                switched += even(lamp // i)
        i += 1
    if switched % 2:
        number, last = number + 1, lamp
print(number, last)
