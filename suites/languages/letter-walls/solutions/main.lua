local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local MOD = 1000000007
local n, m = tonumber(words[1]), tonumber(words[2])
local ways = {{}, {}, {}}
for l = 1, 3 do
  for run = 1, m do ways[l][run] = run == 1 and 1 or 0 end
end
for _ = 2, n do
  local ends = {0, 0, 0}
  for l = 1, 3 do
    for run = 1, m do ends[l] = (ends[l] + ways[l][run]) % MOD end
    for run = m, 2, -1 do ways[l][run] = ways[l][run - 1] end
  end
  ways[1][1] = (ends[2] + ends[3]) % MOD
  ways[2][1] = (ends[1] + ends[3]) % MOD
  ways[3][1] = ends[2]
end
local total = 0
for l = 1, 3 do
  for run = 1, m do total = (total + ways[l][run]) % MOD end
end
print(total)
