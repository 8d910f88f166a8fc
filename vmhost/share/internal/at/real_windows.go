package at

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// RealPath returns a path of the host without links on the way or at its end:
// symbolic links, and junctions, which filepath.EvalSymlinks takes for neither a
// link nor a directory. A disk that is mounted in a folder stays where it is.
func RealPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	path = plain(path)
	const maxLinks = 63 // that Windows follows in one path
	for range maxLinks {
		next, err := followFirst(path)
		if err != nil || next == path {
			return path, err
		}
		path = next
	}
	return "", &fs.PathError{Op: "resolve", Path: path, Err: syscall.ELOOP}
}

// followFirst replaces the first link on the way of an absolute path by what it
// leads to, and spells names as the disk does.
func followFirst(path string) (string, error) {
	volume, separator := filepath.VolumeName(path), string(filepath.Separator)
	root := volume + separator
	at, rest := root, strings.TrimPrefix(path[len(volume):], separator) // none ends \\server\share
	for rest != "" {
		name, left, _ := strings.Cut(rest, string(filepath.Separator))
		p := filepath.Join(at, name)
		info, err := os.Lstat(p)
		if err != nil {
			return "", err
		}
		if info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
			to, err := os.Readlink(p)
			switch {
			case err != nil && info.Mode()&fs.ModeSymlink != 0:
				return "", err
			case err != nil, strings.HasPrefix(to, `\\?\Volume{`): // a folder of another sort
			case filepath.IsAbs(to):
				return plain(filepath.Join(to, left)), nil
			case strings.HasPrefix(to, `\`):
				return filepath.Join(filepath.VolumeName(p)+to, left), nil
			default:
				return filepath.Join(at, to, left), nil
			}
		}
		at, rest = p, left
	}
	if at == root {
		return root, nil
	}
	own, err := filepath.EvalSymlinks(at)
	if errors.Is(err, syscall.ENOTDIR) { // below a disk that is mounted in a folder
		return at, nil
	}
	return own, err
}

// plain returns \\?\C:\… as C:\… and \\?\UNC\server\share\… as \\server\share\…, so that a folder
// has one path, by which it is compared with others; filepath.VolumeName takes \\?\UNC for a
// volume. A path stays as it is when Windows would read a name in it as another one without
// the prefix.
func plain(path string) string {
	const long, unc = `\\?\`, `UNC\`
	rest, is := strings.CutPrefix(path, long)
	if !is {
		return path
	}
	short, names := rest, ""
	switch {
	case len(rest) > len(unc) && strings.EqualFold(rest[:len(unc)], unc):
		names = rest[len(unc):]
		short = `\\` + names
	case len(rest) >= 3 && rest[1:3] == `:\`:
		names = rest[3:]
	default: // a volume by its number, or a device
		return path
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(names, `\`), `\`) {
		if names != "" && !systemName(name) {
			return path
		}
	}
	return short
}
