package agentlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/task"
)

// follows begins to follow lines and returns when that stands.
func follows(ctx context.Context, t *testing.T, a *Lines, fn func(int64, json.RawMessage) error) <-chan error {
	t.Helper()
	a.mu.Lock()
	before := len(a.followers)
	a.mu.Unlock()
	done := make(chan error, 1)
	go func() { done <- a.Follow(ctx, "", task.OnlyNew, fn) }()
	for {
		a.mu.Lock()
		stands := len(a.followers) > before
		a.mu.Unlock()
		if stands {
			return done
		}
		select {
		case <-t.Context().Done():
			t.Fatal("nobody follows")
		case <-time.After(time.Millisecond):
		}
	}
}

// Every line comes as it was said, in its order, to all who ask, and to nobody else.
func TestAgentLines(t *testing.T) {
	var a Lines
	a.Add(0, []byte(`{"before":"anybody asks"}`))
	var got [2][]string
	var ends []<-chan error
	for i := range got {
		ends = append(ends, follows(t.Context(), t, &a, func(_ int64, line json.RawMessage) error {
			got[i] = append(got[i], string(line))
			return nil
		}))
	}
	said := []string{`{"type":"message_update", "x" : 1}`, `{"type":"agent_end"}`, "{\"a\":\r1}", "no\xff json\r\r\nevent: agent.over"}
	buf := make([]byte, 0, 100)
	for _, line := range said {
		buf = append(buf[:0], line...)
		a.Add(0, buf)
	}
	clear(buf) // it is the reader's, and used again
	a.End()
	want := []string{said[0], said[1], `{"a":1}`, `"no` + "\uFFFD" + ` json\r\r\nevent: agent.over"`}
	for i, end := range ends {
		if err := <-end; err != nil || !slices.Equal(got[i], want) {
			t.Errorf("%v: %q", err, got[i])
		}
	}
	if err := a.Follow(t.Context(), "", task.OnlyNew, nil); err != nil {
		t.Errorf("after the end: %v", err)
	}
	if len(a.followers) > 0 {
		t.Error("followers are left")
	}
}

// Who comes back gets what was kept meanwhile, and goes on with what is said: no line that is kept
// is missing or comes twice.
func TestAgentLinesAfterABreak(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	log, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close(slog.New(slog.DiscardHandler))
	var a Lines
	add := func(line string) { n := log.Add([]byte(line)); a.Add(n, []byte(line)) }
	for _, line := range []string{`"one"`, `"two"`, `{"type":"message_update"}`, `"three"`} {
		add(line)
	}
	var got []string
	replayed := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- a.Follow(t.Context(), path, 1, func(n int64, line json.RawMessage) error {
			if got = append(got, fmt.Sprintf("%d %s", n, line)); n == 2 {
				add(`"four"`) // while the record is read
			}
			if string(line) == `"four"` {
				close(replayed)
			}
			return nil
		})
	}()
	<-replayed
	var live []string
	lives := follows(t.Context(), t, &a, func(n int64, line json.RawMessage) error {
		live = append(live, fmt.Sprintf("%d %s", n, line))
		return nil
	})
	add(`{"type":"message_update"}`)
	add(`"five"`)
	a.End()
	want := []string{`2 "two"`, `3 "three"`, `4 "four"`, `4 {"type":"message_update"}`, `5 "five"`}
	if err := <-done; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: %q", err, got)
	}
	if err := <-lives; err != nil || !slices.Equal(live, want[3:]) { // who breaks off behind the part goes on behind "four"
		t.Errorf("%v: %q", err, live)
	}
	got = nil
	if err := After(path, 4, func(n int64, line json.RawMessage) error { got = append(got, string(line)); return nil }); err != nil || !slices.Equal(got, []string{`"five"`}) {
		t.Errorf("when it is over: %v: %q", err, got)
	}
}

// The agent waits for nobody: who reads nothing is left behind, with no more than
// fits, and others go on.
func TestAgentLinesWaitForNobody(t *testing.T) {
	for name, line := range map[string]string{"many": `{}`, "large": `"` + strings.Repeat("x", maxFollowedBytes/3) + `"`} {
		t.Run(name, func(t *testing.T) {
			var a Lines
			stuck, held := make(chan struct{}), make(chan struct{})
			n := 0
			slow := follows(t.Context(), t, &a, func(int64, json.RawMessage) error {
				if n++; n == 1 {
					close(held)
					<-stuck
				}
				return nil
			})
			a.Add(0, []byte(`"first"`))
			<-held
			added := 0
			for behind := false; !behind; added++ {
				if added > maxFollowedLines {
					t.Fatal("it is waited for")
				}
				a.Add(0, []byte(line))
				a.mu.Lock()
				behind = len(a.followers) == 0
				a.mu.Unlock()
			}
			close(stuck)
			if err := <-slow; !errors.Is(err, ErrBehind) || n != added { // the first, and all but the one that did not fit
				t.Errorf("%v after %d of %d", err, n, added)
			}
		})
	}
}

func TestAgentLinesEndWithTheirReader(t *testing.T) {
	var a Lines
	no := errors.New("no more")
	one := follows(t.Context(), t, &a, func(int64, json.RawMessage) error { return no })
	a.Add(0, []byte(`{}`))
	if err := <-one; !errors.Is(err, no) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	two := follows(ctx, t, &a, nil)
	cancel()
	if err := <-two; !errors.Is(err, context.Canceled) || len(a.followers) > 0 {
		t.Error(err)
	}
	huge := []byte(fmt.Sprintf(`"%s"`, bytes.Repeat([]byte("x"), maxFollowedBytes)))
	got := 0
	three := follows(t.Context(), t, &a, func(_ int64, line json.RawMessage) error { got = len(line); return nil })
	a.Add(0, huge) // alone it fits
	a.End()
	if err := <-three; err != nil || got != len(huge) {
		t.Errorf("%v, %d bytes", err, got)
	}
}
