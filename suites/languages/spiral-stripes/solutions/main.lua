local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local rows, columns, m = tonumber(words[1]), tonumber(words[2]), tonumber(words[3])
local value, total = 0, 0
local function visit(r, c)
  value = value + 1
  if (r + c) % m == 0 then total = total + value end
end
local top, bottom, left, right = 0, rows - 1, 0, columns - 1
while top <= bottom and left <= right do
  for c = left, right do visit(top, c) end
  for r = top + 1, bottom do visit(r, right) end
  if top < bottom then for c = right - 1, left, -1 do visit(bottom, c) end end
  if left < right then for r = bottom - 1, top + 1, -1 do visit(r, left) end end
  top, bottom, left, right = top + 1, bottom - 1, left + 1, right - 1
end
print(total)
