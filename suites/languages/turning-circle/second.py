n, count = map(int, input().split())
onward = {person: person % n + 1 for person in range(1, n + 1)}
back = {after: person for person, after in onward.items()}
way, other = onward, back
person, gone = 1, []
while len(onward) > 1:
    for _ in range((count - 1) % len(onward)):
        person = way[person]
    before, after = back.pop(person), onward.pop(person)
    onward[before], back[after] = after, before
    gone.append(person)
    way, other = other, way
    person = before if way is back else after
    count += 1
print(*onward, gone[-1] + gone[-2] + gone[-3])
