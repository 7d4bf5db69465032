local words = {}
for word in io.read("a"):gmatch("%S+") do words[#words + 1] = word end

local v, length, sum, best = {}, {}, {}, 1
for i = 1, tonumber(words[1]) do
  v[i] = tonumber(words[i + 1])
  length[i], sum[i] = 1, v[i]
  for j = 1, i - 1 do
    if v[j] < v[i] and (v[i] - v[j]) % 2 == 1 then
      local l, s = length[j] + 1, sum[j] + v[i]
      if l > length[i] or (l == length[i] and s > sum[i]) then length[i], sum[i] = l, s end
    end
  end
  if length[i] > length[best] or (length[i] == length[best] and sum[i] > sum[best]) then best = i end
end
print(length[best], sum[best])
