def long(year):
    return year % 400 == 0 or (year % 4 == 0 and year % 100 != 0)


def weekday(year, month, day):
    """By Zeller's congruence; 1 for Monday."""
    if month < 3:
        month, year = month + 12, year - 1
    h = (day + 13 * (month + 1) // 5 + year + year // 4 - year // 100 + year // 400) % 7  # 0 is Saturday
    return (h + 5) % 7 + 1


def digits(number):
    return number % 10 + digits(number // 10) if number else 0


first, last = map(int, input().split())
tidy = 0
for year in range(first, last + 1):
    for month, days in enumerate((31, 29 if long(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), 1):
        for day in range(1, days + 1):
            tidy += (digits(day) + digits(month) + digits(year)) % weekday(year, month, day) == 0
print(tidy)
