a, b, n = gets.split.map(&:to_i)
(3..n).each { |i| a, b = b, a + b + i }
puts "#{b.to_s.size} #{b.to_s.count('7')}"
