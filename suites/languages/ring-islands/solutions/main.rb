rows, columns, *cells = $stdin.read.split
rows = rows.to_i
columns = columns.to_i
sizes = []
rows.times do |r|
  columns.times do |c|
    next unless cells[r][c] == "#"

    stack = [[r, c]]
    cells[r][c] = "."
    size = 0
    until stack.empty?
      y, x = stack.pop
      size += 1
      [[0, 1], [1, 0], [0, -1], [-1, 0]].each do |dy, dx|
        v = (y + dy) % rows
        u = (x + dx) % columns
        next unless cells[v][u] == "#"

        cells[v][u] = "."
        stack.push([v, u])
      end
    end
    sizes << size
  end
end
puts "#{sizes.size} #{sizes.max || 0}"
