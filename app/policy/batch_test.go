package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A batch answers as each request alone would be answered, whatever rules look at: an answer
// of a directory is none for what a rule names in it, by its path, its name, or another name
// of the same file.
func TestBatchIsEachAlone(t *testing.T) {
	dir := root(t)
	for _, name := range []string{"Letters/a.txt", "Letters/secret.txt", "real/x.txt", "a/b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(dir+"/Letters/secret.txt", dir+"/a/other-name.txt"); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"Letters/sub", "Letters/in"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var paths []string
	for _, in := range []string{"", "/Letters", "/Letters/sub", "/Letters/in", "/a", "/real", "/link", "/Dots"} {
		for _, name := range []string{"", "/a.txt", "/secret.txt", "/x.txt", "/other-name.txt", "/new", "/sub", "/in", "/.hidden", "/A.TXT"} {
			paths = append(paths, dir+in+name)
		}
	}
	paths = append(paths, "relative", "/", "/a\x00b")
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for _, text := range []string{
		`forbid (principal, action == Action::"write", resource in Path::"{root}/Letters");`,
		`forbid (principal, action == Action::"delete", resource == Path::"{root}/Letters/secret.txt");`,
		`forbid (principal, action, resource in Path::"{root}/Letters/in");`,
		`forbid (principal, action == Action::"write", resource in Path::"{root}/Letters/not-there");`,
		`forbid (principal, action == Action::"write", resource) when { resource.name == "a.txt" };`,
		`forbid (principal, action == Action::"write", resource) unless { resource.path like "*/sub*" };`,
		`forbid (principal, action == Action::"delete", resource is Path) when { resource in Path::"{root}/a" };`,
		`forbid (principal in Client::"ci", action in [Action::"write", Action::"delete"], resource in Path::"{root}/link") when { context.about == "undo" };`,
		`forbid (principal, action == Action::"write", resource); permit (principal, action, resource);`,
		`@effect("ask") forbid (principal, action == Action::"delete", resource in Path::"{root}/real");`,
		`@note("the resource") forbid (principal, action == Action::"write", resource in Path::"{root}/Dots");`,
		`forbid`,
	} {
		text := strings.ReplaceAll(text, "{root}", dir)
		for _, managed := range []bool{false, true} {
			e := engine(t, "", text)
			if managed {
				e = engine(t, text, `forbid (principal, action == Action::"connect", resource);`)
			}
			rules := e.Rules()
			for _, client := range []string{"", "ci"} {
				for _, about := range []string{"", AboutUndo} {
					b := rules.Batch(at)
					for _, a := range []Action{Write, Delete, Read, Write} {
						for _, p := range paths {
							r := Request{Action: a}
							r.Path, r.Client, r.About = p, client, about
							if got, want := b.Decide(r), rules.Decide(r, at); got.Effect != want.Effect || got.Rule != want.Rule || got.Layer != want.Layer || (got.Fault == nil) != (want.Fault == nil) {
								t.Errorf("%s\n%s %s: %+v, alone %+v", text, a, p, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// Undo of 10,000 files, asked about.
func BenchmarkBatch(b *testing.B) {
	dir := root(b)
	var paths []string
	for d := range 100 {
		at := filepath.Join(dir, "Letters", fmt.Sprint(d))
		if err := os.Mkdir(at, 0o700); err != nil {
			b.Fatal(err)
		}
		for f := range 100 {
			paths = append(paths, filepath.Join(at, fmt.Sprint(f)+".txt"))
		}
	}
	for name, text := range map[string]string{
		"by folder": `forbid (principal in Client::"ci", action in [Action::"write", Action::"delete"], resource in Path::"{root}/real");`,
		"by name":   `forbid (principal, action in [Action::"write", Action::"delete"], resource) when { resource.name == "x" };`,
	} {
		e := engine(b, "", strings.ReplaceAll(text, "{root}", dir))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				batch := e.Rules().Batch(time.Now())
				for _, p := range paths {
					r := Request{Action: Delete}
					r.Path, r.About = p, AboutUndo
					if batch.Decide(r).Effect == Deny {
						b.Fatal(p)
					}
				}
			}
		})
	}
}
