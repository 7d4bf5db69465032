def primes(limit):
    found = []
    for number in range(2, limit + 1):
        for p in found:
            if p * p > number:
                found.append(number)
                break
            if number % p == 0:
                break
        else:
            found.append(number)
    return found


LIMIT = int(input())
PRIMES = primes(LIMIT)


def grow(product, start):
    """All steep numbers that go on from a product with primes from place `start` on."""
    number, total = 0, 0
    for place in range(start, len(PRIMES)):
        value = product * PRIMES[place]
        if value > LIMIT:
            break
        number, total = number + 1, total + value
        following = place
        while following < len(PRIMES) and PRIMES[following] < 2 * PRIMES[place]:
            following += 1
            if value * PRIMES[min(following, len(PRIMES) - 1)] > LIMIT:
                break
        more = grow(value, following)
        number, total = number + more[0], total + more[1]
    return number, total


print(*grow(1, 0))
