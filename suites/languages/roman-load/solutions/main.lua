local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local a, b = tonumber(words[1]), tonumber(words[2])
local length = {[0] = 0, 1, 2, 3, 2, 1, 2, 3, 4, 2}
local total, most, best = 0, 0, 0
for number = a, b do
  local letters = number // 1000 + length[number // 100 % 10] + length[number // 10 % 10] + length[number % 10]
  total = total + letters
  if letters > most then most, best = letters, number end
end
print(total, best)
