package task

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

func ids(tasks []Task) []string {
	out := []string{}
	for _, t := range tasks {
		out = append(out, t.ID)
	}
	return out
}

func newTask(t testing.TB, title string) Task {
	t.Helper()
	id, err := NewID()
	if err != nil {
		t.Fatal(err)
	}
	return Task{V: 1, ID: id, Kind: KindAI, Title: title, State: StateQueued, Folders: []Folder{}, Place: Place{Runtime: "vm"}}
}

// A task is found by any of its words, however they are written.
func TestFind(t *testing.T) {
	s := openStore(t, t.TempDir())
	one := newTask(t, "Rechnungen für Ärzte")
	one.Asked = &Asked{Prompt: "Sort them\nby Größe"}
	one.Folders = []Folder{{ID: "f1", Path: "/x/Büro", Name: "Bu\u0308ro"}} // decomposed, as macOS has it
	one.Results = []Result{{Path: "Übersicht/ﬁnal.csv"}}
	two := newTask(t, "Invoices")
	two.Kind, two.Argv = KindExec, []string{"grep", "-r", "Ärzte"}
	for _, one := range []Task{one, two} {
		if err := s.Create(one); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string][]string{
		"":                 {two.ID, one.ID},
		"  ":               {two.ID, one.ID},
		"arzte":            {two.ID, one.ID},
		"ÄRZTE":            {two.ID, one.ID},
		"rechnung groesse": {},
		"rechnung GROSSE":  {one.ID},
		"büro":             {one.ID},
		"bu\u0308ro":       {one.ID},
		"ubersicht final":  {one.ID},
		"invoices":         {two.ID},
		"/x":               {}, // where a folder is, is not its name
		"\xff":             {},
	} {
		got, _, err := s.Find(Filter{Text: text})
		if err != nil || !slices.Equal(ids(got), want) {
			t.Errorf("%q: %v, %v, want %v", text, ids(got), err, want)
		}
	}
	got, _, err := s.Find(Filter{Text: "arzte", Kinds: []Kind{KindExec}, States: []State{StateQueued}})
	if err != nil || !slices.Equal(ids(got), []string{two.ID}) {
		t.Errorf("%v, %v", got, err)
	}
}

// What is found is what the records say, whoever changed them: the index is made of
// them again.
func TestIndexFollowsTheRecords(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []Task
	for i := range 4 {
		all = append(all, newTask(t, fmt.Sprintf("first %d", i)))
		if err := s.Create(all[i]); err != nil {
			t.Fatal(err)
		}
	}
	find := func(text string) []string {
		t.Helper()
		got, _, err := s.Find(Filter{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return ids(got)
	}
	if got := find("first"); len(got) != 4 {
		t.Fatalf("%v", got)
	}
	for range 20 { // also within one tick of the clock, and without a change of length
		for _, title := range []string{"other 0", "first 0"} {
			if _, err := s.Update(all[0].ID, func(t *Task) error { t.Title = title; return nil }); err != nil {
				t.Fatal(err)
			}
			if got := find(title); !slices.Equal(got, []string{all[0].ID}) {
				t.Fatalf("%s: %v", title, got)
			}
		}
	}
	record := filepath.Join(dir, all[1].ID, "task.json")
	data, err := os.ReadFile(record)
	if err == nil { // another program, e.g. one that brings a copy back
		err = os.WriteFile(record, []byte(string(data[:len(data)-2])+`,"argv":["brought back"]}`), 0o600)
	}
	if err = errors.Join(err, os.RemoveAll(filepath.Join(dir, all[2].ID)), os.WriteFile(filepath.Join(dir, all[3].ID, "task.json"), []byte("{"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if got := find("brought"); !slices.Equal(got, []string{all[1].ID}) {
		t.Errorf("brought back: %v", got)
	}
	list, damaged, err := s.List()
	if err != nil || !slices.Equal(ids(list), []string{all[1].ID, all[0].ID}) || len(damaged) != 1 || damaged[0].ID != all[3].ID {
		t.Errorf("%v, %v, %v", ids(list), damaged, err)
	}
	if err := s.Delete(all[1].ID); err != nil || len(find("brought")) != 0 {
		t.Errorf("deleted: %v", err)
	}
}

// Looking while records change never shows one that is older than what was written
// before.
func TestFindWhileRecordsChange(t *testing.T) {
	s := openStore(t, t.TempDir())
	one := newTask(t, "0")
	if err := s.Create(one); err != nil {
		t.Fatal(err)
	}
	var looking sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		looking.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, _, err := s.List(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 50 {
		title := fmt.Sprint(i)
		if _, err := s.Update(one.ID, func(t *Task) error { t.Title = title; return nil }); err != nil {
			t.Fatal(err)
		}
		if list, _, err := s.List(); err != nil || list[0].Title != title {
			t.Fatalf("after %s: %+v, %v", title, list, err)
		}
	}
	close(stop)
	looking.Wait()
}

// BenchmarkFind is a search over 5,000 tasks: "warm" when they were listed before,
// "rebuilt" when the index has to be made.
func BenchmarkFind(b *testing.B) {
	dir := b.TempDir()
	s, err := OpenStore(dir)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 5000 {
		one := newTask(b, fmt.Sprintf("Übersicht der Rechnungen %d", i))
		one.Asked = &Asked{Prompt: "Put the invoices of the year into folders, one for each month, and write a list of all of them."}
		one.Folders = []Folder{{ID: "f1", Path: "/home/me/Rechnungen", Name: "Rechnungen", Mode: ModeReadWrite}}
		for n := range 20 {
			one.Results = append(one.Results, Result{Folder: "f1", Path: fmt.Sprintf("2025/Rechnung %d-%d.pdf", i, n), Size: 1000, SHA256: fmt.Sprintf("%064d", n)})
		}
		if err := s.Create(one); err != nil {
			b.Fatal(err)
		}
	}
	search := func(b *testing.B, s *Store) {
		got, _, err := s.Find(Filter{Text: "ubersicht 4321"})
		if err != nil || len(got) != 1 {
			b.Fatalf("%v, %v", got, err)
		}
	}
	b.Run("warm", func(b *testing.B) {
		search(b, s)
		for b.Loop() {
			search(b, s)
		}
	})
	b.Run("rebuilt", func(b *testing.B) {
		for b.Loop() {
			again, err := OpenStore(dir)
			if err != nil {
				b.Fatal(err)
			}
			search(b, again)
		}
	})
}

// A folder is meant with those that lie in it; times are from, and before.
func TestFilterMeans(t *testing.T) {
	made := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	record := Task{Kind: KindChore, State: StateDone, Created: made, Folders: []Folder{{Path: filepath.Join(dir, "Trip")}}}
	for name, tt := range map[string]struct {
		filter Filter
		want   bool
	}{
		"all":               {Filter{}, true},
		"the folder":        {Filter{Folder: filepath.Join(dir, "Trip")}, true},
		"the one above":     {Filter{Folder: dir}, true},
		"one below":         {Filter{Folder: filepath.Join(dir, "Trip", "Rome")}, false},
		"a similar one":     {Filter{Folder: filepath.Join(dir, "Tri")}, false},
		"from then":         {Filter{Since: made}, true},
		"later":             {Filter{Since: made.Add(1)}, false},
		"before then":       {Filter{Before: made}, false},
		"before later":      {Filter{Before: made.Add(1)}, true},
		"another state too": {Filter{States: []State{StateFailed}, Folder: dir}, false},
	} {
		if got := tt.filter.Means(record); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
