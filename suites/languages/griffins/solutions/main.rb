n, m = gets.split.map(&:to_i)
ways = { [99, 99] => 1 }
n.times do
  following = Hash.new(0)
  ways.each do |(before, last), count|
    m.times do |c|
      following[[last, c]] += count if (c - last).abs > 2 && (c - before).abs != 1
    end
  end
  ways = following
end
puts ways.values.sum
