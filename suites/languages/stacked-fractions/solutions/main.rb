_, *numbers = $stdin.read.split.map(&:to_i)
sum = numbers.each_slice(2).sum { |a, b| Rational(a, b) }
terms = []
loop do
  terms << sum.floor
  sum -= sum.floor
  break if sum.zero?

  sum = 1 / sum
end
puts terms.join(" ")
