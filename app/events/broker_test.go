package events

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/task"
)

func step(i int) task.Event {
	return task.Event{Task: "t", Kind: task.EventStep, Data: task.StepData{Step: fmt.Sprint(i)}}
}

// drain takes what is in a queue.
func drain(events <-chan task.Event) (out []task.Event) {
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return out
			}
			out = append(out, e)
		default:
			return out
		}
	}
}

func TestBrokerReplays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(time.Now)
		start := h.seq
		for i := range 5 {
			h.Publish(step(i))
		}
		rows := []struct {
			after int64
			first task.EventKind
			n     int
		}{
			{0, task.EventStep, 5},
			{start, task.EventStep, 5},
			{start + 3, task.EventStep, 2},
			{start + 5, "", 0},
			{task.OnlyNew, "", 0},
			{start + 500, task.EventReset, 6},  // of a controller whose clock was ahead
			{1 << 62, task.EventReset, 6},      // of nobody
			{start - 1, task.EventReset, 6},    // of an earlier controller
			{start - 9999, task.EventReset, 6}, // likewise
		}
		for _, r := range rows {
			events, cancel := h.Subscribe(task.EventFilter{After: r.after})
			got := drain(events)
			if len(got) != r.n || r.n > 0 && got[0].Kind != r.first {
				t.Errorf("after start%+d: %+v", r.after-start, got)
			}
			h.Publish(step(100))
			if late := drain(events); len(late) != 1 || late[0].Time.IsZero() || late[0].V != 1 {
				t.Errorf("after start%+d: then %+v", r.after-start, late)
			}
			cancel()
			cancel()
			if _, open := <-events; open {
				t.Error("open after cancel")
			}
			// The ring is as before for the next row.
			h.ring, h.seq = h.ring[:5], start+5
		}
	})
}

func TestBrokerNumbersGrowOverRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := New(time.Now)
		for i := range 10 {
			old.Publish(step(i))
		}
		time.Sleep(time.Second)
		h := New(time.Now)
		if h.seq <= old.seq || h.seq >= 1<<53 {
			t.Errorf("%d, then %d", old.seq, h.seq)
		}
		h.Publish(step(0))
		events, cancel := h.Subscribe(task.EventFilter{After: old.seq})
		defer cancel()
		if got := drain(events); len(got) != 2 || got[0].Kind != task.EventReset || got[1].Seq != h.seq {
			t.Errorf("%+v", got)
		}
	})
}

func TestBrokerForgetsTheOldest(t *testing.T) {
	h := New(time.Now)
	start := h.seq
	for i := range ringSize + 10 {
		h.Publish(step(i))
	}
	events, cancel := h.Subscribe(task.EventFilter{After: start + 10})
	defer cancel()
	if got := drain(events); len(got) != ringSize || got[0].Seq != start+11 || got[len(got)-1].Seq != start+ringSize+10 {
		t.Errorf("%d events", len(got))
	}
	late, cancelLate := h.Subscribe(task.EventFilter{After: start + 9})
	defer cancelLate()
	if got := drain(late); len(got) != ringSize+1 || got[0].Kind != task.EventReset {
		t.Errorf("%d events", len(got))
	}
}

// A subscriber that does not keep up loses its subscription, not the events of
// the others; progress it may miss.
// Of a task that was deleted nobody hears more than that, neither all of it nor who missed some.
func TestBrokerForgetsDeletedTask(t *testing.T) {
	h := New(time.Now)
	start := h.seq
	other := task.Event{Task: "o", Kind: task.EventStep, Data: task.StepData{Step: "1"}}
	for _, e := range []task.Event{step(1), other, step(2), {Task: "t", Kind: task.EventGone}, other} {
		h.Publish(e)
	}
	for f, want := range map[string]string{"t": "4 gone", "o": "2 step 5 step", "": "2 step 4 gone 5 step"} {
		for _, after := range []int64{0, start + 1} {
			events, cancel := h.Subscribe(task.EventFilter{Task: f, After: after})
			var got []string
			for _, e := range drain(events) {
				got = append(got, fmt.Sprint(e.Seq-start, " ", e.Kind))
			}
			cancel()
			if strings.Join(got, " ") != want {
				t.Errorf("of %q after %d: %s, want %s", f, after, got, want)
			}
		}
	}
}

