local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local n, k = tonumber(words[1]), tonumber(words[2])
local people = {}
for i = 1, n do people[i] = i end
local at, sum = 0, 0
for turn = 0, n - 2 do
  local size = #people
  local step = k + turn - 1
  at = (turn % 2 == 0 and at + step or at - 1 - step) % size
  local gone = table.remove(people, at + 1)
  if size <= 4 then sum = sum + gone end
end
print(people[1], sum)
