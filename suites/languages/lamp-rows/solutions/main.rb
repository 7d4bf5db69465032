n = gets.to_i
on = Array.new(n + 1, false)
(1..n).each do |i|
  next if i.to_s(2).count("1").odd?

  (i..n).step(i) { |lamp| on[lamp] = !on[lamp] }
end
puts "#{on.count(true)} #{on.rindex(true) || 0}"
