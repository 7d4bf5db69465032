digits = [1]  # the last one first
for i in range(1, int(input()) + 1):
    carry = 0
    for place, digit in enumerate(digits):
        carry, digits[place] = divmod(digit * (i**2 + 1) + carry, 10)
    while carry:
        carry, digit = divmod(carry, 10)
        digits.append(digit)
print(len(digits), sum(digits))
