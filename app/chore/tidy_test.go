package chore_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/chore"
	"piwork/app/problem"
	"piwork/vmhost/wire"
)

// tidyBench is the environment of any chore over one folder.
func tidyBench(t *testing.T, name, dir string, params map[string]any) (chore.Chore, *bench) {
	t.Helper()
	b := newBench(t, dir, nil)
	ch, ok := chore.Find(name)
	if !ok {
		t.Fatalf("there is no chore %s", name)
	}
	complete, err := chore.Complete(ch.Info(), params)
	if err != nil {
		t.Fatal(err)
	}
	b.env.Params = complete
	return ch, b
}

// put makes files with a content and a time; a name that ends with "/" is an
// empty directory.
func put(t *testing.T, dir string, when time.Time, files map[string]string) {
	t.Helper()
	for name, content := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(p, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(p, when, when); err != nil {
			t.Fatal(err)
		}
	}
}

// tree lists all files with what is in them, and directories.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		switch {
		case err != nil || rel == ".":
			return err
		case d.IsDir():
			out[filepath.ToSlash(rel)+"/"] = ""
			return nil
		}
		data, err := os.ReadFile(p)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var june = time.Date(2026, 6, 5, 12, 0, 0, 123456789, time.UTC)

// longName makes the longest name there is, with a suffix of three letters.
var longName = strings.Repeat("é", 125) + "x"

