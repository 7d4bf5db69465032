import datetime

a, b = map(int, input().split())
day, end = datetime.date(a, 1, 1), datetime.date(b, 12, 31)
count = 0
while day <= end:
    digits = f"{day.day}{day.month}{day.year}"
    if sum(map(int, digits)) % day.isoweekday() == 0:
        count += 1
    day += datetime.timedelta(days=1)
print(count)
