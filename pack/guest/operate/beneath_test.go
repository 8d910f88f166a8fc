package operate

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/guest/operate/job"
	"piwork/vmhost/wire"
)

// atHome makes a directory one of folders that links may not lead out of.
func atHome(t *testing.T, dir string) {
	t.Helper()
	before := job.Homes
	job.Homes = append([]string{filepath.ToSlash(dir)}, before...)
	t.Cleanup(func() { job.Homes = before })
}

// What another folder of the same task has is not reached through a link, and the
// words say why; a link in the folder is as good as the file.
func TestLinksStayInTheirFolder(t *testing.T) {
	b := newBench(t)
	atHome(t, b.dir)
	b.at("one/sub/a.txt", "2024-01-01", "mine")
	b.at("two/b.txt", "2024-01-01", "other")
	for link, to := range map[string]string{"one/near": "sub/a.txt", "one/sub/up": "../near", "one/far": "../two/b.txt", "one/dir": "../two", "one/own": filepath.Join(b.dir, "one", "sub")} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(b.dir, filepath.FromSlash(link))); err != nil {
			t.Skip("this user may make no symbolic links (Windows without developer mode): ", err)
		}
	}
	at := func(names ...string) (in []string) {
		for _, name := range names {
			in = append(in, filepath.Join(b.dir, filepath.FromSlash(name)))
		}
		return in
	}
	r := b.run(t.Context(), wire.ToolParams{Op: "file.hash", In: at("one/near", "one/far", "one/sub/up", "one/dir/b.txt", "one/dir", "one/own", "one/own/a.txt", "two/b.txt")})
	wantProblems(t, r, map[string]string{"far": "input-link", "b.txt": "input-link", "dir": "input-link", "own": "input-link", "a.txt": "input-link"})
	if len(r.Info) != 3 {
		t.Errorf("%+v", r.Info)
	}
}
