package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/app/agent"
)

func recording(name string, run int) string {
	return filepath.Join("testdata", "recordings", fmt.Sprintf("%s.%d.jsonl", name, run))
}

// normaliser makes what differs from run to run plain, the same value always the
// same way.
type normaliser struct {
	plain *strings.Replacer
	seen  map[string]string
}

func newNormaliser(root, url string) *normaliser {
	return &normaliser{seen: map[string]string{}, plain: strings.NewReplacer(root, "/t", url, "http://127.0.0.1:1")}
}

var (
	anyID      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	stamp      = regexp.MustCompile(`"timestamp":\d{13}`)
	isoTime    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z`)
	entryID    = regexp.MustCompile(`"(id|parentId|targetId|leafId|firstKeptEntryId)":"[0-9a-f]{8}"`)
	duration   = regexp.MustCompile(`"(durationMs|wall_time_seconds|firstTokenMs)":[\d.]+`)
	logFile    = regexp.MustCompile(`/[^"\s]*/pi-bash-[0-9a-f]+\.log`)
	longString = regexp.MustCompile(`"(preamble|description|promptSnippet)":"(\\.|[^"\\])*"`)
)

func (n *normaliser) lines(lines [][]byte) [][]byte {
	var out [][]byte
	for _, l := range lines {
		s := n.plain.Replace(string(l))
		s = n.number(anyID, s, func(i int, _ string) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) })
		s = n.number(stamp, s, func(i int, _ string) string { return `"timestamp":` + strconv.Itoa(1700000000000+i) })
		s = isoTime.ReplaceAllString(s, "2026-01-01T00:00:00.000Z")
		s = entryID.ReplaceAllStringFunc(s, func(m string) string {
			name, id, _ := strings.Cut(m, ":")
			return name + ":" + n.name("e"+id, func(i int) string { return fmt.Sprintf(`"e%07d"`, i) })
		})
		s = logFile.ReplaceAllString(s, "/tmp/pi-bash-0.log")
		s = duration.ReplaceAllString(s, `"$1":7`)
		s = longString.ReplaceAllString(s, `"$1":"…"`)
		out = append(out, []byte(s))
	}
	return out
}

func (n *normaliser) number(re *regexp.Regexp, s string, make func(i int, m string) string) string {
	return re.ReplaceAllStringFunc(s, func(m string) string {
		return n.name(m, func(i int) string { return make(i, m) })
	})
}

func (n *normaliser) name(key string, make func(i int) string) string {
	if _, ok := n.seen[key]; !ok {
		n.seen[key] = make(len(n.seen) + 1)
	}
	return n.seen[key]
}

// recordings returns the recorded runs by scenario.
func recordings(t *testing.T) map[string][][][]byte {
	t.Helper()
	out := map[string][][][]byte{}
	for _, sc := range scenarios() {
		for run := 1; ; run++ {
			data, err := os.ReadFile(recording(sc.name, run))
			if err != nil {
				break
			}
			out[sc.name] = append(out[sc.name], bytes.Split(bytes.TrimSpace(data), []byte("\n")))
		}
		if len(out[sc.name]) == 0 {
			t.Errorf("no recording of %s: see the package comment", sc.name)
		}
	}
	return out
}

// entriesOf replays the runs of a session as a Session does it.
func entriesOf(t *testing.T, runs [][][]byte) []agent.Entry {
	t.Helper()
	var out []agent.Entry
	known := agent.Presences{}
	for _, lines := range runs {
		tl := agent.NewTimeline(known.Of)
		now := time.UnixMilli(1700000000000)
		var raw int64
		for _, l := range lines {
			raw++
			now = now.Add(10 * time.Millisecond)
			out = append(out, tl.Line(l, raw, now)...)
			var r struct {
				Command string `json:"command"`
				Data    struct {
					Entries []json.RawMessage `json:"entries"`
				} `json:"data"`
			}
			if json.Unmarshal(l, &r) == nil && r.Command == "get_entries" {
				out = append(out, tl.Replay(r.Data.Entries)...)
			}
		}
		for _, e := range out {
			if e.Stored {
				known.Add(e.Data)
			}
		}
	}
	return out
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	file = filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			w := ""
			if i < len(b) {
				w = b[i]
			}
			t.Fatalf("%s differs at line %d:\n got %s\nwant %s", file, i+1, a[i], w)
		}
	}
	t.Fatalf("%s has %d lines more", file, len(b)-len(a))
}

