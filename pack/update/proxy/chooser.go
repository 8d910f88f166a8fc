package proxy

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"
)

// lifetime is how long settings hold before they are looked at again: people carry
// their computers about.
const lifetime = time.Minute

// Chooser names the proxy for each address, by the settings that hold at that moment.
// The zero Chooser follows the environment and the system. It may be used from several
// goroutines, and must not be copied.
type Chooser struct {
	Setting string // as in [Find]

	mu  sync.Mutex
	use func(*url.URL) (*url.URL, error)
	at  time.Time
}

// For returns the proxy for an address, nil for none. It waits at most for as long as
// [Find] does. Without an answer of the system there is no proxy.
func (c *Chooser) For(u *url.URL) (*url.URL, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.use == nil || time.Since(c.at) > lifetime {
		s, err := Find(context.Background(), c.Setting) // bounded by itself
		if err != nil && !errors.Is(err, ErrUnknown) {
			return nil, err
		}
		c.use, c.at = s.Func(), time.Now()
	}
	return c.use(u)
}
