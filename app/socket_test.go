package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/api/apifuzz"
	"piwork/app/background"
	"piwork/app/client"
	"piwork/app/consent"
	"piwork/app/lock"
	"piwork/app/tasks"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
)

// TestAnyRequestOverTheSocket makes requests for every operation, as another program
// would: over the socket, to a controller with all of its rooms.
func TestAnyRequestOverTheSocket(t *testing.T) {
	w := app.NewTestPackWorld(t)
	var socket string
	open := func(ctx context.Context, _ app.Options) (background.Controller, error) {
		c, err := w.Open(ctx)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	here := &background.Here{Server: background.ServerOptions{Open: open}}
	s, err := background.Open(t.Context(), background.SessionOptions{Launch: here.Launch})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if err := here.Close(); err != nil {
			t.Error(err)
		}
	})
	var locked *lock.HeldError // says where it answers
	if _, err := w.Open(t.Context()); !errors.As(err, &locked) {
		t.Fatal(err)
	}
	socket = locked.Socket

	doc, err := json.Marshal(api.New(api.Options{}).OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(w.Notes, "a.pdf")
	if err := os.WriteFile(file, []byte("%PDF"), 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := s.StartTask(t.Context(), tasks.StartRequest{Kind: "exec", Argv: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := apifuzz.New(doc, []string{w.Notes, file})
	if err != nil {
		t.Fatal(err)
	}
	to := &http.Client{Transport: client.Socket(socket)}
	// Each request may start a task, and each failure is found by long tests, too: there
	// they are others each time (seed 0).
	for name, value := range map[string]string{"rapid.checks": tier.Pick("3", "2", "50"), "rapid.seed": tier.Pick("1", "1", "0")} {
		tier.Flag(t, name, value)
	}
	go func() { // a person, for whose answers operations wait
		for t.Context().Err() == nil {
			time.Sleep(100 * time.Millisecond)
			waiting, _ := s.Questions(t.Context(), "")
			for _, q := range waiting {
				_, _ = s.Answer(t.Context(), q.Task, q.ID, consent.AnswerRequest{Answer: vmhost.AnswerDeny})
			}
		}
	}()
	fine := 0
	for _, r := range f.Routes() {
		if r.Path == "/v1/process/end" { // who would answer the others?
			continue
		}
		r.Known = map[string]string{"id": first.ID, "change": "1", "index": "0"}
		r.Within = time.Minute
		r.Send = func(req *http.Request) (*http.Response, []byte, error) {
			req.RequestURI = ""
			slow := time.AfterFunc(r.Within/2, func() { t.Logf("%s %s takes long\n%s", req.Method, req.URL, whatWaits(s)) })
			defer slow.Stop()
			res, err := to.Do(req)
			if err != nil {
				return nil, nil, err
			}
			defer res.Body.Close()
			data, err := io.ReadAll(res.Body)
			return res, data, err
		}
		t.Run(r.Method+r.Path, func(t *testing.T) { rapid.Check(t, r.Check) })
		if r.Fine {
			fine++
		}
		if r.Path == "/v1/samples" { // thousands of files, which each later operation would be about
			made, err := os.ReadDir(w.Notes)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range made {
				if one.Name() != filepath.Base(file) {
					if err := os.RemoveAll(filepath.Join(w.Notes, one.Name())); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	t.Logf("%d operations, %d of them with a success, %d requests", len(f.Routes()), fine, f.Requests())
	if fine < len(f.Routes())/5 { // which of them can is a matter of what was asked before
		t.Errorf("only %d of %d operations ever succeeded", fine, len(f.Routes()))
	}
	if _, err := s.Task(t.Context(), first.ID); err != nil { // it is all there still
		t.Logf("the first task: %v", err)
	}
	if _, err := s.Tasks(t.Context()); err != nil {
		t.Error(err)
	}
}

// whatWaits says what goes on while a request is not answered.
func whatWaits(s *background.Session) string {
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	var b strings.Builder
	questions, err := s.Questions(ctx, "")
	fmt.Fprintf(&b, "questions %+v %v\n", questions, err)
	machines, err := s.Machines(ctx)
	fmt.Fprintf(&b, "machines %+v %v\n", machines, err)
	all, err := s.Tasks(ctx)
	fmt.Fprintf(&b, "%d tasks %v\n", len(all), err)
	for _, t := range all {
		if !t.State.Final() {
			events, _ := s.Timeline(ctx, t.ID, 0)
			fmt.Fprintf(&b, "%+v\n  %+v\n", t, events[max(0, len(events)-5):])
		}
	}
	return b.String()
}
