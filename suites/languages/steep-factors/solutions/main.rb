n = gets.to_i
least = Array.new(n + 1, 0)
(2..n).each do |p|
  next unless least[p].zero?

  (p..n).step(p) { |m| least[m] = p if least[m].zero? }
end
found = (2..n).select do |i|
  rest = i
  last = 0
  while rest > 1 && least[rest] >= 2 * last
    last = least[rest]
    rest /= last
  end
  rest == 1
end
puts "#{found.size} #{found.sum}"
