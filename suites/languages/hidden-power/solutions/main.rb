a, s = gets.split
puts((1..).find { |e| (a.to_i**e).to_s.include?(s) })
