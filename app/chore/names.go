package chore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"piwork/pack/tools"
	"piwork/pack/tools/natural"
)

// maxName is how long a name may be, in bytes: 255 on every file system, less
// room for " (99999)" and what is made beside it meanwhile.
const maxName = 200

// resultName makes a file name of what a person typed, with the extension.
func resultName(typed, ext string) (string, error) {
	name := norm.NFC.String(strings.TrimSpace(typed))
	if strings.EqualFold(name, ext) {
		name = ""
	}
	if len(name) > len(ext) && strings.EqualFold(name[len(name)-len(ext):], ext) {
		name = name[:len(name)-len(ext)]
	}
	switch {
	case name == "":
		return "", errors.New("the name is empty")
	case !utf8.ValidString(name):
		return "", errors.New("the name is not UTF-8")
	case len(name)+len(ext) > maxName:
		return "", fmt.Errorf("the name has %d bytes, at most %d", len(name)+len(ext), maxName)
	case strings.HasPrefix(name, "."):
		return "", errors.New("the name begins with a dot and would be hidden")
	case strings.ContainsAny(name, `/\`):
		return "", errors.New("the name contains a slash")
	case strings.ContainsFunc(name, unicode.IsControl):
		return "", errors.New("the name contains a control character")
	}
	if err := osName(name); err != nil {
		return "", err
	}
	return name + ext, nil
}

// windowsName refuses what Windows cannot have as the name of a file, see
// "Naming Files, Paths, and Namespaces" in its documentation.
func windowsName(name string) error {
	if strings.ContainsAny(name, `<>:"|?*`) {
		return errors.New(`the name contains one of < > : " | ? *`)
	}
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return errors.New("the name ends with a dot or a space")
	}
	device, _, _ := strings.Cut(strings.ToUpper(name), ".")
	device = strings.TrimRight(device, " ")
	switch device {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return errors.New("the name is that of a device")
	}
	for _, prefix := range []string{"COM", "LPT"} {
		if rest, ok := strings.CutPrefix(device, prefix); ok && utf8.RuneCountInString(rest) == 1 && strings.ContainsAny(rest, "123456789¹²³") {
			return errors.New("the name is that of a device")
		}
	}
	return nil
}

// freeName returns name, or name with a number before its extension, so that
// it is none of the taken ones, on any file system.
func freeName(name, ext string, taken []string) string {
	used := make(map[string]bool, len(taken))
	for _, t := range taken {
		used[natural.Folded(t)] = true
	}
	stem := strings.TrimSuffix(name, ext)
	free := name
	for n := 2; used[natural.Folded(free)]; n++ {
		free = tools.Numbered(stem, n, ext)
	}
	return free
}

// names are paths that are taken, as [natural.Folded] has them.
type names map[string]bool

func (n names) add(p string) { n[natural.Folded(p)] = true }

// free returns a path in a directory that is none of the taken ones, on any file
// system, and takes it.
func (n names) free(dir, stem, ext string) string {
	for len(stem)+len(ext) > maxName {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	p := dir + "/" + stem + ext
	for i := 2; n[natural.Folded(p)]; i++ {
		p = dir + "/" + tools.Numbered(stem, i, ext)
	}
	n.add(p)
	return p
}

// freeIn is where a new file of that name goes in a folder, beside what is there.
func freeIn(ctx context.Context, f Folder, name, ext string) (string, error) {
	entries, err := f.List(ctx, false)
	if err != nil {
		return "", err
	}
	taken := names{}
	for _, e := range entries {
		taken.add(f.Guest + "/" + e.Path)
	}
	return taken.free(f.Guest, strings.TrimSuffix(name, ext), ext), nil
}
