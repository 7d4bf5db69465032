base, wanted = input().split()
base = int(base)
pattern = [int(digit) for digit in reversed(wanted)]
digits, exponent = [1], 0
found = False
while not found:
    exponent += 1
    carry, product = 0, []
    for digit in digits:
        carry += digit * base
        product.append(carry % 10)
        carry //= 10
    while carry:
        product.append(carry % 10)
        carry //= 10
    digits = product
    for start in range(len(digits) - len(pattern) + 1):
        found = found or all(digits[start + i] == digit for i, digit in enumerate(pattern))
print(exponent)
