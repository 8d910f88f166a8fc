package api_test

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/events"
	"piwork/app/task"
)

func state(id string, s task.State) task.Event {
	return task.Event{Task: id, Kind: task.EventState, Data: task.StateData{State: s}}
}

// Events come at once, in order, with their number as id; volatile ones have
// none; an idle stream has heartbeats.
func TestEvents(t *testing.T) {
	f := apitest.New(apitest.Script{})
	srv := httptest.NewServer(newAPI(t, f, api.Options{Heartbeat: 20 * time.Millisecond}).Handler())
	t.Cleanup(srv.CloseClientConnections)
	f.Publish(state("a", task.StateQueued))
	s := openStream(t, srv.URL+"/v1/events")
	s.until("id: 1")
	line := s.until("data: ")
	var e struct {
		Seq  int64
		Task string
		Data task.StateData
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(line[len(line)-1], "data: ")), &e); err != nil || e.Seq != 1 || e.Task != "a" || e.Data.State != task.StateQueued {
		t.Fatalf("%v %+v", err, e)
	}
	f.Publish(task.Event{Task: "a", Kind: task.EventProgress, Data: task.ProgressData{Done: 1, Total: 2}})
	if got := s.until("data: "); strings.Contains(strings.Join(got, "\n"), "id:") {
		t.Errorf("a volatile event has an id: %q", got)
	}
	if got := s.until(":"); got[len(got)-1] != ":" {
		t.Errorf("no heartbeat: %q", got)
	}
	f.Publish(state("a", task.StateDone))
	s.until("id: 2")
}

