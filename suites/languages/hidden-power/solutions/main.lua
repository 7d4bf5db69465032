local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local a, s = tonumber(words[1]), words[2]:reverse()
local digits, e = {1}, 0
repeat
  local carry = 0
  for d = 1, #digits do
    carry = carry + digits[d] * a
    digits[d] = carry % 10
    carry = carry // 10
  end
  while carry > 0 do
    digits[#digits + 1] = carry % 10
    carry = carry // 10
  end
  e = e + 1
until table.concat(digits):find(s, 1, true)
print(e)
