# needs: lua5.4
lua5.4 - <<'LUA'
local function fib(n)
    if n < 2 then return n end
    return fib(n - 1) + fib(n - 2)
end
print(fib(22), string.format("%.14g %q", math.pi, "a\nb"), #arg)
local t = {}
for i = 1, 20000 do t[i] = (i * 7919) % 20011 end
table.sort(t)
print(t[1], t[10000], t[20000])
local co = coroutine.wrap(function(a)
    for i = 1, 3 do a = a + coroutine.yield(a * i) end
    return "end"
end)
print(co(1), co(2), co(3), co(4))
print(pcall(error, "message"))
print(("hello world"):gsub("o", "0"))
local s = 0
for _, v in pairs({1, 2, 3, x = 4}) do s = s + v end
print(s, 7 // 2, 7 % -3, 1 << 40, 2^53)
for i = 1, 200 do
    local junk = {}
    for j = 1, 100 do junk[j] = {j} end
end
collectgarbage()
os.exit(3)
LUA
echo $?
