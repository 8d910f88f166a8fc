package update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"piwork/pack"
	"piwork/pack/durable"
	"piwork/pack/spec"
	"piwork/pack/trust/channel"
)

// assembly is what [pack.Assembly] is to this package.
type assembly interface {
	Missing() []spec.Chunk
	Put(c spec.Chunk, packed []byte) error
}

// Get fetches what is missing of an archive into a. Report may be nil; it is told
// about five times a second, one call at a time, from another goroutine.
//
// It ends when everything is there, when ctx ends (that is how a download is
// paused: call Get again to go on), or with an [Error]. In every case what
// arrived is in a, and calling Get again fetches the rest only.
func (c *Client) Get(ctx context.Context, t channel.Target, a *pack.Assembly, report func(Progress)) error {
	if err := c.get(ctx, t.Path, t.Length, a, report); err != nil {
		return fmt.Errorf("fetch %s: %w", t.Name, err)
	}
	return nil
}

func (c *Client) get(ctx context.Context, path string, length int64, a assembly, report func(Progress)) error {
	missing := a.Missing()
	var total int64
	for _, ch := range missing {
		if ch.Offset < 0 || ch.Packed <= 0 || ch.Offset+ch.Packed > length {
			return &Error{Code: CodeChanged, Err: fmt.Errorf("a chunk at %d to %d of %d bytes", ch.Offset, ch.Offset+ch.Packed, length)}
		}
		total += ch.Packed
	}
	t := &transfer{
		c: c, path: path, length: length, dest: a, limit: c.o.Parallel,
		tries: c.tries(path, c.o.Attempts), changed: make(chan struct{}),
		spans: makeSpans(missing, total/int64(2*c.o.Parallel)),
		meter: newMeter(0, total, length-total, time.Now()),
		total: total,
	}
	stop := t.meter.report(report)
	defer stop()
	return t.run(ctx)
}

// transfer is one Get.
type transfer struct {
	c      *Client
	path   string
	length int64
	dest   assembly
	tries  *tries
	meter  *meter
	total  int64 // bytes missing in the beginning

	mu      sync.Mutex
	spans   []*span       // to do, in the order of the archive
	busy    int           // requests
	limit   int           // on busy
	leading bool          // a request is under way that will tell whether ranges work
	changed chan struct{} // closed when any of this changes
}

// job is one request.
type job struct {
	*span
	m       *mirror
	lead    bool
	whole   bool // the whole file is asked for; nobody else asks for anything
	started time.Time
	gained  int64 // bytes of use
}

func (t *transfer) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for range max(1, min(t.limit, len(t.spans))) {
		g.Go(func() error {
			for {
				j, err := t.next(ctx)
				if j == nil {
					return err
				}
				if err := t.done(ctx, j, t.fetch(ctx, j)); err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}

// broadcast wakes those who wait in next. It needs the lock.
func (t *transfer) broadcast() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// next waits until there is something to ask for, and takes it. It returns nil
// when all is done or lost.
func (t *transfer) next(ctx context.Context) (*job, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(t.spans) == 0 && t.busy == 0 {
			return nil, nil
		}
		var wait time.Duration
		if len(t.spans) > 0 && t.busy < t.limit {
			m, d, err := t.tries.pick(time.Now())
			if err != nil {
				return nil, err
			}
			if d == 0 {
				if j := t.take(m); j != nil {
					return j, nil
				}
			}
			wait = d
		}
		changed := t.changed
		t.mu.Unlock()
		await(ctx, changed, wait)
		t.mu.Lock()
	}
}

// await returns when changed is closed, after d unless that is 0, or when ctx
// ends.
func await(ctx context.Context, changed <-chan struct{}, d time.Duration) {
	var timer <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-changed:
	case <-timer:
	case <-ctx.Done():
	}
}

// take makes a job for m, or nil when it has to wait for other requests. It needs
// the lock.
func (t *transfer) take(m *mirror) *job {
	ranges := m.know(t.path).ranges
	switch {
	case ranges == rangesUnknown && t.leading:
		return nil
	case ranges == rangesIgnored && t.busy > 0:
		return nil
	}
	t.busy++
	j := &job{m: m, started: time.Now()}
	if ranges == rangesIgnored {
		j.whole, j.span = true, t.takeAll(nil)
		return j
	}
	j.span = t.spans[0]
	t.spans = t.spans[1:]
	if ranges == rangesUnknown {
		t.leading, j.lead = true, true
	}
	if j.from != m {
		j.part = nil
	}
	j.from = m
	return j
}

// takeAll makes one span of s and all others. It needs the lock.
func (t *transfer) takeAll(s *span) *span {
	all := &span{}
	if s != nil {
		all.chunks = slices.Clone(s.chunks)
	}
	for _, o := range t.spans {
		all.chunks = append(all.chunks, o.chunks...)
	}
	slices.SortFunc(all.chunks, func(a, b spec.Chunk) int { return cmp.Compare(a.Offset, b.Offset) })
	t.spans = nil
	return all
}

// done puts back what a job left and notes how it went. An error ends the
// transfer.
func (t *transfer) done(ctx context.Context, j *job, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.broadcast()
	t.busy--
	if j.lead {
		t.leading = false
	}
	if len(j.chunks) > 0 {
		if j.whole {
			t.spans = makeSpans(j.chunks, t.total/int64(2*t.c.o.Parallel))
		} else {
			at, _ := slices.BinarySearchFunc(t.spans, j.start(), func(s *span, off int64) int { return cmp.Compare(s.start(), off) })
			t.spans = slices.Insert(t.spans, at, j.span)
		}
	}
	var own *ownError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &own):
		return own.error
	}
	if j.gained >= partOf || len(j.chunks) == 0 {
		t.tries.worked(j.m)
	}
	if err == nil || errors.Is(err, errAgain) {
		return nil
	}
	if e, is := errors.AsType[*Error](err); is && (e.Status == 429 || e.Status == 503) {
		t.limit = max(1, t.limit/2) // it asks for less
	}
	t.tries.failed(j.m, j.started, err)
	return nil
}

