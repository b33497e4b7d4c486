-- The requests that wrk sends. Slugs are worked out from their numbers, as links.py does it, so that ten million different
-- ones need no table.
-- wrk ... -s requests.lua URL -- KIND FIRST COUNT TURN [KEY]
--   some     COUNT requests made ready beforehand, over and over: FIRST and every STRIDE-th link after it
--   random   any of COUNT links from FIRST, each as likely; others in each TURN
--   each     one after the other from FIRST
--   add      stores one link after the other from FIRST, with KEY
local MULTIPLIER, SPACE, STRIDE = 433494437, 36 ^ 7, 5

local digits, triples = "0123456789abcdefghijklmnopqrstuvwxyz", {}
for n = 0, 36 ^ 3 - 1 do
    local function digit(of) local at = math.floor(of) % 36 + 1 return digits:sub(at, at) end
    triples[n] = digit(n / 36 ^ 2) .. digit(n / 36) .. digit(n)
end

local function slug(number)
    local scrambled = number * MULTIPLIER % SPACE
    local last = scrambled % 36
    local rest = (scrambled - last) / 36
    local low = rest % 36 ^ 3
    return triples[(rest - low) / 36 ^ 3] .. triples[low] .. digits:sub(last + 1, last + 1)
end

-- Each of wrk's threads has a state of its own; `thread_number` tells them apart.
local started = 0
function setup(thread)
    thread:set("thread_number", started)
    started = started + 1
end

function init(arguments)
    local kind, first, count = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
    local turn, key = tonumber(arguments[4]), arguments[5]
    local before, after = wrk.format("GET", "/@"):match("^(.*)@(.*)$")
    local function get(number) return before .. slug(number) .. after end
    local at = 0

    if kind == "some" then
        local ready = {}
        for n = 1, count do ready[n] = get(first + (n - 1) * STRIDE) end
        at = thread_number * math.floor(count / 2)
        function request()
            at = at % count + 1
            return ready[at]
        end
    elseif kind == "random" then
        math.randomseed(turn * 64 + thread_number)
        function request() return get(first + math.random(0, count - 1)) end
    elseif kind == "each" then
        function request()
            at = at + 1
            return get(first + at - 1)
        end
    elseif kind == "add" then
        local fields = { ["Content-Type"] = "application/json" }
        function request()
            local number = first + at
            at = at + 1
            return wrk.format("POST", "/api-add", fields, '{"key":"' .. key .. '","url_slug":"' .. slug(number) ..
                '","url":"https://example.com/some/long/path?id=' .. number .. '"}')
        end
    end
end
