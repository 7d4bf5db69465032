text = gets.strip
n = text.size
closing = { "(" => ")", "[" => "]", "{" => "}" }
cost = Array.new(n + 1) { Array.new(n + 1, 0) }
(n - 1).downto(0) do |i|
  (i + 1..n).each do |j|
    options = (i + 1...j).select { |k| closing[text[i]] == text[k] }.map { |k| cost[i + 1][k] + cost[k + 1][j] }
    cost[i][j] = [cost[i + 1][j] + 1, *options].min
  end
end
puts cost[0][n]