// Who comes back misses nothing; who asks for one task gets that one, and
// hears of a reset.
func TestEventsResumeAndFilter(t *testing.T) {
	f := apitest.New(apitest.Script{})
	srv := httptest.NewServer(newAPI(t, f, api.Options{}).Handler())
	t.Cleanup(srv.CloseClientConnections)
	for _, id := range []string{"a", "b", "a", "b"} {
		f.Publish(state(id, task.StateRunning))
	}
	for _, tt := range []struct {
		name, url string
		header    []string
		want      string
	}{
		{"from the start", "/v1/events", nil, "1 2 3 4"},
		{"Last-Event-ID", "/v1/events", []string{"Last-Event-ID", "2"}, "3 4"},
		{"after", "/v1/events?after=3", nil, "4"},
		{"Last-Event-ID wins", "/v1/events?after=3", []string{"Last-Event-ID", "1"}, "2 3 4"},
		{"one task", "/v1/events?task=b", nil, "2 4"},
		{"a kind", "/v1/events?kind=state,gone", nil, "1 2 3 4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := openStream(t, srv.URL+tt.url, tt.header...)
			var got []string
			for len(got) == 0 || got[len(got)-1] != "4" {
				l := s.until("id: ")
				got = append(got, strings.TrimPrefix(l[len(l)-1], "id: "))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
	s := openStream(t, srv.URL+"/v1/events?task=b&after=4")
	f.Publish(task.Event{Kind: task.EventReset, Data: struct{}{}})
	if got := s.until("data: "); !strings.Contains(got[len(got)-1], `"reset"`) {
		t.Errorf("%q", got)
	}
}

// What a stream leaves out is left out by the service, and a wrong number is said.
func TestEventsFilter(t *testing.T) {
	f := &filtered{Fake: apitest.New(apitest.Script{}), filters: make(chan task.EventFilter, 1)}
	srv := httptest.NewServer(newAPI(t, f, api.Options{}).Handler())
	t.Cleanup(srv.CloseClientConnections)
	openStream(t, srv.URL+"/v1/events?task=b&kind=state,output&wait=true", "Last-Event-ID", "7")
	want := task.EventFilter{After: 7, Task: "b", Kinds: []task.EventKind{task.EventState, task.EventOutput}, Wait: true}
	if got := <-f.filters; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, id := range []string{"-1", "1.5", "seven", "99999999999999999999", "1 OR 1", strings.Repeat("9", 4000)} {
		res := ask(t, newAPI(t, f, api.Options{}).Handler(), "GET", "/v1/events", "", "Last-Event-ID", id)
		if res.StatusCode != 400 || res.body["code"] != "bad-request" {
			t.Errorf("Last-Event-ID %.20s: %d %s", id, res.StatusCode, res.raw)
		}
	}
}

// filtered says what is subscribed to.
type filtered struct {
	*apitest.Fake
	filters chan task.EventFilter
}

func (f *filtered) Subscribe(filter task.EventFilter) (<-chan task.Event, func()) {
	f.filters <- filter
	return f.Fake.Subscribe(filter)
}

// Events that come closely together are all there, each in the language of its stream.
func TestEventsTogether(t *testing.T) {
	b := &brokered{Fake: apitest.New(apitest.Script{}), Broker: events.New(time.Now)}
	srv := httptest.NewServer(newAPI(t, b, api.Options{}).Handler())
	t.Cleanup(srv.CloseClientConnections)
	languages := []string{"en", "de", "en"}
	var streams []*stream
	for _, l := range languages {
		s := openStream(t, srv.URL+"/v1/events?task=a", "Accept-Language", l)
		s.until(":")
		streams = append(streams, s)
	}
	const n = 500
	go func() {
		for i := range n {
			b.Publish(task.Event{Task: "b", Kind: task.EventStep, Data: task.StepData{Step: "boot"}})
			b.Publish(task.Event{Task: "a", Kind: task.EventProgress, Data: task.ProgressData{Done: int64(i)}})
			b.Publish(task.Event{Task: "a", Kind: task.EventStep, Data: task.StepData{Step: "boot"}})
		}
	}()
	said := map[string]string{}
	for i, s := range streams {
		for got := 0; got < n; {
			lines := s.until("data: ")
			var e task.Event
			if err := json.Unmarshal([]byte(strings.TrimPrefix(lines[len(lines)-1], "data: ")), &e); err != nil || e.Task != "a" {
				t.Fatalf("%v: %q", err, lines)
			}
			if e.Kind == task.EventStep {
				said[languages[i]] = e.Said
				got++
			}
		}
	}
	if said["de"] == said["en"] || said["en"] == "" {
		t.Errorf("%q", said)
	}
}

// brokered has the events of a real broker.
type brokered struct {
	*apitest.Fake
	*events.Broker
}

func (b *brokered) Publish(e task.Event) { b.Broker.Publish(e) }
func (b *brokered) Subscribe(f task.EventFilter) (<-chan task.Event, func()) {
	return b.Broker.Subscribe(f)
}

// A subscription that the service ends, ends the stream: the client comes back.
func TestEventsHangup(t *testing.T) {
	f := apitest.New(apitest.Script{})
	srv := httptest.NewServer(newAPI(t, f, api.Options{}).Handler())
	t.Cleanup(srv.CloseClientConnections)
	s := openStream(t, srv.URL+"/v1/events")
	s.until(":")
	await(t, func() bool { return f.Subscribers() == 1 })
	f.Hangup()
	for s.lines.Scan() {
	}
	if err := s.lines.Err(); err != nil {
		t.Errorf("the stream did not end cleanly: %v", err)
	}
}

// A client that goes away frees its subscription.
func TestEventsClientGone(t *testing.T) {
	f := apitest.New(apitest.Script{})
	srv := httptest.NewServer(newAPI(t, f, api.Options{}).Handler())
	t.Cleanup(srv.CloseClientConnections)
	s := openStream(t, srv.URL+"/v1/events")
	s.until(":")
	await(t, func() bool { return f.Subscribers() == 1 })
	s.end()
	await(t, func() bool { return f.Subscribers() == 0 })
}

// A task that is not detached lives as long as it is held.
func TestHold(t *testing.T) {
	const grace = 500 * time.Millisecond
	start := `{"kind":"exec","argv":["sleep"],"folders":[]}`
	for _, tt := range []struct {
		name string
		body string
		hold func(t *testing.T, url, id string) // returns when nobody holds it any more
		ends bool
	}{
		{"nobody comes", start, func(*testing.T, string, string) {}, true},
		{"the holder leaves", start, func(t *testing.T, url, id string) {
			s := openStream(t, url+"/v1/events?hold=true&task="+id)
			s.until("id: ")
			time.Sleep(2 * grace)
			s.end()
		}, true},
		{"a stream that does not hold", start, func(t *testing.T, url, id string) {
			openStream(t, url+"/v1/events?task="+id)
		}, true},
		{"a holder stays", start, func(t *testing.T, url, id string) {
			openStream(t, url+"/v1/events?hold=true&task="+id)
		}, false},
		{"one of two leaves", start, func(t *testing.T, url, id string) {
			openStream(t, url+"/v1/events?hold=true&task="+id)
			openStream(t, url+"/v1/events?hold=true&task="+id).end()
		}, false},
		{"the holder comes back", start, func(t *testing.T, url, id string) {
			openStream(t, url+"/v1/events?hold=true&task="+id).end()
			openStream(t, url+"/v1/events?hold=true&task="+id)
		}, false},
		{"detached", strings.Replace(start, "{", `{"detached":true,`, 1), func(*testing.T, string, string) {}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for grace := grace; ; grace *= 4 {
				f := apitest.New(apitest.Script{Endless: true})
				a := newAPI(t, f, api.Options{HoldGrace: grace})
				srv := httptest.NewServer(a.Handler())
				t.Cleanup(srv.CloseClientConnections)
				began := time.Now()
				res := ask(t, a.Handler(), "POST", "/v1/tasks", tt.body)
				if res.StatusCode != 201 {
					t.Fatalf("%d %s", res.StatusCode, res.raw)
				}
				id, _ := res.body["id"].(string)
				tt.hold(t, srv.URL, id)
				if tt.ends {
					await(t, func() bool { got, _ := f.Task(t.Context(), id); return got.State == task.StateCancelled })
					return
				}
				if came := time.Since(began); came > grace/2 && grace < time.Minute {
					t.Logf("the holder came after %v: again with more time", came)
					continue
				}
				time.Sleep(2 * grace)
				if got, _ := f.Task(t.Context(), id); got.State.Final() {
					t.Errorf("the task was ended: %s", got.State)
				}
				_, _ = f.CancelTask(t.Context(), id)
				return
			}
		})
	}
}

// When the API closes, what it held ends.
func TestCloseEndsHeldTasks(t *testing.T) {
	f := apitest.New(apitest.Script{Endless: true})
	a := newAPI(t, f, api.Options{})
	res := ask(t, a.Handler(), "POST", "/v1/tasks", `{"kind":"exec","argv":["sleep"],"folders":[]}`)
	id, _ := res.body["id"].(string)
	a.Close()
	await(t, func() bool { got, _ := f.Task(t.Context(), id); return got.State == task.StateCancelled })
}
