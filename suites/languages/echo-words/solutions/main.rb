text = gets.strip
answer = "0 -"
(text.size / 2).downto(1) do |size|
  parts = (0..text.size - 2 * size).map { |i| [text[i, size], i] }
  found = parts.select { |part, i| text.index(part, i + size) }.map(&:first)
  next if found.empty?

  answer = "#{size} #{found.min}"
  break
end
puts answer
