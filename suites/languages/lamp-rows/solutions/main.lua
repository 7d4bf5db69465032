local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local n = tonumber(words[1])
local on, count, last = {}, 0, 0
for i = 1, n do
  local ones, rest = 0, i
  while rest > 0 do
    ones = ones + (rest & 1)
    rest = rest >> 1
  end
  if ones % 2 == 0 then
    for lamp = i, n, i do on[lamp] = not on[lamp] end
  end
end
for lamp = 1, n do
  if on[lamp] then count, last = count + 1, lamp end
end
print(count, last)