// What each chore makes of a folder: old path, new path.
func TestTidyingChores(t *testing.T) {
	for _, c := range []struct {
		name   string
		params map[string]any
		before map[string]string
		after  map[string]string
		left   int // files that cannot have their new name
	}{
		{"cleanup-downloads", nil,
			map[string]string{"a.jpg": "1", "b.pdf": "2", "setup.exe": "3", "old.zip": "4", "x.crdownload": "5", "empty/": "", "full/keep.txt": "6", "noext": "7", ".hidden": "8"},
			map[string]string{"Pictures/": "", "Pictures/2026-06/": "", "Pictures/2026-06/a.jpg": "1", "Documents/": "", "Documents/2026-06/": "", "Documents/2026-06/b.pdf": "2",
				"Old installers/": "", "Old installers/setup.exe": "3", "Old archives/": "", "Old archives/old.zip": "4", "x.crdownload": "5",
				"full/": "", "full/keep.txt": "6", "Other/": "", "Other/2026-06/": "", "Other/2026-06/noext": "7", ".hidden": "8"}, 0},
		{"cleanup-downloads", map[string]any{"months": false, "empty": false, "language": "de"},
			map[string]string{"a.jpg": "1", "leer/": "", "Bilder/a.jpg": "was there"},
			map[string]string{"Bilder/": "", "Bilder/a (2).jpg": "1", "Bilder/a.jpg": "was there", "leer/": ""}, 0},
		{"rename-files", map[string]any{"pattern": "{date} {name}{ext}", "find": "IMG_", "with": "", "spaces": "underscore"},
			map[string]string{"IMG_1.jpg": "1", "IMG_2.jpg": "2"},
			map[string]string{"2026-06-05_1.jpg": "1", "2026-06-05_2.jpg": "2"}, 0},
		{"rename-files", map[string]any{"pattern": "{n}{ext}", "start": 9},
			map[string]string{"a.txt": "a", "b.txt": "b", "in/c.txt": "c"},
			map[string]string{"09.txt": "a", "10.txt": "b", "in/": "", "in/c.txt": "c"}, 0},
		{"rename-files", map[string]any{"pattern": "Page {n}{ext}"},
			map[string]string{"Scan 1.txt": "a", "Scan 10.txt": "c", "Scan 2.txt": "b"},
			map[string]string{"Page 1.txt": "a", "Page 2.txt": "b", "Page 3.txt": "c"}, 0},
		{"rename-files", map[string]any{"pattern": "Trip {n}"}, // which says nothing of what is behind the dot
			map[string]string{"a.jpg": "a", "b.tar.gz": "b", "c": "c"},
			map[string]string{"Trip 1.jpg": "a", "Trip 2.gz": "b", "Trip 3": "c"}, 0},
		{"rename-files", map[string]any{"pattern": "v1.2 {date}. {n}"},
			map[string]string{"a.jpg": "a"},
			map[string]string{"v1.2 2026-06-05. 1.jpg": "a"}, 0},
		{"rename-files", map[string]any{"pattern": "Trip {n}.jpeg"}, // which does
			map[string]string{"a.jpg": "a"},
			map[string]string{"Trip 1.jpeg": "a"}, 0},
		{"rename-files", map[string]any{"find": "x", "with": ""},
			map[string]string{"x.pdf": "1", "x2.pdf": "2"},
			map[string]string{"x.pdf": "1", "2.pdf": "2"}, 1},
		{"sort-photos", map[string]any{"recursive": true},
			map[string]string{"a/Straße.jpg": "1", "b/Strasse.jpg": "2", "a/\u00e9.jpg": "3", "b/e\u0301.jpg": "4"},
			map[string]string{"2026/": "", "2026/2026-06/": "", "2026/2026-06/Straße.jpg": "1", "2026/2026-06/Strasse (2).jpg": "2",
				"2026/2026-06/\u00e9.jpg": "3", "2026/2026-06/e\u0301 (2).jpg": "4", "a/": "", "b/": ""}, 0},
		{"cleanup-downloads", map[string]any{"months": false},
			map[string]string{longName + ".pdf": "1", "Documents/" + longName + ".pdf": "2"},
			map[string]string{"Documents/": "", "Documents/" + longName + ".pdf": "2", "Documents/" + longName[:246] + " (2).pdf": "1"}, 0},
		{"find-duplicates", nil,
			map[string]string{"one.txt": "same", "in/copy of one.txt": "same", "other.txt": "else", "empty1": "", "empty2": ""},
			map[string]string{"one.txt": "same", "Duplicates/": "", "Duplicates/in/": "", "Duplicates/in/copy of one.txt": "same", "in/": "", "other.txt": "else", "empty1": "", "empty2": ""}, 0},
		{"find-duplicates", map[string]any{"language": "de"},
			map[string]string{"Doppelte/one.txt": "same", "one.txt": "same", "two.txt": "same"},
			map[string]string{"Doppelte/": "", "Doppelte/one.txt": "same", "one.txt": "same", "Doppelte/two.txt": "same"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, june, c.before)
			ch, b := tidyBench(t, c.name, dir, c.params)
			before := tree(t, dir)
			plan, err := ch.Plan(t.Context(), b.env)
			if err != nil || len(plan.Operations) == 0 || len(plan.Skipped) != c.left {
				t.Fatalf("%+v, %v", plan, err)
			}
			if now := tree(t, dir); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Fatalf("planning changed the folder: %v", now)
			}
			if out, err := ch.Run(t.Context(), b.env, plan); err != nil || len(out.Problems) > 0 {
				t.Fatalf("%+v, %v", out, err)
			}
			if now := tree(t, dir); fmt.Sprint(now) != fmt.Sprint(c.after) {
				t.Errorf("there is\n%q, want\n%q", now, c.after)
			}
			if last := b.progress[len(b.progress)-1]; last.Done != last.Total || last.Total != int64(len(plan.Operations)) {
				t.Errorf("progress ends with %+v", last)
			}
			// What was done is not done again, and nothing is left to do.
			if out, err := ch.Run(t.Context(), b.env, plan); err != nil || len(out.Problems) > 0 {
				t.Errorf("again: %+v, %v", out, err)
			}
			if c.name != "rename-files" { // whose patterns go on for ever
				if plan, err := ch.Plan(t.Context(), b.env); err != nil || len(plan.Operations) > 0 {
					t.Errorf("then: %+v, %v", plan.Operations, err)
				}
			}
		})
	}
}

// To rename files nobody counts what is in the folders within.
func TestRenameLooksNoDeeper(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, map[string]string{"a.txt": "1", "in/b.txt": "2"})
	ch, b := tidyBench(t, "rename-files", dir, map[string]any{"pattern": "{n}{ext}"})
	list := b.env.Folders[0].List
	b.env.Folders[0].List = func(ctx context.Context, recursive bool) ([]chore.Entry, error) {
		if recursive {
			t.Error("the folders within are read")
		}
		return list(ctx, recursive)
	}
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil || len(plan.Operations) != 1 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if out, err := ch.Run(t.Context(), b.env, plan); err != nil || len(out.Problems) > 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

