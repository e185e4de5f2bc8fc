// Values of every kind that Go has. The program prints what they are as JSON, one variable on a
// line, and then stops at its breakpoint: the debugger is asked for the same variables there.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

type Point struct{ X, Y int }

type Shape interface{ Area() float64 }

type Circle struct {
	Center Point
	R      float64
}

type Square struct{ Side float64 }

type Name string
type Names []string
type Ages map[string]int

func (c *Circle) Area() float64 { return 3 * c.R * c.R }
func (s Square) Area() float64  { return s.Side * s.Side }

type Big struct{ Words [40]int64 }

type Node struct {
	Name string
	Next *Node
	Tags map[string]int
}

var packageTotal = 42

//go:noinline
func stopHere(n int) int {
	return n + packageTotal
}

func say(name string, value interface{}) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s %s\n", name, text)
}

func wait(from chan int, done *sync.WaitGroup) {
	defer done.Done()
	<-from
}

func values(argument string, list []int) int {
	yes, no := true, false
	small := int8(-5)
	wide := uint64(1) << 63
	real := 2.5
	text := "caf\u00e9 \"quoted\"\n"
	empty := ""
	slice := []int{1, 2, 3}
	part := slice[1:2]
	texts := Names{"ann", "bob"}
	named := Name("named")
	var none []int
	array := [3]uint16{7, 8, 9}
	matrix := [][]int{{1}, {2, 3}, {}}
	point := Point{3, 4}
	points := []Point{{1, 2}, {3, 4}}
	ages := Ages{"ann": 30, "bob": 40}
	var nilMap map[string]int
	many := map[int]string{}
	for i := 0; i < 90; i++ {
		many[i] = fmt.Sprint("v", i)
	}
	grown := map[string]int{}
	for i := 0; i < 70; i++ { // a table that is growing is in two parts
		grown[fmt.Sprint("k", i)] = i
	}
	for i := 0; i < 60; i++ {
		delete(grown, fmt.Sprint("k", i))
	}
	large := map[string]Big{"one": {}, "two": {}}
	one := large["one"]
	one.Words[39] = 5
	large["one"] = one
	var shape Shape = Square{3}
	var circle Shape = &Circle{point, 1.5}
	var anything interface{} = 57.5
	var anyText interface{} = "inside"
	var nothing error
	failure := errors.New("bad")
	shapes := []Shape{Square{1}, Square{2}}
	queue := make(chan int, 4)
	queue <- 5
	queue <- 6
	queue <- 7
	<-queue
	function := stopHere
	node := &Node{"root", &Node{Name: "next"}, map[string]int{"t": 1}}

	say("argument", argument)
	say("list", list)
	say("yes", yes)
	say("no", no)
	say("small", small)
	say("wide", wide)
	say("real", real)
	say("text", text)
	say("empty", empty)
	say("slice", slice)
	say("part", part)
	say("texts", texts)
	say("named", named)
	say("array", array)
	say("matrix", matrix)
	say("point", point)
	say("points", points)
	say("ages", ages)
	say("many", many)
	say("grown", grown)
	say("large", large)
	say("shape", shape)
	say("anything", anything)
	say("anyText", anyText)
	say("shapes", shapes)
	say("node.Name", node.Name)
	say("node.Tags", node.Tags)
	say("node.Next.Name", node.Next.Name)
	say("slice[2]", slice[2])
	say(`ages["bob"]`, ages["bob"])
	say("many[33]", many[33])
	say("points[1].Y", points[1].Y)
	say("matrix[1]", matrix[1])

	result := stopHere(len(none) + len(nilMap))
	if nothing == nil && circle.Area() > 0 && failure != nil {
		result += function(len(queue))
	}
	return result
}

func main() {
	var done sync.WaitGroup
	channel := make(chan int)
	for i := 0; i < 3; i++ {
		done.Add(1)
		go wait(channel, &done)
	}
	values("given", []int{10, 20})
	for i := 0; i < 3; i++ {
		channel <- i
	}
	done.Wait()
	var node *Node
	fmt.Println(node.Name)
}
