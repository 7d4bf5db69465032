local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local top, bottom = 0, 1
for i = 2, #words, 2 do
  local a, b = tonumber(words[i]), tonumber(words[i + 1])
  top, bottom = top * b + a * bottom, bottom * b
end
local terms = {}
while bottom > 0 do
  terms[#terms + 1] = top // bottom
  top, bottom = bottom, top % bottom
end
print(table.concat(terms, " "))
