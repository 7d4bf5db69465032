rows, columns, y, x, k = gets.split.map(&:to_i)
sand = Array.new(rows) { [0] * columns }
sand[y][x] = k
full = [[y, x]]
until full.empty?
  r, c = full.pop
  times, sand[r][c] = sand[r][c].divmod(4)
  next if times.zero?

  [[r - 1, c], [r + 1, c], [r, (c + 1) % columns], [r, (c - 1) % columns]].each do |v, u|
    next unless v.between?(0, rows - 1)

    sand[v][u] += times
    full.push([v, u]) if sand[v][u] >= 4
  end
end
puts "#{sand.flatten.sum} #{sand.flatten.count(3)}"
