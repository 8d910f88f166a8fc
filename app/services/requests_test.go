package services

import (
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/audit"
	"piwork/app/durable"
	"piwork/vmhost/network/inspect"
)

// lend lends a service, whose secret is there.
func (f *fixture) lend(id string, by ...audit.Record) *Loan {
	f.t.Helper()
	l, err := f.Lend(f.t.Context(), id, []string{"hub"}, free, append(by, audit.Record{Task: id, Request: "req"})[0])
	if err != nil {
		f.t.Fatal(err)
	}
	return l
}

func (f *fixture) request(path string, allowed bool) inspect.Request {
	q := inspect.Request{Time: f.now, Service: "hub", Host: "api.example.org", Method: "GET", Path: path, Status: 200, Allowed: allowed, Sent: 1, Received: 10}
	if !allowed {
		q.Status, q.Reason = 403, inspect.ReasonNoRule
	}
	return q
}

// borrowed is a fixture with a loan.
func borrowed(t *testing.T, by ...audit.Record) (*fixture, *Loan, func(inspect.Request)) {
	t.Helper()
	f := newFixture(t)
	f.must(f.PutService(t.Context(), "hub", Definition{Hosts: hub()}))
	f.must(f.SetServiceSecret(t.Context(), "hub", SecretRequest{secret}))
	l := f.lend(f.task("a"), by...)
	return f, l, l.Inspect().OnRequest
}

// audited sums up the audit log: requests by their path.
func (f *fixture) audited() (by map[audit.Digest]int64, records []audit.Record) {
	f.t.Helper()
	by = map[audit.Digest]int64{}
	filter := audit.Filter{Task: "a", Limit: 1000}
	for {
		page, err := f.log.Records(f.t.Context(), filter)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, r := range page.Records {
			if r.Event == audit.EventRequest {
				by[r.Asked.Path] += r.Times
				records = append(records, r)
			}
		}
		if filter.Before = page.Before; page.Before == 0 {
			return by, records
		}
	}
}

// What is new is on the disk after ten seconds, without another request and without an end.
func TestRequestsAreWrittenSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, l, tell := borrowed(t, audit.Record{Task: "a", Request: "req", Client: "me"})
		kept := filepath.Join(f.dir, "tasks", "a", requestsName)
		for _, path := range []string{"/a", "/b"} {
			tell(f.request(path, true))
			time.Sleep(saveEvery)
			synctest.Wait()
			list, err := readRequests(kept)
			by, records := f.audited()
			if digest := f.log.Key.Digest(path); err != nil || len(list.List) != len(records) || by[digest] != 1 || records[0].Request != "req" || records[0].Client != "me" {
				t.Errorf("after %s: %+v, %v; the audit log has %v", path, list, err, records)
			}
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		tell(f.request("/late", true))
		time.Sleep(2 * saveEvery)
		synctest.Wait()
		if list, err := readRequests(kept); err != nil || len(list.List) != 2 {
			t.Errorf("after the end: %+v, %v", list, err)
		}
	})
}

