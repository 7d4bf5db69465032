local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local function digits_of(n)
  local sum = 0
  while n > 0 do
    sum = sum + n % 10
    n = n // 10
  end
  return sum
end
local a, b = tonumber(words[1]), tonumber(words[2])
local usual = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
local weekday, count = 6, 0
for year = 1600, b do
  local leap = year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0)
  for month = 1, 12 do
    local days = usual[month] + ((month == 2 and leap) and 1 or 0)
    for day = 1, days do
      local sum = digits_of(day) + digits_of(month) + digits_of(year)
      if year >= a and sum % weekday == 0 then count = count + 1 end
      weekday = weekday % 7 + 1
    end
  end
end
print(count)
