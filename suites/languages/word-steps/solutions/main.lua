local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local function near(a, b)
  if #a ~= #b then return a:sub(2) == b or b:sub(2) == a end
  local other = 0
  for i = 1, #a do
    if a:byte(i) ~= b:byte(i) then other = other + 1 end
  end
  return other == 1
end
local steps, queue, head = {[words[1]] = 0}, {words[1]}, 1
while queue[head] do
  local word = queue[head]
  head = head + 1
  for i = 4, #words do
    local other = words[i]
    if not steps[other] and near(word, other) then
      steps[other] = steps[word] + 1
      queue[#queue + 1] = other
    end
  end
end
print(steps[words[2]] or -1)
