package sdktest

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app/api"
	"piwork/app/api/answer"
	"piwork/app/api/apitest"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/app/words"
)

// Serve plays the table until the test is over. The address is one of HTTP.
func Serve(t testing.TB) (address string, rows []Row) {
	t.Helper()
	rows = table()
	dir := t.TempDir()
	for i := range rows {
		if rows[i].script == "" {
			continue
		}
		rows[i].Program = filepath.Join(dir, fmt.Sprintf("piwork-%d", i))
		if err := os.WriteFile(rows[i].Program, []byte("#!/bin/sh\n"+rows[i].script), 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
	}
	real := api.New(api.Options{Service: apitest.New(apitest.Script{}), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(real.Close)
	s := &server{rows: rows, api: real.Handler(), plays: map[string]*play{}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return srv.URL, rows
}

// stands is in place of the number of a row in a token, for a stream that stands until its client
// ends it.
const stands = "stands"

// server plays rows, each for every token anew.
type server struct {
	rows []Row
	api  http.Handler // of requests that are no stream

	mu    sync.Mutex
	plays map[string]*play
}

// play is a row for one token.
type play struct {
	asked []string
	later time.Time // before which nothing is to be asked
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	number, _, _ := strings.Cut(token, ".")
	row, err := strconv.Atoi(number)
	switch {
	case r.URL.Path == "/table":
		written(w, http.StatusOK, s.rows)
	case r.URL.Path == "/asked":
		s.mu.Lock()
		defer s.mu.Unlock()
		asked := []string{}
		if p := s.plays[token]; p != nil {
			asked = p.asked
		}
		written(w, http.StatusOK, asked)
	case r.Method == http.MethodPost && r.URL.Path == "/v1/tasks":
		var asked tasks.StartRequest
		_ = json.NewDecoder(r.Body).Decode(&asked)
		written(w, http.StatusCreated, task.Task{V: task.RecordVersion, ID: asked.ID, Kind: task.KindExec, State: task.StateQueued, Created: time.Now().UTC()})
	case err == nil && row >= 0 && row < len(s.rows) && s.rows[row].Stream == Request:
		s.api.ServeHTTP(w, r)
	case number == stands:
		a := s.next(token, nil, r.Header.Get("Last-Event-ID"))
		switch path.Base(r.URL.Path) {
		case "agent":
			a.body = spoken(1, `{"seq":1}`)
		case "watch":
			a.body = numbered(1, api.FileChanged, "{}")
		}
		a.play(w, r)
	case err != nil || row < 0 || row >= len(s.rows):
		refused(w, r, refusal(http.StatusNotFound, "not-found", ""))
	default:
		s.next(token, s.rows[row].answers, r.Header.Get("Last-Event-ID")).play(w, r)
	}
}

// next is the next of the answers for a token; without any it is a stream that says nothing behind
// its first event, and has no end.
func (s *server) next(token string, answers []reply, last string) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.plays[token]
	if p == nil {
		p = &play{}
		s.plays[token] = p
	}
	if time.Now().Before(p.later) {
		last += " too soon"
	}
	p.asked = append(p.asked, last)
	switch {
	case answers == nil && last == "":
		return reply{body: step(1), stands: true}
	case answers == nil:
		return reply{stands: true}
	case len(p.asked) > len(answers):
		return refusal(http.StatusGone, "", "")
	}
	a := answers[len(p.asked)-1]
	if seconds, err := strconv.Atoi(a.later); err == nil {
		p.later = time.Now().Add(time.Duration(seconds) * time.Second)
	}
	return a
}

// play answers a request.
func (a reply) play(w http.ResponseWriter, r *http.Request) {
	switch {
	case a.mute:
		broken()
	case a.no != 0:
		refused(w, r, a)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write([]byte(":\n\n" + strings.ReplaceAll(a.body, "{task}", r.URL.Query().Get("task"))))
	_ = http.NewResponseController(w).Flush()
	if a.stands {
		<-r.Context().Done()
	}
	if a.cut {
		broken()
	}
}

// broken has the server close the connection of the request.
func broken() {
	panic(http.ErrAbortHandler) //nolint:forbidigo // net/http has no other word for it
}

// refused answers with a problem, or where that has no code as another server does.
func refused(w http.ResponseWriter, r *http.Request, a reply) {
	if a.later != "" {
		w.Header().Set("Retry-After", a.later)
	}
	if a.code == "" {
		http.Error(w, "no", a.no)
		return
	}
	w.Header().Set("Content-Type", answer.ProblemJSON)
	w.WriteHeader(a.no)
	_ = answer.WriteJSON(w, problemIn(r.Header.Get("Accept-Language"), a.no, a.code))
}

func written(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = answer.WriteJSON(w, answer.InWords(words.For(""), v))
}