// A guest that asks for many things hides none that it got, and none of its refused requests
// is lost.
func TestNoRequestEvadesTheRecord(t *testing.T) {
	f, l, tell := borrowed(t)
	for i := range 3 * maxRefused {
		q := f.request(fmt.Sprintf("/no/%d", i), false)
		q.Method = fmt.Sprintf("X-%c", 'A'+i%26)
		tell(q)
	}
	for i := range maxAllowed + 21 {
		tell(f.request(fmt.Sprintf("/yes/%d", i), true))
	}
	if by, _ := f.audited(); by[f.log.Key.Digest("/yes/0")] != 1 {
		t.Error("the audit log is not told of what it has no room for later")
	}
	list, err := f.TaskRequests(t.Context(), "a")
	others := map[bool]int64{}
	for _, e := range list.List {
		if e.Path == "" {
			others[e.Allowed] += e.Count
		}
	}
	if err != nil || len(list.List) != maxAllowed+maxRefused+2 || list.More != 21+2*maxRefused || others[true] != 21 || others[false] != 2*maxRefused {
		t.Errorf("%d entries, %d more, others %v, %v", len(list.List), list.More, others, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	by, _ := f.audited()
	for i := range maxAllowed + 21 {
		if path := fmt.Sprintf("/yes/%d", i); by[f.log.Key.Digest(path)] != 1 {
			t.Errorf("the audit log has %s %d times", path, by[f.log.Key.Digest(path)])
		}
	}
	if by[""] != 3*maxRefused-maxFresh {
		t.Errorf("the audit log has %d without a path", by[""])
	}
	// The task goes on where it was.
	l = f.lend("a")
	l.Inspect().OnRequest(f.request("/yes/more", true))
	if again, err := f.TaskRequests(t.Context(), "a"); err != nil || len(again.List) != len(list.List) || again.More != list.More+1 {
		t.Errorf("afterwards %d entries, %d more, %v", len(again.List), again.More, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// What cannot be written is tried again.
func TestRequestsThatCannotBeWrittenAreKept(t *testing.T) {
	f, l, tell := borrowed(t)
	tell(f.request("/a", true))
	if err := f.log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.requests.write(); err == nil {
		t.Error("a log that is closed took it")
	}
	if n := len(l.requests.fresh.kinds); n != 1 || !l.requests.dirty {
		t.Errorf("%d are left", n)
	}
	if data, err := durable.ReadFile(l.requests.path); err != nil || len(data) == 0 {
		t.Errorf("the list waits for the log: %v", err)
	}
	_ = l.Close() // which fails, too
}

// Requests that were allowed keep their paths, however many come at once.
func TestAllowedRequestsAtOnceKeepTheirPaths(t *testing.T) {
	f, l, tell := borrowed(t)
	for round := range 10 {
		for i := range maxFresh - 1 {
			tell(f.request(fmt.Sprintf("/same/%d", i), true))
		}
		var at sync.WaitGroup
		start := make(chan struct{})
		for i := range 20 {
			at.Go(func() {
				<-start
				tell(f.request(fmt.Sprintf("/at-once/%d/%d", round, i), true))
			})
		}
		close(start)
		at.Wait()
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if by, _ := f.audited(); by[""] != 0 || by[f.log.Key.Digest("/same/0")] != 10 {
		t.Errorf("the audit log has %d without a path, and one %d times", by[""], by[f.log.Key.Digest("/same/0")])
	}
}

// Where the audit log cannot be written, requests that were allowed keep their paths for later.
func TestAllowedRequestsKeepTheirPathsAfterAFailure(t *testing.T) {
	f, l, tell := borrowed(t)
	if err := f.log.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxFresh {
		tell(f.request(fmt.Sprintf("/a/%d", i), true))
	}
	var own, other int64
	for _, e := range l.requests.fresh.kinds {
		if e.Path == "" {
			other += e.Count
		} else {
			own += e.Count
		}
	}
	if own != 2*maxFresh || other != 0 {
		t.Errorf("%d have a path and %d have none", own, other)
	}
	_ = l.Close()                  // which fails, too
	tell(f.request("/late", true)) // and does not try for ever
}

// Each request is written down for whom its own loan is.
func TestRequestsAreForTheirOwnLoan(t *testing.T) {
	f, first, tell := borrowed(t, audit.Record{Task: "a", Request: "first"})
	second := f.lend("a", audit.Record{Task: "a", Request: "second", Client: "me"})
	tell(f.request("/1", true))
	second.Inspect().OnRequest(f.request("/2", true))
	for _, q := range []inspect.Request{f.request("/both", true), f.request("/no", false)} {
		tell(q)
		second.Inspect().OnRequest(q)
	}
	for _, l := range []*Loan{second, first} {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]int{}
	_, records := f.audited()
	for _, r := range records {
		got[fmt.Sprint(r.Request, " ", r.Client, " ", r.Asked.Path)] += int(r.Times)
	}
	want := map[string]int{}
	for path, loans := range map[string][]string{"/1": {"first  "}, "/2": {"second me "}, "/both": {"first  ", "second me "}, "/no": {"first  ", "second me "}} {
		for _, one := range loans {
			want[one+fmt.Sprint(f.log.Key.Digest(path))] = 1
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if list, err := f.TaskRequests(t.Context(), "a"); err != nil || len(list.List) != 4 {
		t.Errorf("%+v, %v", list, err)
	}
}
