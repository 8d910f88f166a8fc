package copied

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// hostile is a place that says what it wants to.
type hostile struct {
	list string             // in answer to CopyList, after the directory itself
	get  func(n int) string // in answer to the n-th request of CopyGet
}

const rootLine = `{"d":0,"p":"Lg==","k":"d","m":493,"i":1}` + "\n" // "."

func (h hostile) run(_ context.Context, argv []string, in io.ReadCloser, out io.Writer) error {
	asked, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	switch argv[2] {
	case wire.CopyPut: // it does as it is told
		for line := range strings.Lines(string(asked)) {
			var e wire.CopyEntry
			if json.Unmarshal([]byte(line), &e) == nil && e.Kind != "" {
				e.Was, e.Ino, e.CTime = nil, 7, e.MTime
				if e.Kind != wire.CopyFile {
					e.CTime = 0
				}
				fmt.Fprintln(out, encoded(e))
			}
		}
	case wire.CopyList:
		_, err = io.WriteString(out, rootLine+h.list)
	case wire.CopyGet:
		for n := range strings.Count(string(asked), "\n") {
			if h.get != nil {
				if _, err = io.WriteString(out, h.get(n)); err != nil {
					return err
				}
			}
		}
	}
	return err
}

func encoded(e wire.CopyEntry) string {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// file is the line of a file that is new.
func file(path string) string {
	return encoded(wire.CopyEntry{Path: []byte(path), Kind: wire.CopyFile, Mode: 0o644, Size: 3, Ino: 99, CTime: 1, MTime: 1}) + "\n"
}

func line(e wire.CopyEntry, path string) string {
	e.Path = []byte(path)
	return encoded(e) + "\n"
}

// content is the answer to who asks for a file.
func content(path, s string) string {
	sum := sha256.Sum256([]byte(s))
	return line(wire.CopyEntry{Kind: wire.CopyFile, Mode: 0o644, Size: int64(len(s)), Ino: 99, CTime: 1, MTime: 1, Sum: sum[:]}, path) + s
}

// scene is a folder with one file, beside one that is nobody's business.
func scene(t *testing.T, o Options) (c *Copy, base string) {
	t.Helper()
	base = t.TempDir()
	for _, name := range []string{"folder/kept.txt", "secret.txt"} {
		path := filepath.Join(base, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("kept"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set := share.NewSet(share.Options{})
	t.Cleanup(func() { set.Close(); j.Close() })
	if _, err := set.Add(share.Folder{ID: "f", Path: filepath.Join(base, "folder")}, j); err != nil {
		t.Fatal(err)
	}
	return New(set, o), base
}

// found is everything below a directory.
func found(t *testing.T, base string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b, _ := os.ReadFile(p)
			if d.Type() == fs.ModeSymlink {
				b = nil
			}
			rel, _ := filepath.Rel(base, p)
			all = append(all, filepath.ToSlash(rel)+"="+string(b))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// kept is the line of what the place was sent.
func keptLine(base string) string {
	info, err := os.Stat(filepath.Join(base, "folder/kept.txt"))
	if err != nil {
		return err.Error()
	}
	at := info.ModTime().UnixNano()
	return line(wire.CopyEntry{Kind: wire.CopyFile, Mode: uint32(info.Mode().Perm()), Size: 4, MTime: at, CTime: at, Ino: 7}, "kept.txt")
}

// Whatever a place says: nothing outside of the folder changes, nothing in it is lost
// without the journal, and what no agent says ends the place.
func TestAttacks(t *testing.T) {
	abc := func(path string) func(int) string { return func(int) string { return content(path, "abc") } }
	dir := func(path string) string { return line(wire.CopyEntry{Kind: wire.CopyDir, Mode: 0o755, Ino: 50}, path) }
	link := func(path, target string) string {
		return line(wire.CopyEntry{Kind: wire.CopyLink, Target: []byte(target), Ino: 51}, path)
	}
	const broken = "broken" // the place ends
	for name, tt := range map[string]struct {
		place hostile
		want  string // broken, a name that can't be had, or "" for what there is in more
		more  []string
	}{
		"what is fine":             {hostile{file("n"), abc("n")}, "", []string{"folder/n=abc"}},
		"a path up":                {hostile{file("../secret.txt"), abc("../secret.txt")}, broken, nil},
		"a path up inside":         {hostile{dir("d") + file("d/../../secret.txt"), nil}, broken, nil},
		"an absolute path":         {hostile{file("/etc/passwd"), nil}, broken, nil},
		"an empty path":            {hostile{file(""), nil}, broken, nil},
		"an empty name":            {hostile{dir("d") + file("d//f"), nil}, broken, nil},
		"a name with a NUL":        {hostile{file("a\x00b"), nil}, broken, nil},
		"a name too long":          {hostile{file(strings.Repeat("n", 256)), nil}, broken, nil},
		"a path too long":          {hostile{file(strings.Repeat("n/", 2100) + "n"), nil}, broken, nil},
		"a file without directory": {hostile{file("d/f"), nil}, broken, nil},
		"a file below a file":      {hostile{file("f") + file("f/f"), nil}, broken, nil},
		"a file below a link":      {hostile{link("l", "..") + file("l/secret.txt"), nil}, broken, nil},
		"a name twice":             {hostile{file("f") + file("f"), nil}, broken, nil},
		"a file and a directory":   {hostile{file("f") + dir("f"), nil}, broken, nil},
		"the folder is a link":     {hostile{link(".", "/etc"), nil}, broken, nil},
		"another directory":        {hostile{strings.Replace(file("f"), `"d":0`, `"d":1`, 1), nil}, broken, nil},
		"a directory below zero":   {hostile{strings.Replace(file("f"), `"d":0`, `"d":-1`, 1), nil}, broken, nil},
		"a device":                 {hostile{strings.Replace(file("f"), `"k":"f"`, `"k":"b"`, 1), nil}, broken, nil},
		"nothing as an entry":      {hostile{strings.Replace(file("f"), `"k":"f"`, `"k":""`, 1), nil}, broken, nil},
		"setuid":                   {hostile{strings.Replace(file("f"), `"m":420`, `"m":2541`, 1), nil}, broken, nil},
		"a size below zero":        {hostile{strings.Replace(file("f"), `"s":3`, `"s":-3`, 1), nil}, broken, nil},
		"a sum in a list":          {hostile{strings.Replace(file("f"), `"i":99`, `"i":99,"h":"AAAA"`, 1), nil}, broken, nil},
		"a link to nothing":        {hostile{link("l", ""), nil}, broken, nil},
		"no JSON":                  {hostile{"what?\n", nil}, broken, nil},
		"half a line":              {hostile{`{"d":0`, nil}, broken, nil},
		"an endless line":          {hostile{strings.Repeat("x", 1<<20), nil}, broken, nil},
		"a long line":              {hostile{strings.Replace(file("f"), `"k"`, `"z":"`+strings.Repeat("x", wire.MaxCopyLine)+`","k"`, 1), nil}, broken, nil},
		"more than there may be":   {hostile{many(60), nil}, "too large", nil},
		"a bomb":                   {hostile{line(wire.CopyEntry{Kind: wire.CopyFile, Size: 1 << 60, Ino: 9}, "bomb"), nil}, "too large", nil},
		"a sum of bombs":           {hostile{line(wire.CopyEntry{Kind: wire.CopyFile, Size: 700 << 10, Ino: 9}, "x") + line(wire.CopyEntry{Kind: wire.CopyFile, Size: 700 << 10, Ino: 10}, "y"), nil}, "too large", nil},
		"a bomb after the list": {hostile{file("f"), func(int) string {
			return line(wire.CopyEntry{Kind: wire.CopyFile, Size: 1 << 60, Ino: 9, Sum: make([]byte, 32)}, "f")
		}}, "too large", nil},
		"another file's content":      {hostile{file("f"), abc("kept.txt")}, broken, nil},
		"a content without a sum":     {hostile{file("f"), func(int) string { return file("f") + "abc" }}, broken, nil},
		"an answer too many":          {hostile{file("f"), func(int) string { return content("f", "abc") + content("f", "abc") }}, broken, nil},
		"a link for an answer":        {hostile{file("f"), func(int) string { return link("f", "/etc") }}, broken, nil},
		"no answer":                   {hostile{file("f"), nil}, io.ErrUnexpectedEOF.Error(), nil},
		"half a content":              {hostile{file("f"), func(int) string { return strings.TrimSuffix(content("f", "abc"), "c") }}, io.ErrUnexpectedEOF.Error(), nil},
		"a content of another sum":    {hostile{file("f"), func(int) string { return strings.TrimSuffix(content("f", "abc"), "c") + "d" }}, "", nil},
		"it is gone meanwhile":        {hostile{file("f"), func(int) string { return line(wire.CopyEntry{}, "f") }}, "", nil},
		"a link out of the folder":    {hostile{link("l", "../secret.txt") + link("m", "/etc/passwd"), nil}, "", []string{"folder/l=", "folder/m="}},
		"a time of nobody":            {hostile{strings.Replace(file("f"), `"t":1,`, `"t":-9223372036854775808,`, 1), abc("f")}, "", []string{"folder/f=abc"}},
		"nothing is there any more":   {hostile{"", nil}, "", nil},
		"everything has one inode":    {hostile{strings.Replace(file("a")+file("b"), `"i":99`, `"i":7`, 2), func(n int) string { return content(string("ab"[n]), "abc") }}, "", []string{"folder/a=abc", "folder/b=abc"}},
		"names of another case":       {hostile{file("A") + file("a"), func(n int) string { return content(string("Aa"[n]), "abc") }}, "", []string{"folder/A=abc", "folder/a=abc"}},
		"a directory that is closed":  {hostile{line(wire.CopyEntry{Kind: wire.CopyDir, Closed: true, Ino: 5}, "d") + file("d/f"), nil}, broken, nil},
		"a directory on the file":     {hostile{dir("kept.txt") + file("kept.txt/f"), abc("kept.txt/f")}, "", []string{"folder/kept.txt/f=abc"}},
		"an answer about another put": {hostile{}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			c, base := scene(t, Options{Files: 50, Bytes: 1 << 20})
			before := found(t, base)
			if err := c.Begin(t.Context(), tt.place.run); err != nil {
				t.Fatal(err)
			}
			gone := name == "nothing is there any more" || name == "a directory on the file" || name == "an answer about another put"
			if !gone {
				tt.place.list += keptLine(base)
			}
			err := c.End(t.Context(), tt.place.run)
			var invalid *wire.InvalidError
			var large *vmhost.TooLargeError
			switch {
			case tt.want == "" && err != nil, tt.want == broken && !errors.As(err, &invalid), tt.want == "too large" && !errors.As(err, &large):
				t.Errorf("%v", err)
			case tt.want != "" && tt.want != broken && tt.want != "too large" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v", err)
			}
			want := append(slices.Clone(before), tt.more...)
			if gone {
				want = append(tt.more, "secret.txt=kept")
			}
			slices.Sort(want)
			if got := found(t, base); !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
		})
	}
}

func many(n int) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(file(fmt.Sprintf("f%d", i)))
	}
	return all.String()
}

// growing is a place whose files are larger when they are asked for than in its list.
func growing(base string, names []string, inList int64, then string) func(context.Context, []string, io.ReadCloser, io.Writer) error {
	list := keptLine(base)
	for _, name := range names {
		list += line(wire.CopyEntry{Kind: wire.CopyFile, Mode: 0o644, Size: inList, Ino: 99, CTime: 1, MTime: 1}, name)
	}
	return func(ctx context.Context, argv []string, in io.ReadCloser, out io.Writer) error {
		if argv[2] != wire.CopyGet {
			return hostile{list: list}.run(ctx, argv, in, out)
		}
		asked, err := io.ReadAll(in)
		for ask := range strings.Lines(string(asked)) {
			var e wire.CopyEntry
			if err = errors.Join(err, json.Unmarshal([]byte(ask), &e)); err == nil {
				_, err = io.WriteString(out, content(string(e.Path), then))
			}
		}
		return err
	}
}

// What comes back is bounded for all batches together. A file that grew since the list, and
// has no room, comes with the next collect.
func TestBoundOfAllBatches(t *testing.T) {
	const size, bound = 2000, maxBatch * 2000
	var names []string
	for i := range maxBatch + 10 {
		names = append(names, fmt.Sprintf("f%03d", i))
	}
	c, base := scene(t, Options{Bytes: bound})
	came := func() (n int) {
		for _, file := range found(t, filepath.Join(base, "folder")) {
			if _, x, _ := strings.Cut(file, "="); len(x) == size {
				n++
			}
		}
		return n
	}
	for _, round := range []struct {
		inList      int64
		least, most int
	}{{3, maxBatch - 10, maxBatch}, {size, len(names), len(names)}} {
		if err := c.Begin(t.Context(), hostile{}.run); err != nil {
			t.Fatal(err)
		}
		if err := c.End(t.Context(), growing(base, names, round.inList, strings.Repeat("x", size))); err != nil {
			t.Error(err)
		}
		if n := came(); n < round.least || n > round.most {
			t.Errorf("%d files came, not %d to %d", n, round.least, round.most)
		}
	}
}

// A file that has no room is read off, and not without end.
func TestBoundOfWhatHasNoRoom(t *testing.T) {
	large := strings.Repeat("x", 600<<10)
	for _, tt := range []struct {
		names  []string
		refuse bool
		want   []string
	}{
		{[]string{"a", "b"}, false, []string{"folder/a=" + large, "folder/kept.txt=kept", "secret.txt=kept"}},
		{[]string{"a", "b", "c"}, true, []string{"folder/kept.txt=kept", "secret.txt=kept"}},
	} {
		c, base := scene(t, Options{Bytes: 1 << 20})
		if err := c.Begin(t.Context(), hostile{}.run); err != nil {
			t.Fatal(err)
		}
		err := c.End(t.Context(), growing(base, tt.names, 3, large))
		if _, is := errors.AsType[*vmhost.TooLargeError](err); is != tt.refuse || !is && err != nil {
			t.Errorf("%q: %.200v", tt.names, err)
		}
		if got := found(t, base); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %.200q", tt.names, got)
		}
	}
}

// Names that this computer can't have are named in the error, and the rest is saved.
func TestImpossibleNames(t *testing.T) {
	c, base := scene(t, Options{})
	if err := c.Begin(t.Context(), hostile{}.run); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(base, "folder/taken"), 0o755); err != nil {
		t.Fatal(err)
	}
	// A file where a person made a directory, and one below a file that a person made.
	if err := os.WriteFile(filepath.Join(base, "folder/d"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	list := line(wire.CopyEntry{Kind: wire.CopyDir, Mode: 0o755, Ino: 50}, "d") + file("d/f") + file("n") + keptLine(base)
	names := []string{"d/f", "n"}
	err := c.End(t.Context(), hostile{list, func(n int) string { return content(names[n], "abc") }}.run)
	if unsaved, is := errors.AsType[*vmhost.UnsavedError](err); !is || !slices.Contains(unsaved.Paths, "folder/d") || !slices.Contains(unsaved.Paths, "folder/d/f") {
		t.Errorf("%v", err)
	}
	if got := found(t, base); !slices.Contains(got, "folder/d=mine") || !slices.Contains(got, "folder/n=abc") {
		t.Errorf("%q", got)
	}
}

// What a place answers to what it is sent is checked as well.
func TestHostileAnswers(t *testing.T) {
	for name, out := range map[string]string{
		"another name": file("other"),
		"too many":     file("kept.txt") + file("kept.txt"),
		"no JSON":      "what?\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := scene(t, Options{})
			err := c.Begin(t.Context(), func(_ context.Context, _ []string, in io.ReadCloser, to io.Writer) error {
				go io.Copy(io.Discard, in)
				_, err := io.WriteString(to, out)
				return err
			})
			if _, is := errors.AsType[*wire.InvalidError](err); !is {
				t.Errorf("%v", err)
			}
		})
	}
	c, _ := scene(t, Options{})
	failed := errors.New("it failed")
	if err := c.Begin(t.Context(), func(context.Context, []string, io.ReadCloser, io.Writer) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
}

// What can't be read waits for the next time; when there is none, it is named. What a program
// has removed meanwhile is not.
func TestNotReadAtLast(t *testing.T) {
	for name, get := range map[string]string{
		"may not be read": line(wire.CopyEntry{}, "f"), // an older agent says no more of what was removed
		"being written":   strings.TrimSuffix(content("f", "abc"), "c") + "d",
		"removed":         line(wire.CopyEntry{Removed: true}, "f"),
	} {
		t.Run(name, func(t *testing.T) {
			c, base := scene(t, Options{})
			place := hostile{file("f") + keptLine(base), func(int) string { return get }}
			if err := errors.Join(c.Begin(t.Context(), place.run), c.End(t.Context(), place.run)); err != nil {
				t.Fatal(err)
			}
			err := c.Fetch(t.Context(), place.run)
			if unsaved, is := errors.AsType[*vmhost.UnsavedError](err); is == (name == "removed") || is && !slices.Equal(unsaved.Paths, []string{"folder/f"}) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A place can say anything.
func FuzzList(f *testing.F) {
	for _, s := range []string{"", file("n"), file("../n"), many(3)} {
		f.Add(s, content("n", "abc"))
	}
	f.Fuzz(func(t *testing.T, list, get string) {
		c, base := scene(t, Options{Files: 50, Bytes: 1 << 20})
		place := hostile{list, func(int) string { return get }}
		if err := c.Begin(t.Context(), place.run); err != nil {
			t.Fatal(err)
		}
		err := c.End(t.Context(), place.run)
		if got := found(t, base); !slices.Contains(got, "secret.txt=kept") {
			t.Errorf("%q", got)
		}
		for _, name := range found(t, base) {
			if !strings.HasPrefix(name, "folder/") && name != "secret.txt=kept" {
				t.Errorf("%q after %v", name, err)
			}
		}
	})
}

// A place that answers about a file before it has it, and ends, is an error: nobody waits for what
// is not sent any more.
func TestEndsAfterAnEarlyAnswer(t *testing.T) {
	c, base := scene(t, Options{})
	for _, name := range []string{"big1", "big2"} {
		if err := os.WriteFile(filepath.Join(base, "folder", name), make([]byte, 2*bufferSize), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, errors.New("it waits for good"))
	defer cancel()
	err := c.Send(ctx, func(_ context.Context, _ []string, in io.ReadCloser, out io.Writer) error {
		asked, err := bufio.NewReader(in).ReadBytes('\n')
		var e wire.CopyEntry
		if err = errors.Join(err, json.Unmarshal(asked, &e)); err != nil {
			return err
		}
		e.Was, e.Ino, e.CTime = nil, 7, e.MTime
		var said sync.WaitGroup
		defer said.Wait()
		said.Go(func() { fmt.Fprintln(out, encoded(e)) })
		return in.Close() // the program has ended; what it said is on its way
	})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
