rows, columns, m = gets.split.map(&:to_i)
cells = Array.new(rows) { |r| Array.new(columns) { |c| r + c } }
value = total = 0
until cells.empty?
  cells.shift.each do |place|
    value += 1
    total += value if (place % m).zero?
  end
  cells = cells.transpose.reverse
end
puts total
