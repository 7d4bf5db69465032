local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local digits = {1}
for i = 1, tonumber(words[1]) do
  local carry = 0
  for d = 1, #digits do
    carry = carry + digits[d] * (i * i + 1)
    digits[d] = carry % 10
    carry = carry // 10
  end
  while carry > 0 do
    digits[#digits + 1] = carry % 10
    carry = carry // 10
  end
end
local sum = 0
for _, digit in ipairs(digits) do sum = sum + digit end
print(#digits, sum)
