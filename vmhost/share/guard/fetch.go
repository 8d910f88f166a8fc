package guard

import (
	"sync"

	"piwork/vmhost/share/internal/at"
)

// TopicFetch is how much a task has downloaded of files that are only with a cloud service: it
// takes time, money on some networks, and room on the disk.
const TopicFetch = "fetch"

// DefaultFetches is how many bytes of such files a task may have downloaded before a person is
// asked.
const DefaultFetches = 1 << 30

// maxFetched bounds the files that are remembered; others are counted each time.
const maxFetched = 1 << 16

// fetching is what was downloaded for a task so far.
type fetching struct {
	amount

	mu   sync.Mutex // held while a file is counted, so that many reads of one count once
	seen map[at.ID]struct{}
}

// Fetch allows that a file of n bytes is downloaded, or says why not as Write does. It is called
// before the file is read, by whatever, and counts it once.
func (g *Guard) Fetch(folder, path string, id at.ID, n int64) error {
	f := &g.fetching
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.seen[id]; ok || n <= 0 {
		return nil
	}
	if err := g.space(folder, n); err != nil {
		return err
	}
	if err := g.count(&f.amount, folder, path, n); err != nil {
		return err
	}
	if len(f.seen) < maxFetched {
		f.seen[id] = struct{}{}
	}
	return nil
}
