local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local rows, columns = tonumber(words[1]), tonumber(words[2])
local land = {}
for r = 0, rows - 1 do
  for c = 0, columns - 1 do land[r * columns + c] = words[r + 3]:sub(c + 1, c + 1) == "#" end
end
local islands, largest = 0, 0
for cell = 0, rows * columns - 1 do
  if land[cell] then
    local stack, size = {cell}, 0
    land[cell] = false
    while #stack > 0 do
      local at = table.remove(stack)
      size = size + 1
      local r, c = at // columns, at % columns
      for _, other in ipairs({(r + 1) % rows * columns + c, (r - 1) % rows * columns + c, r * columns + (c + 1) % columns, r * columns + (c - 1) % columns}) do
        if land[other] then
          land[other] = false
          stack[#stack + 1] = other
        end
      end
    end
    islands = islands + 1
    largest = math.max(largest, size)
  end
end
print(islands, largest)
