import sys
from fractions import Fraction

n, *parts = map(int, sys.stdin.read().split())
rest = sum((Fraction(parts[i], parts[i + 1]) for i in range(0, 2 * n, 2)), Fraction(0))
answer = []
while True:
    whole = rest.numerator // rest.denominator
    answer.append(str(whole))
    rest -= whole
    if rest == 0:
        break
    rest = 1 / rest
print(" ".join(answer))