// spoils are what a person does to a file between the plan and its run.
var spoils = map[string]func(p string) error{
	"content": func(p string) error { return os.WriteFile(p, []byte("more of it"), 0o644) },
	"time":    func(p string) error { return os.Chtimes(p, june, june.Add(time.Nanosecond*100)) },
	"gone":    os.Remove,
}

// A file that changed since the plan, or is gone, is a conflict, and nothing is
// done.
func TestTidyingChanged(t *testing.T) {
	for name, spoil := range spoils {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, june, map[string]string{"a.jpg": "1", "b.jpg": "2"})
			ch, b := tidyBench(t, "cleanup-downloads", dir, nil)
			plan, err := ch.Plan(t.Context(), b.env)
			if err != nil {
				t.Fatal(err)
			}
			if err := spoil(filepath.Join(dir, "b.jpg")); err != nil {
				t.Fatal(err)
			}
			before := tree(t, dir)
			if _, err := ch.Run(t.Context(), b.env, plan); code(err) != problem.CodeChangedSince {
				t.Errorf("%v", err)
			}
			if now := tree(t, dir); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Errorf("something was done: %v", now)
			}
		})
	}
}

// A run that was interrupted is finished by another.
func TestTidyingResumes(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 1200 {
		files[fmt.Sprintf("file %04d.txt", i)] = fmt.Sprint(i)
	}
	put(t, dir, june, files)
	ch, b := tidyBench(t, "cleanup-downloads", dir, map[string]any{"months": false})
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil || len(plan.Operations) != 1200 {
		t.Fatalf("%d operations, %v", len(plan.Operations), err)
	}
	stop, asked := errors.New("power cut"), 0
	b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
		if asked++; asked == 2 {
			return nil, stop
		}
		return nil, nil
	}
	if _, err := ch.Run(t.Context(), b.env, plan); !errors.Is(err, stop) {
		t.Fatalf("%v", err)
	}
	if n := len(tree(t, filepath.Join(dir, "Documents"))); n == 0 || n == 1200 {
		t.Fatalf("%d were moved", n)
	}
	if out, err := ch.Run(t.Context(), b.env, plan); err != nil || len(out.Problems) > 0 {
		t.Fatalf("%d problems, %v", len(out.Problems), err)
	}
	if n := len(tree(t, filepath.Join(dir, "Documents"))); n != 1200 {
		t.Errorf("%d were moved", n)
	}
}

// What a guest proposes is not believed. A file whose new name cannot be one is left.
func TestTidyingLies(t *testing.T) {
	move := func(p, to string) map[string]any {
		return map[string]any{"path": "/folders/Fotos ä/" + p, "to": to, "size": 1, "mtime": "2026-06-05T12:00:00Z"}
	}
	in := func(rel string) string { return "/folders/Fotos ä/" + rel }
	for name, info := range map[string][]any{
		"not there":                  {move("nope.txt", in("x"))},
		"outside":                    {move("../secret", in("x"))},
		"absolute":                   {map[string]any{"path": "/etc/passwd", "to": in("x")}},
		"to outside":                 {move("a.txt", "/folders/Other/a.txt")},
		"to outside by dots":         {move("a.txt", in("../x"))},
		"to the folder":              {move("a.txt", "/folders/Fotos ä")},
		"left: to a hidden name":     {move("a.txt", in(".ssh/authorized_keys"))},
		"left: to a taken place":     {move("a.txt", in("b.txt"))},
		"left: to a case of it":      {move("a.txt", in("B.TXT"))},
		"left: two to one":           {move("a.txt", in("x")), move("b.txt", in("X"))},
		"twice":                      {move("a.txt", in("x")), move("a.txt", in("y"))},
		"removes a file":             {move("a.txt", "")},
		"removes the folder":         {map[string]any{"path": "/folders/Fotos ä", "to": ""}},
		"no path":                    {map[string]any{"to": in("x")}},
		"another shape":              {"a.txt"},
		"left: a path beyond bounds": {move("a.txt", in(strings.Repeat("x/", 3000)+"y"))},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, june, map[string]string{"a.txt": "1", "b.txt": "2"})
			ch, b := tidyBench(t, "cleanup-downloads", dir, nil)
			b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
				return &wire.ToolResult{ID: p.ID, Info: info}, nil
			}
			plan, err := ch.Plan(t.Context(), b.env)
			if left := strings.HasPrefix(name, "left: "); left != (err == nil && fmt.Sprint(problemCodes(plan.Skipped)) == "[output-name]") || len(plan.Operations) > len(info)-1 {
				t.Errorf("planned %+v, left %+v, %v", plan.Operations, plan.Skipped, err)
			}
		})
	}
	t.Run("no end", func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, june, map[string]string{"a.txt": "1"})
		ch, b := tidyBench(t, "cleanup-downloads", dir, nil)
		b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
			return &wire.ToolResult{ID: p.ID, Problems: []wire.ToolProblem{{Code: "more-results", Path: in("a.txt")}}}, nil
		}
		if _, err := ch.Plan(t.Context(), b.env); err == nil {
			t.Error("planned")
		}
	})
}

