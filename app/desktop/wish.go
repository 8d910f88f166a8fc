package desktop

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"piwork/app/api"
	"piwork/app/task"
)

// Scheme is that of links into the program: piwork://open, piwork://task/<id>,
// piwork://chore/<name>. Any page and any program can make the system open one, so
// a link only shows something: it starts no work, answers no question, names no
// file and carries no text.
const Scheme = "piwork"

const (
	maxLink  = 128
	maxPaths = 1000 // as many as a person drops at once
	maxPath  = 4096 // bytes
)

var (
	linkForm  = regexp.MustCompile(`^piwork://(open|task/[0-9a-f-]{36}|chore/[a-z0-9]+(?:-[a-z0-9]+)*)/?$`)
	errNoLink = errors.New("this is no link that piwork knows")
)

// ParseLink reads a link. Nothing of it is decoded or cleaned: what is not written
// as piwork writes it is none.
func ParseLink(link string) (api.OpenWish, error) {
	if len(link) > maxLink {
		return api.OpenWish{}, errNoLink
	}
	m := linkForm.FindStringSubmatch(link)
	if m == nil {
		return api.OpenWish{}, errNoLink
	}
	kind, name, _ := strings.Cut(m[1], "/")
	switch kind {
	case "task":
		if !task.ValidID(name) {
			return api.OpenWish{}, errNoLink
		}
		return api.OpenWish{Task: name}, nil
	case "chore":
		return api.OpenWish{Chore: name}, nil
	default:
		return api.OpenWish{}, nil
	}
}

// Start is what the program was started for.
type Start struct {
	Task string       // a window of this task alone; "" is the main window
	New  bool         // another window beside those that are open
	Wish api.OpenWish // to be shown in the main window
}

const (
	windowFlag    = "--window"     // asks for the window of a task: --window task/<id>
	newWindowFlag = "--new-window" // asks for another window
)

// ParseArgs reads the arguments of a start. It reports false when they are those
// of the command line, whose commands never look like a path or a link.
func ParseArgs(args []string, dir string) (Start, bool, error) {
	switch {
	case len(args) == 0, len(args) == 1 && strings.HasPrefix(args[0], "-psn_"): // as the Finder once did
		return Start{}, true, nil
	case args[0] == newWindowFlag && len(args) == 1: // with more, the command line says what is wrong with it
		return Start{New: true}, true, nil
	case args[0] == windowFlag:
		id, ok := "", false
		if len(args) == 2 {
			id, ok = strings.CutPrefix(args[1], "task/")
		}
		if !ok || !task.ValidID(id) {
			return Start{}, true, fmt.Errorf("%s wants task/ID", windowFlag)
		}
		return Start{Task: id}, true, nil
	case strings.HasPrefix(strings.ToLower(args[0]), Scheme+":"):
		if len(args) > 1 {
			return Start{}, true, errNoLink
		}
		wish, err := ParseLink(args[0])
		return Start{Wish: wish}, true, err
	}
	var paths []string
	for _, a := range args {
		path, ok := pathOf(a, dir)
		if !ok {
			return Start{}, false, nil
		}
		paths = append(paths, path)
	}
	wish, err := pathsWish(paths)
	return Start{Wish: wish}, true, err
}

// pathsWish is a wish for files and folders.
func pathsWish(paths []string) (api.OpenWish, error) {
	var out []string
	for _, p := range paths {
		if !filepath.IsAbs(p) || len(p) > maxPath || strings.ContainsRune(p, 0) {
			return api.OpenWish{}, fmt.Errorf("%q is no path", p)
		}
		if p = filepath.Clean(p); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	if len(out) > maxPaths {
		return api.OpenWish{}, fmt.Errorf("%d files and folders are more than %d", len(out), maxPaths)
	}
	return api.OpenWish{Paths: out}, nil
}

// pathOf reads an argument that names a file: a path that is absolute or says that
// it is one (./x), or a file URL of this computer.
func pathOf(arg, dir string) (string, bool) {
	if strings.HasPrefix(strings.ToLower(arg), "file:") {
		u, err := url.Parse(arg)
		if err != nil || u.Host != "" && u.Host != "localhost" || u.Opaque != "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return "", false
		}
		path := u.Path
		if runtime.GOOS == "windows" {
			path = strings.TrimPrefix(path, "/")
		}
		path = filepath.FromSlash(path)
		return path, filepath.IsAbs(path)
	}
	if filepath.IsAbs(arg) {
		return arg, true
	}
	for _, lead := range []string{"." + string(filepath.Separator), ".." + string(filepath.Separator)} {
		if strings.HasPrefix(arg, lead) {
			return filepath.Join(dir, arg), filepath.IsAbs(dir)
		}
	}
	return "", false
}
