package traffic

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

func TestTotals(t *testing.T) {
	var c Counter
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				c.Host("a.example", 443).Add(2, 3, 1)
			}
		})
	}
	wg.Wait()
	c.Host("a.example", 80) // nothing went
	if got := fmt.Sprint(c.Take()); got != "[{a.example 443 1600 2400 800}]" {
		t.Error(got)
	}
	if got := c.Take(); len(got) != 0 {
		t.Errorf("counted twice: %v", got)
	}
}

// A guest that names ever new hosts takes no more memory, and its bytes count all the same.
func TestHostsAreBounded(t *testing.T) {
	var c Counter
	for i := range 3 * MaxHosts {
		c.Host(fmt.Sprint(i, ".example"), 1).Add(1, 0, 0)
	}
	all := c.Take()
	if len(all) != MaxHosts+1 || all[0] != (Total{Host: Others, Out: 2 * MaxHosts}) {
		t.Errorf("%d, first %+v", len(all), all[0])
	}
}

func TestConnectionsAndBodiesAreCounted(t *testing.T) {
	var c Counter
	here, there := net.Pipe()
	defer there.Close()
	conn := c.Host("a", 1).Conn(here)
	go func() {
		_, _ = io.ReadFull(there, make([]byte, 5))
		_, _ = there.Write([]byte("abc"))
	}()
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if _, err := io.ReadAll(c.Host("b", 1).Body(io.NopCloser(strings.NewReader("1234")))); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(c.Take()); got != "[{a 1 5 3 0} {b 1 0 4 0}]" {
		t.Error(got)
	}
}
