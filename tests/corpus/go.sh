# A Go binary: its own scheduler on clone, preemption by signals, channels, maps, defer and panic.
# share: check
# needs: go

prepare() {
    cat >corpus.go <<'END'
package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func spin(stop *bool) { // no call inside: only a signal can preempt it
	for !*stop {
	}
}

func recovers() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	var p *int
	return errors.New(fmt.Sprint(*p))
}

func main() {
	runtime.GOMAXPROCS(4)
	var wg sync.WaitGroup
	var mu sync.Mutex
	total, results := 0, make(chan int, 10)
	for i := 0; i < 200; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			mu.Lock()
			total += i
			mu.Unlock()
			results <- fib(10 + i%8)
		}(i)
	}
	go func() { wg.Wait(); close(results) }()
	sum := 0
	for r := range results {
		sum += r
	}
	fmt.Println("total", total, "sum", sum, recovers())

	m := map[string]int{}
	for i := 0; i < 100000; i++ {
		m[fmt.Sprint("k", i%997)] += i
	}
	keys := make([]string, 0)
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	fmt.Println(len(keys), m[keys[3]], fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Repeat("ab", 1000)))))

	garbage := [][]byte{}
	for i := 0; i < 20000; i++ {
		garbage = append(garbage[len(garbage)/200:], make([]byte, 5000))
	}
	runtime.GC()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println("no loopback")
		os.Exit(1)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	for i := 0; i < 20; i++ {
		c, _ := net.Dial("tcp", l.Addr().String())
		fmt.Fprintf(c, "message %d", i)
		c.(*net.TCPConn).CloseWrite()
		b, _ := io.ReadAll(c)
		if i == 19 {
			fmt.Println(string(b))
		}
	}
	out, err := exec.Command("sh", "-c", "echo child; exit 3").Output()
	fmt.Println(strings.TrimSpace(string(out)), err)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println(<-ch)
	stop := false
	go spin(&stop)
	select {
	case <-time.After(50 * time.Millisecond):
		fmt.Println("timer")
	}
	os.Exit(6)
}
END
    GOCACHE=$PWD/cache GOPATH=$PWD/path GO111MODULE=off CGO_ENABLED=0 go build -p 2 -o corpus corpus.go
    local status=$?
    rm -rf cache
    return $status
}

run() {
    "$PREPARED/corpus"
}
