package policy

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// at has an Engine see a time.
func (e *Engine) at(now time.Time) { e.o.Now = func() time.Time { return now } }

// accepting has a proposal for a request accepted.
func accepting(t *testing.T, e *Engine, r Request, h Hold) Proposal {
	t.Helper()
	p, ok := e.Propose(e.Decide(r), r, false)
	if !ok {
		t.Fatalf("no proposal: %+v", e.Decide(r))
	}
	if err := e.Accept(p, h, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

func text(t *testing.T, e *Engine) string {
	t.Helper()
	s, err := e.Text()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func only(t *testing.T, e *Engine, want int) []RuleException {
	t.Helper()
	list := e.Exceptions(nil)
	if len(list) != want {
		t.Fatalf("%d exceptions, want %d: %+v", len(list), want, list)
	}
	return list
}

// Whatever was refused: its exception is known again as piwork wrote it, for each term, and
// taken back the file is what it was, byte for byte.
func TestExceptionsAreTakenBack(t *testing.T) {
	dir := root(t)
	for i, form := range []string{refusing, "// mine\n" + refusing + "\n// end", "\xef\xbb\xbf" + refusing, strings.ReplaceAll(refusing, "\n", "\r\n"), strings.ReplaceAll(refusing, ";\n", "\n;\n")} {
		before := strings.ReplaceAll(form, "{root}", dir)
		for name, r := range refused(dir) {
			for _, h := range Holds() {
				if i > 0 && h != HoldDay {
					continue
				}
				e := engine(t, "", before)
				now := time.Date(2026, 3, 4, 12, 0, 0, 5, time.UTC)
				e.at(now)
				p := accepting(t, e, r, h)
				if d := e.Decide(r); d.Effect != p.Then {
					t.Fatalf("%s, %s: %+v", name, h, d)
				}
				x := only(t, e, 1)[0]
				if x.Edited || x.Ended || x.Rule != p.Rule || (x.Task != "") != (h == HoldTask) || (x.Until == nil) != (spans[h] == 0) || x.Until != nil && !x.Until.Equal(now.Truncate(time.Second).Add(spans[h])) {
					t.Errorf("%s, %s: %+v", name, h, x)
				}
				if s, ok := x.Sentence(); !ok || slices.ContainsFunc(s.When, func(c Clause) bool { return c.Name == "now" }) {
					t.Errorf("%s, %s is said as %+v", name, h, s)
				}
				if err := e.TakeBack(x.ID, nil); err != nil {
					t.Fatalf("%s, %s: %v", name, h, err)
				}
				if now := text(t, e); now != before {
					t.Errorf("%s, %s: the file is %q", name, h, now)
				}
				if e.Decide(r).Effect != Deny {
					t.Errorf("%s, %s: it holds although it was taken back", name, h)
				}
			}
		}
	}
}

// An exception holds for what the person chose and no longer, by the clock alone; the next one
// that is written removes it.
func TestExceptionsEnd(t *testing.T) {
	const before = `@id("k") forbid (principal, action == Action::"useKey", resource);` + "\n" + `@id("c") forbid (principal, action == Action::"connect", resource);`
	r := ai(UseKey, func(r *Request) { r.Key = "openai" })
	other := r
	other.Task = "t2"
	host := ai(Connect, func(r *Request) { r.Host = "a.example" })
	begin := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for h, c := range map[Hold]struct {
		good, bad []time.Duration
		other     Effect
	}{
		HoldTask:   {[]time.Duration{0, 1000 * time.Hour}, nil, Deny},
		HoldHour:   {[]time.Duration{0, time.Hour - time.Millisecond}, []time.Duration{time.Hour, 25 * time.Hour, -time.Second, -1000 * time.Hour}, Allow},
		HoldDay:    {[]time.Duration{2 * time.Hour}, []time.Duration{24 * time.Hour, -time.Second}, Allow},
		HoldWeek:   {[]time.Duration{6 * 24 * time.Hour}, []time.Duration{7 * 24 * time.Hour, -time.Second}, Allow},
		HoldAlways: {[]time.Duration{0, 100000 * time.Hour, -time.Hour}, nil, Allow},
	} {
		e := engine(t, "", before)
		e.at(begin)
		accepting(t, e, r, h)
		if d := e.Decide(other); d.Effect != c.other {
			t.Errorf("%s, another task: %+v", h, d)
		}
		for want, all := range map[Effect][]time.Duration{Allow: c.good, Deny: c.bad} {
			for _, after := range all { // the clock goes on, or is set back
				if e.at(begin.Add(after)); e.Decide(r).Effect != want {
					t.Errorf("%s, after %s: %+v", h, after, e.Decide(r))
				}
			}
		}
		e.at(begin.Add(8 * 24 * time.Hour))
		if x := only(t, e, 1)[0]; x.Ended != (len(c.bad) > 0) {
			t.Errorf("%s: %+v", h, x)
		}
		accepting(t, e, host, HoldAlways)
		if now := text(t, e); strings.Contains(now, "openai") == (len(c.bad) > 0) || strings.Contains(now, "datetime") {
			t.Errorf("%s: %s", h, now)
		}
		if d := e.Decide(r); len(c.bad) > 0 && d.Effect != Deny {
			t.Errorf("%s: %+v", h, d)
		}
	}
	// One of a task that there is no more goes as well, and it alone.
	e := engine(t, "", before)
	accepting(t, e, r, HoldTask)
	accepting(t, e, host, HoldTask)
	gone := func(x RuleException) bool { return strings.Contains(x.Cedar, "openai") }
	if all := e.Exceptions(gone); len(all) != 2 || !all[0].Ended || all[1].Ended {
		t.Errorf("%+v", all)
	}
	if err := e.TakeBack(e.Exceptions(nil)[1].ID, gone); err != nil || text(t, e) != before {
		t.Errorf("%v, %q", err, text(t, e))
	}
	// What has ended does not count among those that a person reads, and is proposed again.
	e = engine(t, "", before)
	e.at(begin)
	for range maxExceptions + 5 {
		accepting(t, e, r, HoldHour)
		e.at(e.o.Now().Add(2 * time.Hour))
	}
	only(t, e, 1)
}

// What an AI, a stale page or a hand could do to exceptions.
func TestAttacksOnExceptions(t *testing.T) {
	const rule = `@id("c") forbid (principal, action == Action::"connect", resource);`
	begin := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	host := func(h string) Request { return ai(Connect, func(r *Request) { r.Host = h }) }
	written := func(t *testing.T, e *Engine, now string) {
		t.Helper()
		if err := os.WriteFile(e.path(1), []byte(now), 0o600); err != nil {
			t.Fatal(err)
		}
		e.Fresh()
	}
	t.Run("a proposal chooses its own end", func(t *testing.T) {
		e := engine(t, "", rule)
		e.at(begin)
		p, _ := e.Propose(e.Decide(host("a.example")), host("a.example"), false)
		for name, change := range map[string]func(*Proposal){
			"none in its text": func(p *Proposal) { p.Careful = HoldAlways },
			"a later one": func(p *Proposal) {
				p.Cedar = strings.Replace(p.Cedar, " };", ` && context.now < datetime("2099-01-01T00:00:00Z") };`, 1)
			},
			"something else":      func(p *Proposal) { p.Cedar = strings.Replace(p.Cedar, "a.example", "b.example", 1) },
			"a second exception":  func(p *Proposal) { p.Cedar = strings.Replace(p.Cedar, ";", " unless { true };", 1) },
			"a time of a request": func(p *Proposal) { at := begin.Add(-time.Hour); p.About.Time = &at },
		} {
			e := engine(t, "", rule)
			e.at(begin)
			evil := p
			change(&evil)
			_ = e.Accept(evil, HoldHour, nil)
			e.at(begin.Add(time.Hour))
			if got := e.Decide(host("a.example")); got.Effect != Deny || e.Decide(host("b.example")).Effect != Deny {
				t.Errorf("%s: %+v, %s", name, got, text(t, e))
			}
		}
		for _, h := range []Hold{"", "never", "year", "always\n", HoldTask} {
			p := p
			p.Task = ""
			if err := e.Accept(p, h, nil); err == nil || text(t, e) != rule {
				t.Errorf("%q was accepted", h)
			}
		}
		// A name with the end of a condition in it is a name.
		evil := ai(Run, func(r *Request) {
			r.Program, r.RunKind, r.Risk = `x" && context.now < datetime("2099-01-01T00:00:00Z") } unless { true };//`, Server, "high"
		})
		e = engine(t, "", `@id("r") forbid (principal, action == Action::"run", resource);`)
		e.at(begin)
		accepting(t, e, evil, HoldHour)
		if x := only(t, e, 1)[0]; x.Edited || !x.Until.Equal(begin.Add(time.Hour)) {
			t.Errorf("%+v", x)
		}
		if e.at(begin.Add(time.Hour)); e.Decide(evil).Effect != Deny || e.TakeBack(e.Exceptions(nil)[0].ID, nil) != nil || text(t, e) != `@id("r") forbid (principal, action == Action::"run", resource);` {
			t.Errorf("%+v, %s", e.Decide(evil), text(t, e))
		}
	})
	t.Run("a hand changes the file", func(t *testing.T) {
		for name, c := range map[string]struct {
			change func(string) string
			goes   bool // the exception can still be taken back
			listed int
		}{
			"a comment": {func(s string) string { return "// mine\n" + s + "\n// more" }, true, 1},
			"a condition more": {func(s string) string {
				return strings.Replace(s, " unless", ` when { context.risk != "none" } unless`, 1)
			}, true, 1},
			"another scope": {func(s string) string { return strings.Replace(s, "resource)", `resource in Host::"example")`, 1) }, true, 1},
			"a rule more":   {func(s string) string { return s + "\nforbid (principal, action == Action::\"useKey\", resource);\n" }, true, 1},
			"an exception more": {func(s string) string {
				return strings.Replace(s, " unless", ` unless { resource.port == 80 } unless`, 1)
			}, true, 1},
			"a longer end":            {func(s string) string { return strings.Replace(s, "T13:00:00Z", "T23:00:00Z", 1) }, false, 1},
			"another host":            {func(s string) string { return strings.Replace(s, `"a.example"`, `"b.example"`, 1) }, false, 1},
			"spaces":                  {func(s string) string { return strings.Replace(s, "unless {", "unless  {", 1) }, false, 1},
			"a comment inside":        {func(s string) string { return strings.Replace(s, "unless {", "unless { // why\n", 1) }, false, 1},
			"more than it was":        {func(s string) string { return strings.Replace(s, " };", ` || resource.port == 80 };`, 1) }, false, 0},
			"the rule has a new name": {func(s string) string { return strings.Replace(s, `@id("c")`, `@id("d")`, 1) }, false, 1},
			"gone":                    {func(string) string { return rule }, false, 0},
			"a fault":                 {func(s string) string { return s + "\nforbid" }, false, 0},
			"in a comment":            {func(s string) string { return "/* " + s + " */\n" + rule }, false, 0},
			"in a note":               {func(s string) string { return `@note("` + strings.ReplaceAll(s, `"`, `\"`) + `") ` + rule }, false, 0},
		} {
			e := engine(t, "", rule)
			e.at(begin)
			accepting(t, e, host("a.example"), HoldHour)
			id := only(t, e, 1)[0].ID
			before := text(t, e)
			exception := strings.TrimSuffix(strings.TrimPrefix(before, strings.TrimSuffix(rule, ";")), ";")
			now := c.change(before)
			if now == before {
				t.Fatalf("%s: nothing is changed", name)
			}
			written(t, e, now)
			if n := len(e.Exceptions(nil)); n != c.listed {
				t.Errorf("%s: %d exceptions", name, n)
			}
			err := e.TakeBack(id, nil)
			switch {
			case c.goes && (err != nil || text(t, e) != strings.Replace(now, exception, "", 1)):
				t.Errorf("%s: %v, %s", name, err, text(t, e))
			case !c.goes && (!errors.Is(err, ErrNoException) || text(t, e) != now):
				t.Errorf("%s: %v, %s", name, err, text(t, e))
			}
		}
	})
	t.Run("the clock is set back", func(t *testing.T) {
		for _, h := range []Hold{HoldHour, HoldDay, HoldWeek} {
			e := engine(t, "", rule)
			e.at(begin)
			accepting(t, e, host("a.example"), h)
			accepting(t, e, host("b.example"), HoldAlways)
			before := text(t, e)
			e.at(begin.Add(spans[h] - time.Second))
			if gone, err := e.Expire(nil); err != nil || len(gone) > 0 || text(t, e) != before {
				t.Fatalf("%s: %v %v", h, gone, err)
			}
			e.at(begin.Add(spans[h]))
			gone, err := e.Expire(nil)
			if err != nil || len(gone) != 1 || !strings.Contains(gone[0].Cedar, "a.example") {
				t.Fatalf("%s: %+v %v", h, gone, err)
			}
			e.at(begin.Add(time.Minute))
			if d := e.Decide(host("a.example")); d.Effect != Deny {
				t.Errorf("%s: %+v", h, d)
			}
			if d := e.Decide(host("b.example")); d.Effect == Deny || strings.Contains(text(t, e), "datetime") {
				t.Errorf("%s: %+v, %s", h, d, text(t, e))
			}
		}
	})
	t.Run("somebody writes while one ends", func(t *testing.T) {
		e := engine(t, "", rule)
		e.at(begin)
		accepting(t, e, host("a.example"), HoldHour)
		mine, looked := text(t, e)+"\n// mine\n", 0
		over := func(RuleException) bool {
			if looked++; looked == 2 { // after it was read
				written(t, e, mine)
			}
			return true
		}
		if gone, err := e.Expire(over); !errors.Is(err, ErrChanged) || len(gone) > 0 || text(t, e) != mine {
			t.Errorf("%v %v, %s", gone, err, text(t, e))
		}
		if gone, err := e.Expire(over); err != nil || len(gone) != 1 || text(t, e) != rule+"\n// mine\n" {
			t.Errorf("%v %v, %s", gone, err, text(t, e))
		}
	})
	t.Run("what a hand wrote does not end", func(t *testing.T) {
		mine := strings.Replace(rule, ";", ` unless { principal in Agent::"pi" && action == Action::"connect" && resource == Host::"b.example" && context.now < datetime("2020-01-01T00:00:00Z") };`, 1)
		e := engine(t, "", mine)
		x := only(t, e, 1)[0]
		if !x.Edited || !x.Ended || !errors.Is(e.TakeBack(x.ID, nil), ErrNoException) {
			t.Errorf("%+v", x)
		}
		if gone, err := e.Expire(nil); err != nil || len(gone) > 0 || text(t, e) != mine {
			t.Errorf("%+v %v", gone, err)
		}
		accepting(t, e, host("a.example"), HoldHour)
		if !strings.HasPrefix(text(t, e), strings.TrimSuffix(mine, ";")) {
			t.Errorf("%s", text(t, e))
		}
	})
	t.Run("several at once", func(t *testing.T) {
		e := engine(t, "", rule)
		var hosts []string
		for _, h := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			hosts = append(hosts, h+".example")
			accepting(t, e, host(h+".example"), HoldAlways)
		}
		var all sync.WaitGroup
		for _, x := range only(t, e, len(hosts)) {
			all.Go(func() {
				for {
					if err := e.TakeBack(x.ID, nil); !errors.Is(err, ErrChanged) {
						if err != nil {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		all.Wait()
		if now := text(t, e); now != rule {
			t.Errorf("%s", now)
		}
		if err := e.TakeBack("aa", nil); !errors.Is(err, ErrNoException) {
			t.Error(err)
		}
	})
	t.Run("an administrator's file", func(t *testing.T) {
		e := engine(t, "", rule)
		e.at(begin)
		accepting(t, e, host("a.example"), HoldHour)
		theirs, id := text(t, e), e.Exceptions(nil)[0].ID
		e = engine(t, theirs, rule)
		e.at(begin.Add(2 * time.Hour))
		only(t, e, 0)
		if err := e.TakeBack(id, nil); !errors.Is(err, ErrNoException) {
			t.Error(err)
		}
		if _, ok := e.Propose(e.Decide(host("a.example")), host("a.example"), false); ok {
			t.Error("a proposal for what an administrator refuses")
		}
		if now, err := os.ReadFile(e.path(0)); err != nil || string(now) != theirs {
			t.Errorf("%v, the file of the administrator is %q", err, now)
		}
	})
	t.Run("the file was replaced by a link to another", func(t *testing.T) {
		e := engine(t, "", rule)
		accepting(t, e, host("a.example"), HoldAlways)
		now, id, other := text(t, e), e.Exceptions(nil)[0].ID, e.path(1)+".other"
		if err := errors.Join(os.Rename(e.path(1), other), os.Symlink(other, e.path(1))); err != nil {
			t.Fatal(err)
		}
		_ = e.TakeBack(id, nil)
		if kept, err := os.ReadFile(other); err != nil || string(kept) != now && string(kept) != rule {
			t.Errorf("%v, %s", err, kept)
		}
	})
}

// A rule about hosts that names the time in any way has connections asked about again.
func TestTimed(t *testing.T) {
	for when, want := range map[string]bool{
		`context.now >= datetime("2026-06-01")`: true, "context.hour >= 18": true, `context.weekday == "sun"`: true, `context.risk == "high"`: false,
	} {
		dir := t.TempDir()
		rule := `forbid (principal, action == Action::"connect", resource) when { ` + when + ` };`
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(rule), 0o600); err != nil {
			t.Fatal(err)
		}
		e := Open(Options{Dir: dir, Managed: filepath.Join(dir, "none")})
		if f := e.Rules().Fault(); f != nil || e.Rules().Timed() != want {
			t.Errorf("%s: %v %+v", when, e.Rules().Timed(), f)
		}
	}
}