func TestBrokerSlowSubscriber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(time.Now)
		slow, cancelSlow := h.Subscribe(task.EventFilter{})
		defer cancelSlow()
		fast, cancelFast := h.Subscribe(task.EventFilter{})
		defer cancelFast()
		const lag = bufferSize + queueSize // one is with whoever sends it
		for i := range lag {
			h.Publish(step(i))
			<-fast
		}
		h.Publish(task.Event{Kind: task.EventProgress})
		h.Publish(task.Event{Kind: task.EventOutput})
		if got := drain(fast); len(got) != 2 || got[0].Seq != 0 {
			t.Errorf("%+v", got)
		}
		h.Publish(step(-1)) // one too many
		if got := drain(fast); len(got) != 1 {
			t.Errorf("%+v", got)
		}
		synctest.Wait()
		got := drain(slow)
		if _, open := <-slow; open || len(got) != bufferSize {
			t.Errorf("%d events, open %v", len(got), open)
		}
		again, cancel := h.Subscribe(task.EventFilter{After: got[len(got)-1].Seq})
		defer cancel()
		if got := drain(again); len(got) != queueSize+1 {
			t.Errorf("%d events", len(got))
		}
	})
}

// Output waits for a subscriber that asked for all of it, and gives up one that does not come back.
func TestBrokerOutputWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(time.Now)
		waits := task.EventFilter{Task: "t", Wait: true}
		events, cancel := h.Subscribe(waits)
		defer cancel()
		gone, cancelGone := h.Subscribe(waits)
		dead, cancelDead := h.Subscribe(waits)
		defer cancelDead()
		const n = bufferSize + taskLag + 50
		published := make(chan struct{})
		go func() {
			defer close(published)
			for i := range n {
				h.Publish(task.Event{Task: "t", Kind: task.EventOutput, Data: task.OutputData{Data: []byte{byte(i)}}})
			}
		}()
		synctest.Wait()
		go cancelGone() // while a publish waits for it
		received := make(chan int)
		go func() {
			count := 0
			for e := range events {
				if d := e.Data.(task.OutputData); d.Data[0] != byte(count) {
					t.Errorf("piece %d is %d", count, d.Data[0])
				}
				if count++; count == n {
					break
				}
			}
			received <- count
		}()
		began := time.Now()
		<-published
		if took := time.Since(began); took > 2*stallLimit {
			t.Errorf("took %v", took)
		}
		if count := <-received; count != n {
			t.Errorf("%d pieces", count)
		}
		for range dead { // it is closed after what was in its queue
		}
		for range gone {
		}
	})
}

// A reader that stopped costs itself only: nobody waits for one that did not ask for it,
// and for one that did its task alone does.
func TestBrokerStoppedReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(time.Now)
		all, cancelAll := h.Subscribe(task.EventFilter{}) // and nobody reads
		defer cancelAll()
		_, cancelOne := h.Subscribe(task.EventFilter{Task: "watched"})
		defer cancelOne()
		_, cancel := h.Subscribe(task.EventFilter{Task: "flood", Wait: true})
		defer cancel()
		reader, cancelReader := h.Subscribe(task.EventFilter{Task: "t"})
		defer cancelReader()
		began := time.Now()
		for range 2 * (bufferSize + queueSize) {
			h.Publish(task.Event{Task: "watched", Kind: task.EventOutput})
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("a task that is only watched waited for %v", took)
		}
		flooded := make(chan struct{})
		go func() {
			defer close(flooded)
			for range 2*bufferSize + taskLag {
				h.Publish(task.Event{Task: "flood", Kind: task.EventOutput})
			}
		}()
		synctest.Wait() // it waits for its reader
		var steps, outputs int
		for i := range 100 {
			h.Publish(step(i))
			h.Publish(task.Event{Task: "t", Kind: task.EventOutput, Data: i})
			for _, e := range drain(reader) {
				switch {
				case e.Task != "t":
					t.Errorf("an event of %q", e.Task)
				case e.Kind == task.EventStep && e.Data != step(steps).Data:
					t.Errorf("step %d is %v", steps, e.Data)
				case e.Kind == task.EventStep:
					steps++
				case e.Data != outputs:
					t.Errorf("piece %d is %v", outputs, e.Data)
				default:
					outputs++
				}
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("another task waited for %v", took)
		}
		if steps != 100 || outputs != 100 {
			t.Errorf("a reader that reads got %d steps and %d pieces", steps, outputs)
		}
		select {
		case <-flooded:
			t.Error("nobody waited for the reader")
		default:
		}
		<-flooded
		if took := time.Since(began); took != stallLimit {
			t.Errorf("the task waited for %v", took)
		}
		synctest.Wait()
		n := 0
		for range all { // it lagged too far
			n++
		}
		if n != bufferSize {
			t.Errorf("%d events", n)
		}
	})
}

