// A panic of Go, with a few values.
package main

import "fmt"

type point struct {
	x, y int
}

//go:noinline
func pick(values []int, index int) int {
	return values[index] // mark pick
}

func main() {
	values := []int{10, 20, 30}
	ages := map[string]int{"ann": 31}
	p := &point{3, 4}
	sum := p.x + p.y + len(ages)
	for i := 0; i < 5; i++ {
		sum += pick(values, i) // mark loop
	}
	fmt.Println(sum)
}
