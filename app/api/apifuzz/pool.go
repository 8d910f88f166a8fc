package apifuzz

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// pool has the names of things from answers: by the word in the path before them, such as
// tasks or questions.
type pool struct {
	mu  sync.Mutex
	ids map[string][]string // the newest last
}

// remembered is how many of a kind are known.
const remembered = 40

func newPool() *pool {
	return &pool{ids: map[string][]string{"results": {"0"}, "changes": {"1"}, "folders": {"f1"}, "agent": {"1"}}}
}

var placeholder = regexp.MustCompile(`([a-z-]+)/\{(\w+)\}`)

// known are values for the parameters of a path.
func (p *pool) known(rng *rand.Rand, path string) map[string]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[string]string{}
	for _, m := range placeholder.FindAllStringSubmatch(path, -1) {
		if list := p.ids[m[1]]; len(list) > 0 {
			newest := min(len(list), 6)
			if rng.IntN(4) == 0 {
				newest = len(list)
			}
			out[m[2]] = list[len(list)-1-rng.IntN(newest)]
		}
	}
	return out
}

// learn keeps what an answer names.
func (p *pool) learn(path string, data []byte) {
	words := strings.Split(strings.TrimPrefix(path, "/v1/"), "/")
	for len(words) > 1 && strings.HasPrefix(words[len(words)-1], "{") {
		words = words[:len(words)-1]
	}
	kind := words[len(words)-1]
	if kind == "again" {
		kind = "tasks"
	}
	var v any
	if json.Unmarshal(data, &v) != nil {
		return
	}
	list, many := v.([]any)
	if !many {
		list = []any{v}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range list[:min(len(list), remembered)] {
		object, _ := one.(map[string]any)
		for _, name := range []string{"id", "name", "version", "provider", "kind"} {
			id, is := object[name].(string)
			if is && id != "" {
				p.add(kind, id)
				break
			}
		}
	}
}

func (p *pool) add(kind, id string) {
	list := p.ids[kind]
	for _, has := range list {
		if has == id {
			return
		}
	}
	if len(list) >= remembered {
		list = list[1:]
	}
	p.ids[kind] = append(list, id)
}

// thing is what a person reads of a task, a session or a question.
type thing struct {
	ID, Task, State string
	Created         time.Time
	Waits           bool `json:"-"`
}

// person does what keeps a server in use: answers questions, ends what lasts long, deletes what
// is old. With all it ends everything. It returns how many tasks are there, of those that are
// not over where all is set.
func (c *Campaign) person(all bool) (left int) {
	const patience, kept = 10 * time.Second, 60
	var questions, sessions, tasks []thing
	c.of("GET", "/v1/questions", "", &questions)
	for _, q := range questions {
		c.of("POST", "/v1/tasks/"+url.PathEscape(q.Task)+"/questions/"+url.PathEscape(q.ID), []string{`{"answer":"allow"}`, `{"answer":"deny"}`}[rand.IntN(2)], nil) //nolint:gosec // any will do
	}
	c.of("GET", "/v1/sessions", "", &sessions)
	for i, s := range sessions {
		if all || i < len(sessions)-8 {
			c.of("DELETE", "/v1/sessions/"+url.PathEscape(s.ID), "", nil)
		}
	}
	c.of("GET", "/v1/tasks", "", &tasks)
	for i, t := range tasks {
		over := t.State == "done" || t.State == "failed" || t.State == "cancelled"
		switch {
		case !over && (all || time.Since(t.Created) > patience):
			c.of("POST", "/v1/tasks/"+url.PathEscape(t.ID)+"/cancel", "", nil)
			left++
		case over && (all || i > kept):
			c.of("DELETE", "/v1/tasks/"+url.PathEscape(t.ID), "", nil)
		case !over:
			left++
		}
	}
	return left
}

// of asks for something of the person, and reads the answer into v where it is one.
func (c *Campaign) of(method, path, body string, v any) {
	req := Request{Method: method, Target: path, Header: http.Header{}, Body: []byte(body)}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	a, err := c.ask(&Route{Fuzz: c.Fuzz, Method: method}, req, 0)
	if err != nil {
		c.found("the person", err.Error(), 0, req.String(), "")
		return
	}
	if a.StatusCode >= 500 && a.StatusCode != http.StatusServiceUnavailable {
		c.found("the person", fmt.Sprintf("status %d", a.StatusCode), 0, req.String(), string(a.data))
	}
	if a.StatusCode < 300 && v != nil {
		_ = json.Unmarshal(a.data, v) // an answer of another kind is empty
	}
}
