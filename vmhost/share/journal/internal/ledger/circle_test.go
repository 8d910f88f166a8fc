package ledger

import (
	"slices"
	"testing"
	"time"

	"piwork/vmhost/share/internal/at"
)

// Whatever the records say of where directories are, who goes from one to those above it comes to
// an end, and so does the list of changes and what is chosen with one.
func FuzzCircles(f *testing.F) {
	f.Add([]byte{0, 1, 2, 0, 2, 3, 0, 3, 1})
	f.Add([]byte{2, 1, 2, 1, 2, 1, 4, 1, 1, 3, 2, 2})
	f.Fuzz(func(t *testing.T, script []byte) {
		const dirs = 5
		l := New()
		s := &State{}
		must := func(r Record) {
			if err := l.Apply(r, time.UnixMilli(1)); err != nil {
				t.Fatal(err)
			}
		}
		must(FolderRecord{ID: "f", Folder: 1, Root: 1, Path: []byte("/f"), Inode: &at.ID{Ino: 1}, State: s})
		for n := uint32(2); n < 2+dirs; n++ {
			must(ObjectRecord{Object: n, Dir: 1 + n%2*(n-2), Name: []byte{'a' + byte(n)}, Inode: &at.ID{Ino: uint64(n)}, Kind: at.Directory.String(), Made: n%3 == 0, State: s})
		}
		if len(script) > 300 {
			script = script[:300]
		}
		for c := range slices.Chunk(script, 3) {
			if len(c) < 3 {
				break
			}
			do, x, y := c[0], uint32(c[1]), uint32(c[2])
			dir, obj := 1+x%(1+dirs), 1+y%(1+dirs)
			var entries []uint32
			for id := range l.Entries {
				entries = append(entries, id)
			}
			slices.Sort(entries)
			entry := uint32(0)
			if len(entries) > 0 {
				entry = entries[int(x)%len(entries)]
			}
			var r Record
			switch do % 8 {
			case 0:
				r = EntryRecord{Entry: l.LastE + 1, Dir: dir, Name: []byte{byte(y)}, Object: obj}
			case 1:
				r = EntryRecord{Entry: l.LastE + 1, Dir: dir, Name: []byte{byte(y)}}
			case 2:
				r = BindRecord{Entry: entry, Object: obj}
			case 3:
				r = BindRecord{Entry: entry}
			case 4:
				r = HomeRecord{Object: obj, Dir: dir, Name: []byte{byte(x)}}
			case 5:
				r = AdoptRecord{Entry: entry, Object: obj}
			case 6:
				r = TouchRecord{Entry: entry}
			case 7:
				r = AcceptRecord{Entry: entry, Object: obj}
			}
			_ = l.Apply(r, time.UnixMilli(1)) // a damaged log is an error, and never a circle
		}
		for _, o := range l.Objects {
			steps := 0
			for range l.Above(o) {
				steps++
			}
			if steps > maxDepth {
				t.Fatal("more directories than a path has")
			}
			l.DirPath(o)
			l.SurePath(o)
			l.PathOf(o, "name")
		}
		list := l.Changes(nil)
		for _, n := range list {
			l.Spread(list, map[*Step]bool{n: true})
		}
		for _, r := range l.Records() {
			_ = kindOf(r)
		}
	})
}
