//go:build (vm || long) && linux

package guestvm

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// console collects what the machine prints and wakes who waits for a line.
type console struct {
	mu     sync.Mutex
	text   strings.Builder
	wake   chan struct{}
	closed bool
}

func newConsole() *console { return &console{wake: make(chan struct{})} }

func (c *console) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Write(b)
	close(c.wake)
	c.wake = make(chan struct{})
	return len(b), nil
}

func (c *console) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	close(c.wake)
	c.wake = make(chan struct{})
}

func (c *console) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

func (c *console) await(line string, limit time.Duration) error {
	timeout := time.After(limit)
	for {
		c.mu.Lock()
		text, wake, closed := c.text.String(), c.wake, c.closed
		c.mu.Unlock()
		for l := range strings.SplitSeq(text, "\n") {
			if strings.TrimRight(l, "\r") == line {
				return nil
			}
		}
		if closed {
			return errors.New("QEMU ended")
		}
		select {
		case <-wake:
		case <-timeout:
			return fmt.Errorf("no line %q within %v", line, limit)
		}
	}
}
