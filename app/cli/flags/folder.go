package flags

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"piwork/app/task"
	"piwork/pack/lazyregexp"
)

// Folder reads PATH[:ro|:rw|:review]. Only these three words are cut off,
// so that a path may contain colons; a folder whose own name ends in one of
// them is written with its mode: "notes:ro:rw".
func (p Paths) Folder(arg string) (task.FolderRequest, error) {
	path, mode := arg, task.Mode("")
	if i := strings.LastIndexByte(arg, ':'); i >= 0 {
		switch m := task.Mode(arg[i+1:]); m {
		case task.ModeReadOnly, task.ModeReadWrite, task.ModeReview:
			path, mode = arg[:i], m
		}
	}
	if path == "" {
		return task.FolderRequest{}, Usage("folder-path", "value", arg)
	}
	if word := unknownMode(path); word != "" && !p.There() {
		return task.FolderRequest{}, Usage("folder-mode", "value", word)
	}
	abs, err := p.Abs(path)
	if err != nil {
		return task.FolderRequest{}, err
	}
	return task.FolderRequest{Path: abs, Mode: mode}, nil
}

// modeLike is what was meant as a mode, such as "rwx".
var modeLike = lazyregexp.New(`^[A-Za-z][A-Za-z-]{0,9}$`)

// unknownMode is the word after the colon of a path that is not there, where what stands
// before the colon is; "" for any other path.
func unknownMode(path string) string {
	i := strings.LastIndexByte(path, ':')
	if i <= 0 || !modeLike().MatchString(path[i+1:]) {
		return ""
	}
	_, whole := os.Stat(path)
	_, before := os.Stat(path[:i])
	if !errors.Is(whole, fs.ErrNotExist) || before != nil {
		return ""
	}
	return path[i+1:]
}

// Folders is Folder for each.
func (p Paths) Folders(args []string) ([]task.FolderRequest, error) {
	out := make([]task.FolderRequest, 0, len(args))
	for _, a := range args {
		f, err := p.Folder(a)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// KnownSet refuses what ParseSet read and of has not.
func KnownSet(set map[string]any, of string, known []string) error {
	for name := range set {
		if !slices.Contains(known, name) {
			return Usage("set-unknown", "name", name, "of", of, "similar", Similar(name, known), "choices", known)
		}
	}
	return nil
}

// ParseSet reads NAME=VALUE; the controller gives values their types.
func ParseSet(args []string) (map[string]any, error) {
	out := map[string]any{}
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		if !ok || name == "" {
			return nil, Usage("set-form", "value", a)
		}
		if _, twice := out[name]; twice {
			return nil, Usage("set-twice", "name", name)
		}
		out[name] = value
	}
	return out, nil
}
