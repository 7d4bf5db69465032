a, s = input().split()
e, power = 1, int(a)
while s not in str(power):
    e, power = e + 1, power * int(a)
print(e)
