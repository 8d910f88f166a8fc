package chore

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"piwork/app/problem"
	"piwork/pack/tools/natural"
	"piwork/vmhost/wire"
)

// candidate is a file by its name.
type candidate struct {
	entry  Entry
	guest  string
	folder int // of Env.Folders
}

// candidates are the files with one of the extensions among the entries of a
// folder, in natural order, and the problems of those that cannot even be named
// to the VM.
func candidates(f Folder, entries []Entry, exts []string) (out []candidate, skipped []problem.Problem) {
	var files []Entry
	for _, e := range entries {
		if !e.Type.IsDir() && slices.Contains(exts, strings.ToLower(path.Ext(e.Path))) {
			files = append(files, e)
		}
	}
	natural.Sort(files, func(e Entry) string { return e.Path })
	for _, e := range files {
		guest := f.Guest + "/" + e.Path
		code := ""
		switch {
		case e.Type&fs.ModeSymlink != 0:
			code = problem.CodeInputLink
		case e.Stub:
			code = problem.CodeInputOnline
		case !e.Type.IsRegular():
			continue // a pipe or a device
		case !utf8.ValidString(e.Path) || len(guest) > wire.MaxPath:
			code = problem.CodeInputName
		}
		if code != "" {
			skipped = append(skipped, *leftOut(code, guest))
			continue
		}
		out = append(out, candidate{entry: e, guest: guest})
	}
	return out, skipped
}

// leftOut is a problem of an input, which is left out, or done otherwise than expected.
func leftOut(code, guest string) *problem.Problem {
	shown := strings.ToValidUTF8(guest, "\uFFFD")
	return problem.New(code).With("path", shown).With("name", path.Base(shown))
}

// noFiles says that there is nothing for a chore, and what was looked for.
func noFiles(code string, folders []Folder, exts []string, recursive bool) error {
	names := make([]string, len(folders))
	for i, f := range folders {
		names[i] = f.Name
	}
	p := problem.New(code).With("folders", names).With("extensions", exts).With("recursive", recursive)
	if !recursive {
		p.Fix = append(problem.Fixes(problem.FixRecursive), p.Fix...)
	}
	return p
}

// text returns a parameter that is a string, "" when it is none.
func text(params map[string]any, name string) string {
	s, _ := params[name].(string)
	return s
}

func validHash(s seen) bool {
	return len(s.SHA256) == 64 && strings.Trim(s.SHA256, "0123456789abcdef") == "" && s.Size >= 0
}

// sortByDate sorts by when a picture was taken, where it says so, else by when
// its file was changed; equal ones stay in their order.
func sortByDate(in []Input, all []candidate, infos map[string]seen) {
	when := make(map[string]time.Time, len(all))
	for _, c := range all {
		when[c.guest] = c.entry.Time
		if t, err := time.Parse(time.RFC3339, infos[c.guest].Taken); err == nil {
			when[c.guest] = t
		}
	}
	slices.SortStableFunc(in, func(a, b Input) int { return when[a.Path].Compare(when[b.Path]) })
}
