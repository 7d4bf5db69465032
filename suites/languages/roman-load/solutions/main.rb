LENGTH = [0, 1, 2, 3, 2, 1, 2, 3, 4, 2].freeze

def letters(number)
  number / 1000 + (number % 1000).digits.sum { |digit| LENGTH[digit] }
end

a, b = gets.split.map(&:to_i)
puts "#{(a..b).sum { |n| letters(n) }} #{(a..b).max_by { |n| [letters(n), -n] }}"
