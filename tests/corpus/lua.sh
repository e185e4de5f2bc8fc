# lua5.4: closures, coroutines, strings, tables, errors, integers and floats.
# share: check
# needs: lua5.4

run() {
    lua5.4 - <<'END'
local t = {}
for i = 1, 20000 do t[i] = (i * 7919) % 20011 end
table.sort(t); print(t[1], t[10000], t[20000])
local function gen(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
local s = 0; for i in gen(10000) do s = s + i end; print(s)
print(("the quick brown fox"):gsub("(%w+)", function(w) return w:sub(1, 1):upper() .. w:sub(2) end))
print(pcall(function() error({code = 7}) end), select(2, pcall(error, "plain", 0)))
print(math.maxinteger + 1 == math.mininteger, 7 // 2, -7 % 3, 2 ^ 0.5, 1e15, string.format("%a", 0.1))
print(string.pack(">I4", 258):byte(1, -1)); print(utf8.char(228, 8364), #utf8.char(8364))
local mt = setmetatable({}, {__index = function(_, k) return k .. "!" end, __call = function(_, x) return x * 2 end})
print(mt.hello, mt(21)); collectgarbage(); print(collectgarbage("count") < 20000)
local f = io.popen("echo from a pipe; exit 3"); print(f:read("a")); print(f:close())
local function deep(n) return n == 0 and 0 or 1 + deep(n - 1) end; print(deep(10000), pcall(deep, 1e7))
os.exit(6)
END
}
