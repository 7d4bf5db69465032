local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local function digits(word)
  local list = {}
  for d in word:reverse():gmatch("%d") do list[#list + 1] = tonumber(d) end
  return list
end
local x, y = digits(words[1]), digits(words[2])
for i = 3, tonumber(words[3]) do
  local sum, carry, d = {}, i, 1
  while d <= #x or d <= #y or carry > 0 do
    carry = carry + (x[d] or 0) + (y[d] or 0)
    sum[d] = carry % 10
    carry = carry // 10
    d = d + 1
  end
  x, y = y, sum
end
local _, sevens = table.concat(y):gsub("7", "")
print(#y, sevens)
