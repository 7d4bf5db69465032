local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local rows, columns = tonumber(words[1]), tonumber(words[2])
local moves = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
local cost = {}
for r = 1, rows do
  cost[r] = {}
  for c = 1, columns do
    local first = r + c == 2 and 0 or math.huge
    cost[r][c] = {first, first, first, first}
  end
end
local changed = true
while changed do
  changed = false
  for r = 1, rows do
    for c = 1, columns do
      for d = 1, 4 do
        local v, u = r + moves[d][1], c + moves[d][2]
        if v >= 1 and v <= rows and u >= 1 and u <= columns then
          for e = 1, 4 do
            local paid = cost[r][c][e] + words[v + 2]:byte(u) - 48 + (e == d and 0 or 3)
            if paid < cost[v][u][d] then
              cost[v][u][d] = paid
              changed = true
            end
          end
        end
      end
    end
  end
end
print(math.min(table.unpack(cost[rows][columns])))
