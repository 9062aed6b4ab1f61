-- Bodies that attract each other, words that are counted and sorted, a sieve.
local function energy(bodies)
  local sum = 0
  for i, b in ipairs(bodies) do
    sum = sum + b.m * (b.vx * b.vx + b.vy * b.vy) / 2
    for j = i + 1, #bodies do
      local dx, dy = b.x - bodies[j].x, b.y - bodies[j].y
      sum = sum - b.m * bodies[j].m / math.sqrt(dx * dx + dy * dy)
    end
  end
  return sum
end

local function advance(bodies, dt)
  for i, b in ipairs(bodies) do
    for j = i + 1, #bodies do
      local other = bodies[j]
      local dx, dy = b.x - other.x, b.y - other.y
      local d2 = dx * dx + dy * dy
      local mag = dt / (d2 * math.sqrt(d2))
      b.vx, b.vy = b.vx - dx * other.m * mag, b.vy - dy * other.m * mag
      other.vx, other.vy = other.vx + dx * b.m * mag, other.vy + dy * b.m * mag
    end
  end
  for _, b in ipairs(bodies) do
    b.x, b.y = b.x + dt * b.vx, b.y + dt * b.vy
  end
end

local function words(n)
  local counts, names = {}, {}
  for i = 1, n do
    local word = string.format("w%x", (i * 7919) % 4001)
    if not counts[word] then
      counts[word] = 0
      names[#names + 1] = word
    end
    counts[word] = counts[word] + #word
  end
  table.sort(names, function(a, b)
    return counts[a] > counts[b] or counts[a] == counts[b] and a < b
  end)
  return names[1]
end

local function sieve(n)
  local composite, found = {}, 0
  for i = 2, n do
    if not composite[i] then
      found = found + 1
      for j = i * i, n, i do
        composite[j] = true
      end
    end
  end
  return found
end

local bodies = {}
for i = 1, 8 do
  bodies[i] = { x = i * i, y = i, vx = 0, vy = 1 / i, m = 1 / (i + 1) }
end
for round = 1, tonumber(arg and arg[1] or 30) do
  for _ = 1, 4000 do
    advance(bodies, 0.001)
  end
  words(20000)
  sieve(100000)
end
print(energy(bodies) ~= 0, words(1000), sieve(1000))
