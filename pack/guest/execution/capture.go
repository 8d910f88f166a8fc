package execution

import (
	"context"
	"slices"
	"strings"
	"sync"

	"piwork/vmhost/wire"
)

// capture keeps the output of exec.run as far as an answer can hold it.
type capture struct {
	mu             sync.Mutex
	stdout, stderr []byte
	cut            bool
}

func (c *capture) take(_ context.Context, stream string, data []byte) error {
	if stream == wire.Control {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if room := wire.MaxRunOut - len(c.stdout) - len(c.stderr); len(data) > room {
		data, c.cut = data[:room], true
	}
	if stream == wire.Stdout {
		c.stdout = append(c.stdout, data...)
	} else {
		c.stderr = append(c.stderr, data...)
	}
	return nil
}

func (c *capture) content() (stdout, stderr []byte, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.stdout), slices.Clone(c.stderr), c.cut
}

// cutVariable splits KEY=VALUE.
func cutVariable(word string) (key, value string) {
	key, value, _ = strings.Cut(word, "=")
	return key, value
}

// flatten makes KEY=VALUE words, in a fixed order.
func flatten(env map[string]string) []string {
	words := make([]string, 0, len(env))
	for k, v := range env {
		words = append(words, k+"="+v)
	}
	slices.Sort(words)
	return words
}