// Parameters that an operation refuses are named before anything starts.
func TestTidyingParams(t *testing.T) {
	for name, params := range map[string]map[string]any{
		"cleanup-downloads": {"days": -1},
		"rename-files":      {"pattern": "{nope}"},
		"sort-photos":       nil,
	} {
		dir := t.TempDir()
		put(t, dir, june, map[string]string{"a.txt": "1"})
		ch, b := tidyBench(t, name, dir, params)
		plan, err := ch.Plan(t.Context(), b.env)
		if params == nil { // there is nothing to do
			if err != nil || len(plan.Operations) != 0 {
				t.Errorf("%s: %+v, %v", name, plan, err)
			}
			continue
		}
		if code(err) != problem.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
		if ops := b.rt.Ops(); len(ops) != 0 {
			t.Errorf("%s: asked for %+v", name, ops)
		}
	}
}

// Thousands of files need answers in parts, and moves in batches.
func TestTidyingManyFiles(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 5000 {
		files[fmt.Sprintf("%s %05d.%s", strings.Repeat("long name ", 5), i, []string{"jpg", "pdf", "zip", "exe", "txt"}[i%5])] = fmt.Sprint(i)
	}
	put(t, dir, june, files)
	ch, b := tidyBench(t, "cleanup-downloads", dir, nil)
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil || len(plan.Operations) != 5000 {
		t.Fatalf("%d operations, %v", len(plan.Operations), err)
	}
	if asked := len(b.rt.Ops()); asked < 2 {
		t.Errorf("%d answers", asked)
	}
	if out, err := ch.Run(t.Context(), b.env, plan); err != nil || len(out.Problems) > 0 {
		t.Fatalf("%d problems, %v", len(out.Problems), err)
	}
	sums := func(m map[string]string) []string {
		var out []string
		for name, content := range m {
			if !strings.HasSuffix(name, "/") {
				out = append(out, fmt.Sprintf("%s %x", filepath.Base(name), sha256.Sum256([]byte(content))))
			}
		}
		slices.Sort(out)
		return out
	}
	if !slices.Equal(sums(tree(t, dir)), sums(files)) {
		t.Error("a file was lost, changed or renamed")
	}
}

// Thousands of duplicates need answers in parts, of files that are read once, and
// what a folder has that cannot be read is named once.
func TestManyDuplicates(t *testing.T) {
	const pairs = 2600
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 2 * pairs {
		files[fmt.Sprintf("%s %05d.txt", strings.Repeat("long name ", 10), i)] = fmt.Sprintf("%06d", i/2)
	}
	put(t, dir, june, files)
	ch, b := tidyBench(t, "find-duplicates", dir, nil)
	kept := 0
	b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
		if p.Op == "file.duplicates" && p.Params["after"] != nil {
			there, err := filepath.Glob(filepath.Join(b.rt.Work, ".kept", "*"))
			kept += len(there)
			return nil, err
		}
		return nil, nil
	}
	plan, err := ch.Plan(t.Context(), b.env)
	if asked := len(b.rt.Ops()); err != nil || len(plan.Operations) != pairs || asked < 2 || kept != asked-1 {
		t.Fatalf("%d operations, %d parts, %d of them kept, %v", len(plan.Operations), asked, kept, err)
	}
	if out, err := ch.Run(t.Context(), b.env, plan); err != nil || len(out.Problems) > 0 {
		t.Fatalf("%d problems, %v", len(out.Problems), err)
	}
	if n := len(tree(t, dir)); n != 2*pairs+1 {
		t.Errorf("%d files", n)
	}
}