// errAgain: the answer taught something, and the same can be asked at once.
var errAgain = errors.New("ask again")

// fetch does one request and keeps what comes. What it could not do remains in
// j.
func (t *transfer) fetch(ctx context.Context, j *job) error {
	w := wish{path: t.path, length: t.length, count: t.meter.received}
	if !j.whole {
		w.from, w.to = j.start()+int64(len(j.part)), j.end()
	}
	a, err := t.c.request(ctx, j.m, w)
	if err != nil {
		return err
	}
	defer a.Close()
	if a.whole && !j.whole {
		if err := t.adopt(j); err != nil {
			return err
		}
	}
	return t.receive(a, j)
}

// adopt decides what to do with a whole file where a part was asked for.
func (t *transfer) adopt(j *job) error {
	if j.m.know(t.path).ranges != rangesIgnored {
		// If-Range says that the file changed. Whether its content did, the hashes
		// will tell: servers of one name may have tags of their own.
		return errAgain
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !j.lead || t.busy > 1 || t.tries.others(j.m) && t.total < t.length*9/10 {
		return errAgain // next takes the whole file, from here or parts from elsewhere
	}
	j.whole, j.span = true, t.takeAll(j.span)
	return nil
}

// receive reads chunks from an answer and keeps them, until all of j is there,
// the answer ends, or fails.
func (t *transfer) receive(a *answer, j *job) error {
	at := a.from
	if j.whole {
		j.part = nil
	}
	for len(j.chunks) > 0 {
		c := j.chunks[0]
		next := c.Offset + int64(len(j.part))
		if a.to >= 0 && next >= a.to && !a.whole {
			return ended(a, j)
		}
		if at < next {
			n, err := io.CopyN(io.Discard, a, next-at)
			if at += n; err != nil {
				return short(err)
			}
		}
		if len(j.part) == 0 {
			j.part = j.buf[:0]
		}
		buf := slices.Grow(j.part, int(c.Packed)-len(j.part))[:c.Packed]
		n, err := io.ReadFull(a, buf[len(j.part):])
		at += int64(n)
		j.part, j.buf = buf[:len(j.part)+n], buf
		if err != nil {
			j.gained += int64(n)
			if a.to >= 0 && at >= a.to && !a.whole {
				return ended(a, j)
			}
			return short(err)
		}
		if err := t.put(c, buf, j); err != nil {
			return err
		}
	}
	return nil
}

// ended judges an answer that was announced to be less than what was asked for.
// That is a server's right, within reason.
func ended(a *answer, j *job) error {
	if n := a.to - a.from; n < partOf {
		return &Error{Code: CodeBadAnswer, Server: j.m.name(), Err: fmt.Errorf("%d bytes at a time", n)}
	}
	return nil
}

// short names the end of an answer that came too early.
func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Code: CodeInterrupted, Err: io.ErrUnexpectedEOF}
	}
	return err
}

// put keeps a chunk.
func (t *transfer) put(c spec.Chunk, packed []byte, j *job) error {
	err := t.dest.Put(c, packed)
	j.part = nil
	if err == nil {
		j.chunks = j.chunks[1:]
		j.gained += c.Packed
		t.meter.kept(c.Packed)
		return nil
	}
	if spec.KindOf(err) == "" {
		return &ownError{local(err)}
	}
	e := &Error{Code: CodeWrongContent, Server: j.m.name(), Err: err}
	f := j.m.learn(t.path, func(f *facts) { f.wrong++ })
	if f.changes > 0 {
		e.Code = CodeChanged
	}
	// Once may be an accident on the way.
	e.lasting = f.wrong > 1
	return e
}

// local sorts failures of this computer.
func local(err error) error {
	e := &Error{Code: CodeDisk, Err: err, lasting: true}
	if _, is := errors.AsType[*spec.SpaceError](err); durable.IsFull(err) || is {
		e.Code = CodeDiskFull
	}
	return e
}
