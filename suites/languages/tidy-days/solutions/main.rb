require "date"

a, b = gets.split.map(&:to_i)
days = Date.new(a, 1, 1)..Date.new(b, 12, 31)
puts(days.count { |d| ((d.day.digits + d.month.digits + d.year.digits).sum % d.cwday).zero? })
