rows, columns, *lines = $stdin.read.split
rows = rows.to_i
columns = columns.to_i
moves = [[0, 1], [1, 0], [0, -1], [-1, 0]]
# States by what was paid so far.
waiting = Hash.new { |hash, paid| hash[paid] = [] }
waiting[0] << [0, 0, nil]
done = {}
paid = 0
loop do
  state = waiting[paid].shift
  if state.nil?
    paid += 1
    next
  end
  next if done[state]

  done[state] = true
  r, c, came = state
  break if r == rows - 1 && c == columns - 1

  moves.each_with_index do |(dy, dx), d|
    v = r + dy
    u = c + dx
    next unless v.between?(0, rows - 1) && u.between?(0, columns - 1)

    waiting[paid + lines[v][u].to_i + (came && came != d ? 3 : 0)] << [v, u, d]
  end
end
puts paid
