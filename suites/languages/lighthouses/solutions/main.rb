_, *numbers = $stdin.read.split.map(&:to_i)
t = 0
step = 1
numbers.each_slice(2) do |m, x|
  t = (0...m).map { |i| t + i * step }.find { |s| s % m == x }
  break unless t

  step = step.lcm(m)
end
puts t || "never"
