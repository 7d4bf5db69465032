local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local text = words[1]
local answer
for length = #text // 2, 1, -1 do
  local best
  for i = 1, #text - 2 * length + 1 do
    local part = text:sub(i, i + length - 1)
    if text:find(part, i + length, true) and (not best or part < best) then best = part end
  end
  if best then
    answer = length .. " " .. best
    break
  end
end
print(answer or "0 -")
