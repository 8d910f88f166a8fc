package lead

import (
	"sync"
	"sync/atomic"
	"testing"
)

func start(deal func(int)) (requests chan int, work *sync.WaitGroup, done <-chan struct{}) {
	requests, work = make(chan int), &sync.WaitGroup{}
	l := &Loop[int]{Take: func() (int, bool) { i, ok := <-requests; return i, ok }, Deal: deal, Work: work}
	return requests, work, l.Start()
}

// Each request is dealt with once, one after the other while none is slow.
func TestInTurn(t *testing.T) {
	var sum, at atomic.Int64
	requests, work, done := start(func(i int) {
		at.Add(1)
		sum.Add(int64(i))
	})
	for i := range 1000 {
		requests <- i
	}
	close(requests)
	<-done
	work.Wait()
	if sum.Load() != 999*1000/2 || at.Load() != 1000 {
		t.Errorf("%d requests with the sum %d", at.Load(), sum.Load())
	}
}

// However many are stuck, the next one is dealt with; and Take is called by one
// goroutine at a time.
func TestStuck(t *testing.T) {
	release, dealt := make(chan struct{}), make(chan int)
	var taking atomic.Int32
	requests := make(chan int)
	work := &sync.WaitGroup{}
	l := &Loop[int]{
		Take: func() (int, bool) {
			if taking.Add(1) > 1 {
				t.Error("two take at once")
			}
			defer taking.Add(-1)
			i, ok := <-requests
			return i, ok
		},
		Deal: func(i int) {
			if i%2 == 0 {
				<-release
			}
			dealt <- i
		},
		Work: work,
	}
	done := l.Start()
	for i := range 20 {
		requests <- i
		if i%2 == 1 && <-dealt != i {
			t.Fatal("another request is dealt with")
		}
	}
	close(requests)
	<-done // although ten are still stuck
	close(release)
	seen := map[int]bool{}
	for range 10 {
		seen[<-dealt] = true
	}
	work.Wait()
	if len(seen) != 10 || !seen[0] || !seen[18] {
		t.Errorf("dealt with: %v", seen)
	}
}
