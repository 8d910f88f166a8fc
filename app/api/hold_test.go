package api

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/access"
	"piwork/app/api/door"
	"piwork/app/audit/audittest"
	"piwork/app/task"
)

// TestADetachIsRemembered: whoever hears of a task before the request that starts it is
// answered may detach it; it is not watched then.
func TestADetachIsRemembered(t *testing.T) {
	for name, tt := range map[string]struct {
		play  func(h *holds, add func(id string))
		held  []string
		ended []string
	}{
		"nobody detaches": {func(h *holds, add func(string)) {
			done := begin(h)
			add("a")
			done()
		}, []string{"a"}, nil},
		"after it is watched": {func(h *holds, add func(string)) {
			done := begin(h)
			add("a")
			h.detach("a")
			done()
		}, nil, []string{"a"}}, // the end of its context ends nothing: it is not hooked any more
		"before": {func(h *holds, add func(string)) {
			done := begin(h)
			h.detach("a")
			add("a")
			done()
		}, nil, nil},
		"before, beside another start": {func(h *holds, add func(string)) {
			first, second := begin(h), begin(h)
			h.detach("a")
			add("b")
			second()
			add("a")
			first()
		}, []string{"b"}, nil},
		"an earlier round": {func(h *holds, add func(string)) {
			done := begin(h)
			add("a")
			done()
			h.detach("a")
			done = begin(h)
			add("a")
			done()
		}, []string{"a"}, []string{"a"}},
		"the next round, while the first is watched": {func(h *holds, add func(string)) {
			done := begin(h)
			add("a")
			done()
			done = begin(h)
			h.detach("a")
			add("a")
			done()
		}, nil, []string{"a"}},
		"detached, and begun again, beside a slow start": {func(h *holds, add func(string)) {
			slow, done := begin(h), begin(h)
			add("a")
			done()
			h.detach("a")
			done = begin(h)
			add("a")
			done()
			slow()
		}, []string{"a"}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHolds(time.Hour)
			var ended []string
			tt.play(h, func(id string) { h.add(id, "", h.last, 0, func() { ended = append(ended, id) }) })
			if got := h.held(); !slices.Equal(got, tt.held) || !slices.Equal(ended, tt.ended) {
				t.Errorf("watched are %v, ended %v", got, ended)
			}
			if len(h.detached) > 0 || h.begins != 0 {
				t.Errorf("%v are remembered while nothing begins (%d)", h.detached, h.begins)
			}
			h.closeAll()
		})
	}
}

func begin(h *holds) (done func()) {
	_, done = h.begin()
	return done
}

// TestAHoldEndsWithItsClient: a task whose client is gone ends soon, another one when its
// grace is over.
func TestAHoldEndsWithItsClient(t *testing.T) {
	const grace = 10 * time.Second
	const here, dead, unknown = 1, 2, 0
	for name, tt := range map[string]struct {
		play func(h *holds)
		ends time.Duration // after play; 0: it does not
	}{
		"it asked, and is there":      {func(h *holds) { h.add("a", "", 1, here, nil) }, grace},
		"it asked, and is gone":       {func(h *holds) { h.add("a", "", 1, dead, nil) }, lookEvery},
		"who asked is not known":      {func(h *holds) { h.add("a", "", 1, unknown, nil) }, grace},
		"it holds":                    {func(h *holds) { h.add("a", "", 1, here, nil); h.take("a", dead) }, 0},
		"its stream broke":            {func(h *holds) { h.add("a", "", 1, here, nil); h.take("a", here)() }, grace},
		"its stream broke with it":    {func(h *holds) { h.add("a", "", 1, here, nil); h.take("a", dead)() }, lookEvery},
		"whose stream is not known":   {func(h *holds) { h.add("a", "", 1, dead, nil); h.take("a", unknown)() }, grace},
		"it was away for a while":     {func(h *holds) { h.add("a", "", 1, here, nil); time.Sleep(grace / 2); h.take("a", here)() }, grace},
		"one of two is gone":          {func(h *holds) { h.add("a", "", 1, here, nil); h.take("a", here); h.take("a", dead)() }, 0},
		"it dies while it is away":    {func(h *holds) { h.add("a", "", 1, 3, nil) }, grace/2 + lookEvery},
		"another task has its stream": {func(h *holds) { h.add("a", "", 1, here, nil); h.add("b", "", 1, here, nil); h.take("b", here) }, grace},
		"there is no room for it":     {func(h *holds) { h.add("a", "", 1, here, nil); refuse(h, "a", here) }, door.MoreRoomAfter + grace},
		"no room, and it is gone":     {func(h *holds) { h.add("a", "", 1, here, nil); refuse(h, "a", dead) }, lookEvery},
		"no room for another's":       {func(h *holds) { h.add("a", "", 1, here, nil); refuse(h, "b", here) }, grace},
		"no room for a second": {func(h *holds) {
			h.add("a", "", 1, here, nil)
			leave := h.take("a", here)
			refuse(h, "a", dead)
			leave()
		}, grace},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHolds(grace)
				began := time.Now()
				h.gone = func(pid int) bool {
					return pid == dead || pid == 3 && time.Since(began) > grace/2
				}
				defer h.closeAll()
				ended := make(chan time.Time, 1)
				tt.play(h)
				played := time.Now()
				h.mu.Lock()
				for id, e := range h.byTask {
					e.cancel = func() {
						if id == "a" {
							ended <- time.Now()
						}
					}
				}
				h.mu.Unlock()
				time.Sleep(3 * grace)
				synctest.Wait()
				select {
				case at := <-ended:
					if got := at.Sub(played); tt.ends == 0 || got != tt.ends {
						t.Errorf("it ends after %v, not %v", got, tt.ends)
					}
				default:
					if tt.ends != 0 {
						t.Error("it does not end")
					}
				}
			})
		})
	}
}

