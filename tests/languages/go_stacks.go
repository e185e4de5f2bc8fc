// Calls during which the runtime moves the goroutine: its stack grows or shrinks, or it waits and
// goes on on another thread. The debugger's movements end where they would without that.
package main

import (
	"runtime"
	"sync"
	"time"
)

var sum int

//go:noinline
func deep(n int) int {
	var room [64]int
	room[n%64] = n
	if n > 0 {
		return deep(n-1) + room[n%64]
	}
	return 0
}

//go:noinline
func grow(n int) int {
	return deep(n) % 1000
}

//go:noinline
func shrink(n int) int {
	runtime.GC()
	runtime.GC()
	return n + 1
}

//go:noinline
func wait(n int) int {
	var group sync.WaitGroup
	answers := make(chan int)
	for i := 0; i < n; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for k := 0; k < 20; k++ {
				sum += deep(k) % 2
				runtime.Gosched()
			}
			answers <- 1
		}()
	}
	got := 0
	for i := 0; i < n; i++ {
		time.Sleep(time.Millisecond)
		got += <-answers
	}
	group.Wait()
	return got
}

func work() {
	a := grow(600)
	b := shrink(a)
	c := wait(8)
	d := grow(4000)
	println(a, b, c, d)
}

func main() {
	done := make(chan bool)
	go func() {
		work()
		done <- true
	}()
	<-done
	work()
}
