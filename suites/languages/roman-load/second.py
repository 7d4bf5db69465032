UNITS = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]


def roman(number):
    text = ""
    for power, (one, five, ten) in enumerate(("IVX", "XLC", "CDM", "M??")):
        digit = number // 10**power % 10
        text = UNITS[digit].replace("X", "t").replace("I", one).replace("V", five).replace("t", ten) + text
    return text


a, b = map(int, input().split())
lengths = {number: len(roman(number)) for number in range(a, b + 1)}
print(sum(lengths.values()), max(lengths, key=lambda number: (lengths[number], -number)))
