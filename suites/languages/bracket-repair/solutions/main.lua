local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local text = words[1]
local n = #text
local closing = {["("] = ")", ["["] = "]", ["{"] = "}"}
local cost = {}
for i = n + 1, 1, -1 do
  cost[i] = {}
  for j = 1, n + 1 do
    local least = 0
    if i < j then
      least = cost[i + 1][j] + 1
      for k = i + 1, j - 1 do
        if closing[text:sub(i, i)] == text:sub(k, k) then least = math.min(least, cost[i + 1][k] + cost[k + 1][j]) end
      end
    end
    cost[i][j] = least
  end
end
print(cost[1][n + 1])
