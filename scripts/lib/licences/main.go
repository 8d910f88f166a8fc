// Command licences collects the licences of what the program is built from, for
// app/licences: the Go modules that are linked on any system, from the module
// cache, and the packages that the pages are bundled from, from node_modules. The
// same sources give the same file.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"

	"piwork/app/licences"
)

// bundled are packages that only development needs by their list, and of which
// something is in the pages all the same.
var bundled = []string{"tailwindcss"}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: licences FILE (in the root of the repository)")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string) error {
	mods, err := modules(ctx)
	if err != nil {
		return err
	}
	pages, err := packages("frontend")
	if err != nil {
		return err
	}
	var l licences.List
	for _, p := range append(mods, pages...) {
		text := slices.Index(l.Texts, p.Text)
		if text < 0 {
			text = len(l.Texts)
			l.Texts = append(l.Texts, p.Text)
		}
		l.Parts = append(l.Parts, licences.Entry{Name: p.Name, Version: p.Version, Licence: p.Licence, Of: p.Of, Text: text})
	}
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(l); err != nil {
		return err
	}
	return os.WriteFile(out, data.Bytes(), 0o644)
}

// modules are those that any build for a person links.
func modules(ctx context.Context) ([]licences.Part, error) {
	dirs := map[string]string{} // of a module with its version
	for _, system := range []string{"linux", "windows", "darwin"} {
		for _, tags := range []string{"", "desktop,production"} {
			cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-tags", tags, "-f", "{{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}", ".")
			cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=1", "GOWORK=off")
			cmd.Stderr = os.Stderr
			list, err := cmd.Output()
			if err != nil {
				return nil, fmt.Errorf("list the modules for %s: %w", system, err)
			}
			for line := range strings.Lines(string(list)) {
				if f := strings.SplitN(strings.TrimSpace(line), " ", 3); len(f) == 3 && f[1] != "" {
					dirs[f[0]+" "+f[1]] = f[2]
				}
			}
		}
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go itself: %w", err)
	}
	goroot, version, _ := strings.Cut(strings.TrimSpace(string(root)), "\n")
	dirs["go "+strings.TrimPrefix(version, "go")] = goroot
	var out []licences.Part
	for mod, dir := range dirs {
		name, version, _ := strings.Cut(mod, " ")
		text, err := texts(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if name == "go" {
			name, version = "Go", "" // whichever builds it
		}
		out = append(out, licences.Part{Name: name, Version: version, Licence: expression(text), Of: licences.OfProgram, Text: text})
	}
	sort(out)
	return out, nil
}

// packages are those that the lock of npm has for more than development.
func packages(dir string) ([]licences.Part, error) {
	data, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
			License string `json:"license"`
			Dev     bool   `json:"dev"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	var out []licences.Part
	for path, p := range lock.Packages {
		_, name, _ := cutLast(path, "node_modules/")
		if path == "" || p.Dev && !slices.Contains(bundled, name) || strings.HasPrefix(name, "@types/") || strings.HasPrefix(name, "@typescript-eslint/") {
			continue // types are in no page
		}
		text, err := texts(filepath.Join(dir, filepath.FromSlash(path)))
		if errors.Is(err, errNoText) { // some have nothing but a word in their description
			text, err = "Licence: "+p.License+"\n", nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if p.License == "" {
			p.License = expression(text)
		}
		out = append(out, licences.Part{Name: name, Version: p.Version, Licence: p.License, Of: licences.OfWindow, Text: text})
	}
	sort(out)
	return out, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

func sort(parts []licences.Part) {
	slices.SortFunc(parts, func(a, b licences.Part) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	})
}

var (
	errNoText = errors.New("there is no file with a licence")
	legal     = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicen[cs]e|copyright)([-._].*)?$`)
)

// texts are the licences and notices at the top of a source.
func texts(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range entries { // sorted by name
		if !e.Type().IsRegular() || !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), ".js") {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		data, err := io.ReadAll(io.LimitReader(f, 1<<20))
		f.Close()
		if err != nil {
			return "", err
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(string(data), "\uFFFD"), "\r\n", "\n")))
	}
	if b.Len() == 0 {
		return "", errNoText
	}
	return b.String() + "\n", nil
}

// expression names the licences of a text. Whether all of them hold or one may be
// chosen is for the text to say.
func expression(text string) string {
	var ids []string
	for _, m := range licensecheck.Scan([]byte(text)).Match {
		if !m.IsURL && !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, ", ")
}
