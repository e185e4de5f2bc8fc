# luajit: code generated at run time, with the compiler on and off, and calls out by ffi.
# share: check
# needs: luajit

run() {
    cat >p.lua <<'END'
local bit, ffi = require("bit"), require("ffi")
ffi.cdef "int abs(int); size_t strlen(const char *); typedef struct { double x, y; } point; void qsort(void *, size_t, size_t, int (*)(const int *, const int *));"
local h = 0; for i = 1, 3e6 do h = bit.bxor(bit.rol(h, 5), i) end; print(h)
local s = 0.0; for i = 1, 2e6 do s = s + math.sin(i) * i % 3 end; print(string.format("%.6f", s))
local a = ffi.new("point[1000]"); for i = 0, 999 do a[i].x = i; a[i].y = i * i end
local t = 0; for r = 1, 300 do for i = 0, 999 do t = t + a[i].x - a[i].y % 7 end end; print(t)
print(ffi.C.abs(-5), tonumber(ffi.C.strlen("hello")))
local v = ffi.new("int[50]"); for i = 0, 49 do v[i] = i * 37 % 51 end
ffi.C.qsort(v, 50, 4, function(x, y) return x[0] - y[0] end); print(v[0], v[25], v[49])
local words = {}; for i = 1, 50000 do words[#words + 1] = tostring(i * 7 % 1000) end
table.sort(words); print(words[1], words[25000], #table.concat(words))
local co = coroutine.wrap(function() for i = 1, 100000 do coroutine.yield(i) end end)
local c = 0; for i = 1, 100000 do c = c + co() end; print(c)
print(pcall(function() local x = nil; return x.y end))
END
    luajit p.lua; luajit -joff p.lua | sha256sum; luajit -O3 -Ohotloop=2 p.lua | sha256sum
}
