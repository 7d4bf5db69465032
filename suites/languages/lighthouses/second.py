import sys


def euclid(a, b):
    if b == 0:
        return a, 1, 0
    g, x, y = euclid(b, a % b)
    return g, y, x - a // b * y


_, *rest = map(int, sys.stdin.read().split())
modulus, value, possible = 1, 0, True
for m, x in zip(rest[::2], rest[1::2]):
    g, p, _q = euclid(modulus, m)
    if (x - value) % g:
        possible = False
        break
    value += modulus * ((x - value) // g * p % (m // g))
    modulus = modulus // g * m
    value %= modulus
print(value if possible else "never")
