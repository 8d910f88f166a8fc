package sessions

import (
	"context"
	"errors"
	"testing"
	"time"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// keeps is a place that keeps programs apart so well.
type keeps struct {
	Place
	at vmhost.Isolation
}

func (k keeps) Capabilities() vmhost.Capabilities {
	return vmhost.Capabilities{Name: "place", Isolation: k.at}
}

// A client steers no session in a place that keeps nothing apart, also not one that it found
// before the place was there.
func TestAClientSteersNoSessionThatIsNotKeptApart(t *testing.T) {
	for at, want := range map[vmhost.Isolation]string{vmhost.IsolationNone: problem.CodeTokenScope + " person", vmhost.IsolationNamespace: ""} {
		t.Run(string(at), func(t *testing.T) {
			w := newWorld(t)
			w.place = keeps{w.place, at}
			waits, ready, made := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			place := w.o.Place
			w.o.Place = func(ctx context.Context, id string) (Place, error) {
				close(waits)
				<-ready
				return place(ctx, id)
			}
			go func() { _, err := w.CreateSession(t.Context(), aTask, Request{}); made <- err }()
			<-waits
			all, err := w.Sessions(t.Context(), aTask)
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			ctx, cancel := context.WithTimeout(task.WithClient(t.Context(), "ci@12345678"), time.Minute)
			defer cancel()
			steer := map[string]func() error{
				"attach": func() error {
					c, err := w.AttachSession(ctx, all[0].ID, AttachRequest{})
					if err == nil {
						err = c.Close()
					}
					return err
				},
				"read": func() error {
					_, err := w.ReadSession(ctx, all[0].ID, OutputRequest{Client: "a"})
					return err
				},
				"write": func() error {
					_, err := w.WriteSession(ctx, all[0].ID, InputRequest{Client: "a", Data: []byte("\n")})
					return err
				},
				"run":    func() error { _, err := w.RunInSession(ctx, all[0].ID, RunRequest{Command: "true"}); return err },
				"signal": func() error { _, err := w.SignalSession(ctx, all[0].ID, SignalRequest{Signal: "INT"}); return err },
			}
			early := make(chan error, 1)
			go func() { early <- steer["attach"]() }()
			close(ready)
			is := func(what string, err error) {
				t.Helper()
				if want == "" && err != nil || want != "" && code(err) != want {
					t.Errorf("%s: %v", what, err)
				}
			}
			is("attached early", <-early)
			if err := <-made; err != nil {
				t.Fatal(err)
			}
			for what, do := range steer {
				is(what, do())
			}
			if _, err := w.ResizeSession(ctx, all[0].ID, wire.TerminalSize{Columns: 80, Rows: 24}); want != "" && code(err) != want || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("resize: %v", err)
			}
			if _, err := w.RunInSession(t.Context(), all[0].ID, RunRequest{Command: "true"}); err != nil {
				t.Errorf("the person: %v", err)
			}
		})
	}
}
