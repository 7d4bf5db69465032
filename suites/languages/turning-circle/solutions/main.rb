n, k = gets.split.map(&:to_i)
people = (1..n).to_a
gone = []
at = 0
while people.size > 1
  step = k + gone.size - 1
  at = (gone.size.even? ? at + step : at - 1 - step) % people.size
  gone << people.delete_at(at)
end
puts "#{people[0]} #{gone.last(3).sum}"
