-- For wrk: one kind of POST, with ids of its own, taking turns between sessions. The environment says what:
-- BENCH_HEADERS "Name: value" lines, BENCH_BODY with @ID@, BENCH_SESSIONS "a,b,c" or nothing,
-- BENCH_PAUSE the mean pause between two calls of a connection in ms, or nothing to call without pause.
local kept = {}
local at = 0

function init()
  local headers = {}
  for name, value in os.getenv("BENCH_HEADERS"):gmatch("([^:\n]+): ([^\n]*)") do headers[name] = value end
  local sessions = {}
  for id in (os.getenv("BENCH_SESSIONS") or ""):gmatch("[^,]+") do sessions[#sessions + 1] = id end
  -- Far more than are ever under way at once: an id must not be used twice at the same time.
  for i = 1, 4096 do
    headers["Mcp-Session-Id"] = sessions[(i - 1) % math.max(1, #sessions) + 1]
    kept[i] = wrk.format("POST", "/mcp", headers, (os.getenv("BENCH_BODY"):gsub("@ID@", tostring(i))))
  end
end

function request()
  at = at % #kept + 1
  return kept[at]
end

local pause = tonumber(os.getenv("BENCH_PAUSE") or "")
if pause then
  function delay() return math.random(0, 2 * pause) end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"max":%f,"errors":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99), latency.max,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
