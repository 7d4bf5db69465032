MOD = 1_000_000_007
n, m = gets.split.map(&:to_i)
ways = Array.new(3) { [1] + [0] * (m - 1) }
(n - 1).times do
  a, b, c = ways.map { |row| row.sum % MOD }
  begun = [(b + c) % MOD, (a + c) % MOD, b]
  ways = ways.each_with_index.map { |row, l| [begun[l]] + row[0...-1] }
end
puts ways.flatten.sum % MOD
