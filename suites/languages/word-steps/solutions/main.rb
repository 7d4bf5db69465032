require "set"

first, last, _, *words = $stdin.read.split
def near?(a, b)
  return a[1..] == b || b[1..] == a if a.size != b.size

  a.chars.zip(b.chars).count { |x, y| x != y } == 1
end

steps = 0
reached = [first]
rest = words - [first]
until reached.empty? || reached.include?(last)
  reached, rest = rest.partition { |word| reached.any? { |other| near?(word, other) } }
  steps += 1
end
puts(reached.empty? ? -1 : steps)
