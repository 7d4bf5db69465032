digits = (1..gets.to_i).map { |i| i * i + 1 }.inject(:*).digits
puts "#{digits.size} #{digits.sum}"
