import math
import sys

numbers = list(map(int, sys.stdin.read().split()))
t, step = 0, 1
for i in range(numbers[0]):
    m, x = numbers[1 + 2 * i], numbers[2 + 2 * i]
    tries = 0
    while t % m != x and tries < m:
        t += step
        tries += 1
    if t % m != x:
        t = -1
        break
    step = step * m // math.gcd(step, m)
print("never" if t < 0 else t)