// Each part of an answer meets the same that cannot be read, and says when there is
// too much of it to name.
func TestProblemsOfParts(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, map[string]string{"a.txt": "1", "b.txt": "2", "c.txt": "3"})
	ch, b := tidyBench(t, "cleanup-downloads", dir, nil)
	in := func(name string) string { return "/folders/Fotos ä/" + name }
	b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
		res := &wire.ToolResult{ID: p.ID, Problems: []wire.ToolProblem{
			{Code: "input-unreadable", Path: in("b.txt"), Detail: "no"}, {Code: "more-results", Detail: "too many"},
		}}
		name := "c.txt"
		if p.Params["after"] == nil {
			name = "a.txt"
			res.Problems = append(res.Problems, wire.ToolProblem{Code: "more-results", Path: in(name)})
		}
		res.Info = []any{map[string]any{"path": in(name), "to": in("Documents/" + name), "mtime": june}}
		return res, nil
	}
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil || len(plan.Operations) != 2 || fmt.Sprint(problemCodes(plan.Skipped)) != "[input-unreadable]" {
		t.Errorf("%+v, %v", plan, err)
	}
}

// A duplicate is set aside only while the copy that is kept is as the plan saw it: a person
// deletes or edits that one before they accept, and the other is the last.
func TestDuplicatesKeepTheLastCopy(t *testing.T) {
	for name, spoil := range spoils {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, june, map[string]string{"a.jpg": "picture", "other/b.jpg": "picture", "other/c.jpg": "picture"})
			ch, b := tidyBench(t, "find-duplicates", dir, nil)
			plan, err := ch.Plan(t.Context(), b.env)
			if err != nil || len(plan.Operations) != 2 {
				t.Fatalf("%+v, %v", plan, err)
			}
			if err := spoil(filepath.Join(dir, "a.jpg")); err != nil {
				t.Fatal(err)
			}
			before := tree(t, dir)
			_, err = ch.Run(t.Context(), b.env, plan)
			if p := problem.From(err); err == nil || p.Code != problem.CodeChangedSince || fmt.Sprint(p.Params["paths"]) != "[/folders/Fotos ä/a.jpg]" || p.Params["count"] != 1 {
				t.Errorf("%+v", err)
			}
			if now := tree(t, dir); fmt.Sprint(now) != fmt.Sprint(before) {
				t.Errorf("something was set aside: %v", now)
			}
		})
	}
}

// The kept copy of one group may be a spare one of another. What an interrupted run has moved
// by then is no change of a person's.
func TestDuplicatesOfTwoGroupsResume(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, june, map[string]string{"a.jpg": "1", "b.jpg": "1", "c.jpg": "22"})
	ch, b := tidyBench(t, "find-duplicates", dir, map[string]any{"similar": true})
	in := func(name string, size int) map[string]any {
		return map[string]any{"path": "/folders/Fotos ä/" + name, "size": size, "mtime": june.Format(time.RFC3339Nano)}
	}
	b.rt.Before = func(_ context.Context, p wire.ToolParams) (*wire.ToolResult, error) {
		if p.Op != "file.duplicates" {
			return nil, nil
		}
		return &wire.ToolResult{ID: p.ID, Info: []any{
			map[string]any{"kind": "same", "files": []any{in("a.jpg", 1), in("b.jpg", 1)}},
			map[string]any{"kind": "similar", "files": []any{in("c.jpg", 2), in("a.jpg", 1)}},
		}}, nil
	}
	plan, err := ch.Plan(t.Context(), b.env)
	if err != nil || len(plan.Operations) != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	for range 2 {
		if out, err := ch.Run(t.Context(), b.env, plan); err != nil || len(out.Problems) > 0 {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	if now := tree(t, dir); len(now) != 4 || now["c.jpg"] != "22" || now["Duplicates/a.jpg"] != "1" {
		t.Errorf("%v", now)
	}
}