// Who asks for kinds gets these, and hears of what was missed.
func TestBrokerFilters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(time.Now)
		publish := func() {
			for _, id := range []string{"a", "b"} {
				h.Publish(task.Event{Task: id, Kind: task.EventState})
				h.Publish(task.Event{Task: id, Kind: task.EventProgress})
				h.Publish(task.Event{Task: id, Kind: task.EventPlan})
			}
		}
		publish()
		for _, r := range []struct {
			name       string
			filter     task.EventFilter
			kept, live int
		}{
			{"all", task.EventFilter{}, 4, 6},
			{"a task", task.EventFilter{Task: "b"}, 2, 3},
			{"a kind", task.EventFilter{Kinds: []task.EventKind{task.EventPlan}}, 2, 2},
			{"both", task.EventFilter{Task: "a", Kinds: []task.EventKind{task.EventState, task.EventProgress}}, 1, 2},
			{"nothing", task.EventFilter{Task: "c"}, 0, 0},
			{"missed", task.EventFilter{Task: "c", After: 1}, 1, 0},
			{"only new", task.EventFilter{Task: "b", After: task.OnlyNew}, 0, 3},
		} {
			ring, seq := slices.Clone(h.ring), h.seq
			got, cancel := h.Subscribe(r.filter)
			if n := len(drain(got)); n != r.kept {
				t.Errorf("%s: %d kept", r.name, n)
			}
			publish()
			if n := len(drain(got)); n != r.live {
				t.Errorf("%s: then %d", r.name, n)
			}
			cancel()
			h.ring, h.seq = ring, seq
		}
	})
}

// A reader that asked for all of it and is only slow gets it, in order.
func TestBrokerSlowReaderGetsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(time.Now)
		events, cancel := h.Subscribe(task.EventFilter{Task: "flood", Wait: true})
		defer cancel()
		const n = 3 * queueSize
		go func() {
			for i := range n {
				h.Publish(task.Event{Task: "flood", Kind: task.EventOutput, Data: i})
				if i%10 == 0 {
					h.Publish(task.Event{Task: "flood", Kind: task.EventStep, Data: step(i).Data})
				}
			}
			h.Close()
		}()
		next := 0
		for e := range events {
			switch {
			case e.Kind == task.EventStep && e.Data != step(next-1).Data:
				t.Fatalf("step %v after piece %d", e.Data, next-1)
			case e.Kind == task.EventOutput && e.Data != next:
				t.Fatalf("piece %v instead of %d", e.Data, next)
			case e.Kind == task.EventOutput:
				next++
			}
			if next%100 == 0 {
				time.Sleep(time.Second)
			}
		}
		if next < n-taskLag { // closing gives up what nobody has taken
			t.Errorf("%d of %d pieces", next, n)
		}
	})
}

func TestBrokerHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(time.Now)
		stalled, cancel := h.Subscribe(task.EventFilter{Task: "t", Wait: true})
		defer cancel()
		go func() {
			time.Sleep(time.Second)
			h.Hurry()
		}()
		began := time.Now()
		for range bufferSize + 1 + taskLag + 1 { // one is with whoever sends it
			h.Publish(task.Event{Task: "t", Kind: task.EventOutput})
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %v", took)
		}
		for range stalled {
		}
	})
}

func TestBrokerClose(t *testing.T) {
	h := New(time.Now)
	events, cancel := h.Subscribe(task.EventFilter{})
	h.Publish(step(1))
	h.Close()
	h.Publish(step(2))
	n := 0
	for range events {
		n++
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
	cancel()
	late, cancelLate := h.Subscribe(task.EventFilter{})
	n = 0
	for range late {
		n++
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
	cancelLate()
}

// TestBrokerCountsOutput: whoever missed a piece of a task's output knows by the numbers.
func TestBrokerCountsOutput(t *testing.T) {
	h := New(time.Now)
	events, cancel := h.Subscribe(task.EventFilter{Task: "a", Kinds: []task.EventKind{task.EventOutput}})
	defer cancel()
	parts := func() (out []int64) {
		for _, e := range drain(events) {
			out = append(out, e.Data.(task.OutputData).Part)
		}
		return out
	}
	write := func(id, stream string) {
		h.Publish(task.Event{Task: id, Kind: task.EventOutput, Data: task.OutputData{Stream: stream}})
	}
	write("a", "stdout")
	write("b", "stdout")
	write("a", "stderr")
	h.Publish(task.Event{Task: "b", Kind: task.EventState, Data: task.StateData{State: task.StateDone}})
	h.Publish(task.Event{Task: "a", Kind: task.EventState, Data: task.StateData{State: task.StateRunning}})
	write("a", "stdout")
	if got := parts(); !slices.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("%v", got)
	}
	const lost = 100
	for range bufferSize + queueSize + lost {
		write("a", "stdout")
	}
	last := int64(0)
	for e := range events { // after what it was too slow for there is a gap
		if part := e.Data.(task.OutputData).Part; last != 0 && part != last+1 {
			if part < last+lost/2 {
				t.Errorf("%d follows %d", part, last)
			}
			break
		} else if last = part; last == 3+bufferSize+queueSize {
			write("a", "stdout")
		}
	}
	h.Publish(task.Event{Task: "a", Kind: task.EventState, Data: task.StateData{State: task.StateFailed}})
	if len(h.pieces) > 0 {
		t.Errorf("%v are counted on", h.pieces)
	}
}
