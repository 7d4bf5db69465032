local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local n = tonumber(words[1])
local least, count, total = {}, 0, 0
for p = 2, n do
  if not least[p] then
    for m = p, n, p do least[m] = least[m] or p end
  end
end
for i = 2, n do
  local rest, last, steep = i, 0, true
  while rest > 1 and steep do
    steep = least[rest] >= 2 * last
    last = least[rest]
    rest = rest // last
  end
  if steep then
    count = count + 1
    total = total + i
  end
end
print(count, total)