func TestReplay(t *testing.T) {
	for name, runs := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			for _, e := range entriesOf(t, runs) {
				if err := enc.Encode(map[string]any{"kind": e.Kind, "data": e.Data, "stored": e.Stored}); err != nil {
					t.Fatal(err)
				}
			}
			golden(t, filepath.Join("golden", name+".jsonl"), b.Bytes())
		})
	}
}

// A program that saw only a part of what was said asks pi for its session when
// it starts again. Whatever that part was, every message and tool is in the
// timeline once, and tools are over.
func TestReplayAfterEveryLine(t *testing.T) {
	for name, runs := range recordings(t) {
		if len(runs) < 2 {
			continue
		}
		for n := range runs[0] {
			entries := entriesOf(t, [][][]byte{runs[0][:n], runs[1]})
			ended := map[string]int{}
			messages := map[string]int{}
			for _, e := range entries {
				p := agent.Presences{}
				p.Add(e.Data)
				for id, presence := range p {
					if strings.Contains(id, ".") {
						if presence == agent.Whole {
							ended[id]++
						} else {
							ended[id] += 0
						}
					} else {
						messages[id]++
					}
				}
			}
			for id, times := range ended {
				if times != 1 {
					t.Errorf("%s, killed after line %d: tool %s ended %d times", name, n, id, times)
				}
			}
			for id, times := range messages {
				if times != 1 {
					t.Errorf("%s, killed after line %d: message %s came %d times", name, n, id, times)
				}
			}
		}
	}
}

// shapes are the members that events have: "event path type".
type shapes map[string]bool

// Members whose content is not pi's to fix, or depends on the moment.
var openMembers = []string{"args", "arguments", "parameters", "sections", "model", "cost", "compat"}

func (s shapes) add(line []byte) {
	var v map[string]any
	if json.Unmarshal(line, &v) != nil {
		s["unreadable"] = true
		return
	}
	kind, _ := v["type"].(string)
	for _, sub := range []string{"command", "method"} {
		if name, ok := v[sub].(string); ok {
			kind += "/" + name
		}
	}
	if kind == "message_update" { // usage is as old as the moment
		delete(v, "usage")
	}
	s[kind] = true
	for k, m := range v {
		s.walk(kind, k, m)
	}
}

func (s shapes) walk(kind, path string, v any) {
	name := path[strings.LastIndexByte(path, '.')+1:]
	switch v := v.(type) {
	case map[string]any:
		for _, label := range []string{"role", "type"} {
			if l, ok := v[label].(string); ok {
				path += "(" + l + ")"
				break
			}
		}
		s[kind+" "+path+" object"] = true
		if slices.Contains(openMembers, name) {
			return
		}
		for k, m := range v {
			s.walk(kind, path+"."+k, m)
		}
	case []any:
		s[kind+" "+path+" array"] = true
		for _, m := range v {
			s.walk(kind, path+"[]", m)
		}
	case string:
		s[kind+" "+path+" string"] = true
	case float64:
		s[kind+" "+path+" number"] = true
	case bool:
		s[kind+" "+path+" boolean"] = true
	default:
		s[kind+" "+path+" null"] = true
	}
}

func (s shapes) sorted() []string {
	out := make([]string, 0, len(s))
	for l := range s {
		out = append(out, l)
	}
	slices.Sort(out)
	return out
}

// compare says what is new, and when all was run what is gone.
func (s shapes) compare(t *testing.T, want shapes, all bool) {
	t.Helper()
	for _, l := range s.sorted() {
		if !want[l] {
			t.Errorf("pi says something new: %s", l)
		}
	}
	for _, l := range want.sorted() {
		if all && !s[l] {
			t.Errorf("pi no longer says: %s", l)
		}
	}
}

func recordedShapes(t *testing.T) shapes {
	t.Helper()
	s := shapes{}
	for _, runs := range recordings(t) {
		for _, lines := range runs {
			for _, l := range lines {
				s.add(l)
			}
		}
	}
	return s
}

// TestShapes holds the recordings to the list of everything that was ever seen,
// so that a change of pi is a change of a file that is read.
func TestShapes(t *testing.T) {
	golden(t, "shapes.txt", []byte(strings.Join(recordedShapes(t).sorted(), "\n")+"\n"))
}

func readRecording(name string, run int) ([]byte, error) { return os.ReadFile(recording(name, run)) }
