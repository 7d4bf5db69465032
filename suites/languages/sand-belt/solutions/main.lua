local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local rows, columns, y, x, k = tonumber(words[1]), tonumber(words[2]), tonumber(words[3]), tonumber(words[4]), tonumber(words[5])
local sand = {}
for r = -1, rows do
  sand[r] = {}
  for c = 0, columns - 1 do sand[r][c] = 0 end
end
sand[y][x] = k
local again = true
while again do
  again = false
  for r = 0, rows - 1 do
    for c = 0, columns - 1 do
      local times = sand[r][c] // 4
      if times > 0 then
        again = true
        sand[r][c] = sand[r][c] % 4
        for _, cell in ipairs({{r - 1, c}, {r + 1, c}, {r, (c + 1) % columns}, {r, (c - 1) % columns}}) do
          sand[cell[1]][cell[2]] = sand[cell[1]][cell[2]] + times
        end
      end
    end
  end
end
local grains, threes = 0, 0
for r = 0, rows - 1 do
  for c = 0, columns - 1 do
    grains = grains + sand[r][c]
    if sand[r][c] == 3 then threes = threes + 1 end
  end
end
print(grains, threes)
