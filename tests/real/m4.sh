# needs: m4
m4 <<'M4'
define(`f', `ifelse($1, 0, 1, `eval($1 * f(decr($1)))')')dnl
f(9) len(abc)
esyscmd(`echo from shell')dnl
M4
