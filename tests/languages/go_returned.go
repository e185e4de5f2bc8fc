// Results of every kind that Go has: the debugger says what they are when a function returns.
package main

import (
	"errors"
	"fmt"
)

var total int

type P struct{ X, Y int }
type M struct {
	A int8
	B float32
	S string
}
type Big struct{ W [40]int64 }
type Two [2]int
type One [1]float64
type Sh interface{ Area() float64 }
type Sq struct{ Side float64 }

func (s Sq) Area() float64 { return s.Side * s.Side }

//go:noinline
func fInt(n int) int { return n * 2 }

//go:noinline
func fStr(n int) string { return "text"[:n] }

//go:noinline
func fTwo(n int) (int, error) { return n, errors.New("bad") }

//go:noinline
func fNamed(n int) (q float64, ok bool) { q = float64(n) / 4; ok = n > 2; return }

//go:noinline
func fP(n int) P { return P{n, -n} }

//go:noinline
func fM(n int) M { return M{int8(n), 2.5, "m"} }

//go:noinline
func fSl(n int) []int { return []int{n, n + 1} }

//go:noinline
func fPtr(n int) *P { return &P{n, 1} }

//go:noinline
func fMap(n int) map[string]int { return map[string]int{"a": n} }

//go:noinline
func fBig(n int) Big { var b Big; b.W[0] = int64(n); return b }

//go:noinline
func fTwoA(n int) Two { return Two{n, n} }

//go:noinline
func fOne(n int) One { return One{float64(n)} }

//go:noinline
func fIface(n int) Sh { return Sq{float64(n)} }

//go:noinline
func fC(n int) complex128 { return complex(float64(n), 1) }

//go:noinline
func fNone(n int) { total += n }

//go:noinline
func fMany(n int) (a, b, c, d, e, f, g, h, i, j int) { return n, 2, 3, 4, 5, 6, 7, 8, 9, 10 }

//go:noinline
func fMix(n int) (P, float32, uint8, Big, string) { return P{n, 2}, 1.5, 7, Big{}, "x" }

func main() {
	fmt.Println(fInt(3), fStr(3), fP(3), fM(3), fSl(3), *fPtr(3), fMap(3), fBig(3).W[0], fTwoA(3), fOne(3), fIface(3), fC(3))
	a, b := fTwo(3)
	c, d := fNamed(3)
	fNone(3)
	p, q, r, s, t := fMix(3)
	fmt.Println(a, b, c, d, p, q, r, s.W[0], t)
	fmt.Println(fMany(3))
}
