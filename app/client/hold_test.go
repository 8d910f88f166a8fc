package client

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/task"
	"piwork/app/tasks"
)

// scene is a service that can be stopped in the middle of something.
type scene struct {
	*apitest.Fake
	starts  func(id string) // after a task was started, before that is answered
	detachs func()          // before a task is detached
}

func (s scene) StartTask(ctx context.Context, r tasks.StartRequest) (task.Task, error) {
	t, err := s.Fake.StartTask(ctx, r)
	if err == nil && s.starts != nil {
		s.starts(t.ID)
	}
	return t, err
}

func (s scene) DetachTask(ctx context.Context, id string) (task.Task, error) {
	if s.detachs != nil {
		s.detachs()
	}
	return s.Fake.DetachTask(ctx, id)
}

// TestDetachedTaskIsNotCancelled: whoever detaches a task, and whenever, it goes on when the
// context with which it was started ends.
func TestDetachedTaskIsNotCancelled(t *testing.T) {
	for name, play := range map[string]func(t *testing.T, s *scene, c, other *Client, asked <-chan struct{}, start func() string, end func()){
		"by its client": func(t *testing.T, _ *scene, c, _ *Client, _ <-chan struct{}, start func() string, end func()) {
			if _, err := c.DetachTask(t.Context(), start()); err != nil {
				t.Error(err)
			}
			end()
		},
		"by another": func(t *testing.T, _ *scene, _, other *Client, _ <-chan struct{}, start func() string, end func()) {
			if _, err := other.DetachTask(t.Context(), start()); err != nil {
				t.Error(err)
			}
			end()
		},
		"before its client is answered": func(t *testing.T, s *scene, _, other *Client, _ <-chan struct{}, start func() string, end func()) {
			s.starts = func(id string) {
				if _, err := other.DetachTask(t.Context(), id); err != nil {
					t.Error(err)
				}
			}
			start()
			end()
		},
		"while its context ends": func(t *testing.T, s *scene, c, _ *Client, asked <-chan struct{}, start func() string, end func()) {
			id := start()
			s.detachs = func() {
				end()
				for c.detaching.TryRLock() { // until the hold waits for this
					c.detaching.RUnlock()
					select {
					case <-asked:
						t.Error("it is to be cancelled before it is detached")
						return
					default:
						runtime.Gosched()
					}
				}
			}
			if _, err := c.DetachTask(t.Context(), id); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scene{Fake: apitest.New(apitest.Script{Endless: true})}
			a := api.New(api.Options{Service: s, HoldGrace: time.Hour})
			asked, answered := make(chan struct{}, 9), make(chan struct{}, 9)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				cancel := strings.HasSuffix(r.URL.Path, "/cancel")
				if cancel {
					asked <- struct{}{}
				}
				a.Handler().ServeHTTP(w, r)
				if cancel {
					answered <- struct{}{}
				}
			})
			c, other := New(InProcess(h), nil), New(InProcess(h), nil)
			ctx, end := context.WithCancel(t.Context())
			var id string
			play(t, s, c, other, asked, func() string {
				got, err := c.StartTask(ctx, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"sleep"}})
				if err != nil {
					t.Fatal(err)
				}
				id = got.ID
				return id
			}, end)
			<-answered // the client whose context ended has said what it says
			a.Close()  // and nothing is held
			if got, err := s.Task(t.Context(), id); err != nil || got.State.Final() {
				t.Errorf("it is %s %v", got.State, err)
			}
			if _, err := s.CancelTask(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAHoldWaitsForRoom: a stream that holds a task is tried again as long as the controller
// says that there is no room for it, until the context ends.
func TestAHoldWaitsForRoom(t *testing.T) {
	for name, room := range map[string]int{"in time": 7, "too late": 1 << 30} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := apitest.New(apitest.Script{Endless: true})
				a := api.New(api.Options{Service: f, HoldGrace: time.Hour})
				refused, cancelled := 0, 0
				stands := make(chan struct{})
				h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch {
					case strings.HasSuffix(r.URL.Path, "/cancel"):
						cancelled++
					case r.URL.Query().Get("hold") == "true" && refused < room:
						refused++
						w.Header().Set("Retry-After", "10")
						w.Header().Set("Content-Type", "application/problem+json")
						w.WriteHeader(http.StatusTooManyRequests)
						_, _ = w.Write([]byte(`{"code":"too-many-streams"}`))
						return
					case r.URL.Query().Get("hold") == "true":
						close(stands)
					}
					a.Handler().ServeHTTP(w, r)
				})
				transport := InProcess(h).(*http.Transport)
				defer transport.CloseIdleConnections()
				c := New(transport, nil)
				ctx, end := context.WithCancel(t.Context())
				defer end()
				got, err := c.StartTask(ctx, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"sleep"}})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				if room < 100 {
					<-stands
					if took := time.Since(began); refused != room || took != time.Duration(room)*10*time.Second {
						t.Errorf("it was refused %d times in %v", refused, took)
					}
				} else {
					time.Sleep(time.Minute)
				}
				if now, err := f.Task(t.Context(), got.ID); err != nil || now.State.Final() {
					t.Errorf("it is %s %v", now.State, err)
				}
				end()
				synctest.Wait() // without that time passes
				if cancelled != 1 {
					t.Errorf("%d requests to cancel it", cancelled)
				}
				a.Close()
			})
		})
	}
}
