_, *values = $stdin.read.split.map(&:to_i)
best = []
values.each_with_index do |v, i|
  before = (0...i).select { |j| values[j] < v && (v - values[j]).odd? }.map { |j| best[j] }.max || [0, 0]
  best << [before[0] + 1, before[1] + v]
end
puts best.max.join(" ")
