local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local function gcd(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end
local t, step = 0, 1
for i = 2, #words, 2 do
  local m, x = tonumber(words[i]), tonumber(words[i + 1])
  local tries = 0
  while t % m ~= x and tries < m do
    t = t + step
    tries = tries + 1
  end
  if t % m ~= x then
    t = nil
    break
  end
  step = step // gcd(step, m) * m
end
print(t or "never")
