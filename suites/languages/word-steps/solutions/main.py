import sys

first, last, _, *words = sys.stdin.read().split()


def near(a, b):
    if len(a) == len(b):
        return sum(x != y for x, y in zip(a, b)) == 1
    return a[1:] == b or b[1:] == a


steps, queue = {first: 0}, [first]
for word in queue:
    for other in words:
        if other not in steps and near(word, other):
            steps[other] = steps[word] + 1
            queue.append(other)
print(steps.get(last, -1))