func refuse(h *holds, id string, pid int) {
	h.refused(id, nil, pid, door.MoreRoomAfter)
}

// TestWhoHasToWaitHolds: whatever there is no room for, a task does not end while its client
// waits as it was told.
func TestWhoHasToWaitHolds(t *testing.T) {
	for name, l := range map[string]struct {
		limits ListenerLimits
		crowd  *door.Crowd
		asked  bool // as often as it may
	}{
		"streams":     {ListenerLimits{Rate: 1, Burst: 1}, nil, false},
		"connections": {ListenerLimits{Rate: 1, Burst: 1, Streams: 1}, &door.Crowd{}, false},
		"requests":    {ListenerLimits{Rate: 0.1, Burst: 1, Streams: 1}, nil, true},
	} {
		for path, waits := range map[string]bool{
			"/v1/events?hold=true&task=a": true,
			"/v1/events?task=a":           false,
			"/v1/none?hold=true&task=a":   false,
		} {
			t.Run(name+path, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					a := New(Options{HoldGrace: 5 * time.Second})
					defer a.Close()
					a.holds.add("a", "", 1, os.Getpid(), func() {})
					v := l.limits.Visitor(os.Getpid(), l.crowd)
					if l.asked {
						v.Turn()
					}
					r := httptest.NewRequest(http.MethodGet, path, nil)
					w := httptest.NewRecorder()
					a.Handler().ServeHTTP(w, r.WithContext(v.In(r.Context())))
					if waits && w.Code != http.StatusTooManyRequests {
						t.Fatalf("%d %s", w.Code, w.Body)
					}
					time.Sleep(door.MoreRoomAfter)
					synctest.Wait()
					if a.holds.holds("a") != waits {
						t.Errorf("it is held: %v", !waits)
					}
					time.Sleep(6 * time.Second)
					synctest.Wait()
					if a.holds.holds("a") {
						t.Error("it is held for ever")
					}
				})
			})
		}
	}
}

// A stream that comes before its task holds it, for as long as it is there.
func TestAnEarlyStreamHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHolds(HoldGrace)
		gone, release := h.take("a", 0), h.take("a", 0)
		gone()
		life, cancel := context.WithCancel(t.Context())
		number, done := h.begin()
		h.add("a", "", number, 0, cancel)
		done()
		time.Sleep(10 * HoldGrace)
		if life.Err() != nil {
			t.Fatal("it ended though it is held")
		}
		release()
		time.Sleep(HoldGrace / 2)
		if life.Err() != nil {
			t.Fatal("it ended within the grace")
		}
		time.Sleep(HoldGrace)
		if life.Err() == nil {
			t.Error("it goes on though nobody holds it")
		}
		h.take("b", 0)()
		if len(h.early) != 0 {
			t.Errorf("%d are remembered", len(h.early))
		}
	})
}

// unread is a service of which no record is read.
type unread struct {
	Service
	t *testing.T
}

func (u unread) Task(_ context.Context, id string) (task.Task, error) {
	u.t.Errorf("the record of %s is read", id)
	return task.Task{ID: id}, nil
}

// TestWhoHasToWaitHoldsNothingOfOthers: a program that is told to wait keeps its own tasks, but none
// that it could not hold; and whoever floods costs no reading of records.
func TestWhoHasToWaitHoldsNothingOfOthers(t *testing.T) {
	list, err := access.OpenTokens(t.TempDir(), audittest.Open(t), nil, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	made, err := list.CreateToken(t.Context(), access.TokenRequest{Name: "ci", Scopes: []access.Scope{access.Tasks}})
	if err != nil {
		t.Fatal(err)
	}
	a := New(Options{Service: unread{t: t}, HoldGrace: time.Hour})
	defer a.Close()
	h, err := a.Guarded(Guard{Clients: list, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711}, Token: "person"})
	if err != nil {
		t.Fatal(err)
	}
	for id, client := range map[string]string{"theirs": "", "own": made.Client()} {
		a.holds.add(id, client, 1, os.Getpid(), func() {})
		ends := a.holds.byTask[id].until
		for name, full := range map[string]*door.Crowd{"requests": nil, "connections": {}} {
			for secret, longer := range map[string]bool{made.Secret: client != "", "person": true} {
				c := ListenerLimits{Rate: 0.1, Burst: 1, Streams: 1, Connections: 1}.Visitor(os.Getpid(), full)
				w := httptest.NewRecorder()
				for _, path := range []string{"/v1/none", "/v1/events?hold=true&task=" + id} { // the first one it may
					w = httptest.NewRecorder()
					r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:4711"+path, nil)
					r.Header.Set("Authorization", "Bearer "+secret)
					h.ServeHTTP(w, r.WithContext(c.In(r.Context())))
				}
				if now := a.holds.byTask[id].until; w.Code != http.StatusTooManyRequests || now.After(ends) != longer {
					t.Errorf("%s, %s, %v: %d, its end is moved by %v", id, name, longer, w.Code, now.Sub(ends))
				}
				a.holds.byTask[id].until = ends
			}
		}
	}
}
