local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local n, m = tonumber(words[1]), tonumber(words[2])
local function place(row, before, last)
  if row == n then return 1 end
  local ways = 0
  for c = 0, m - 1 do
    if math.abs(c - last) > 2 and math.abs(c - before) ~= 1 then ways = ways + place(row + 1, last, c) end
  end
  return ways
end
print(place(0, 99, 99))
