package guard

import (
	"path"
	"strings"

	"piwork/vmhost/share/internal/at"
)

// compiled are globs, each in its components. "**" is any number of them; the
// rest is path.Match.
type compiled [][]string

func compile(globs []string) compiled {
	var out compiled
	for _, g := range globs {
		out = append(out, components(g))
	}
	return out
}

// components takes a path apart in a way that spellings which a file system of
// the host may take for the same name are the same: upper and lower case, and
// dots and spaces at the end, which Windows drops.
func components(p string) []string {
	list := strings.Split(strings.ToLower(p), "/")
	for i, c := range list {
		if t := strings.TrimRight(c, ". "); t != "" {
			list[i] = t
		}
	}
	return list
}

// touches reports whether a change is of a path that a glob names. Moving a
// directory moves what is in it, which nobody looked at: it touches what it could
// hold at either end. (Creating something that has an ID is where it arrives.)
func (c compiled) touches(i Intent) bool {
	below := i.Kind == at.Directory && (i.Effect&Move != 0 || i.Effect == Create && i.ID != at.ID{})
	for _, p := range []string{i.Path, i.To} {
		if p == "" {
			continue
		}
		list := components(p)
		for _, g := range c {
			if match(g, list) || below && reaches(g, list) {
				return true
			}
		}
	}
	return false
}

func match(glob, list []string) bool {
	for len(glob) > 0 {
		if glob[0] == "**" {
			for n := range len(list) + 1 {
				if match(glob[1:], list[n:]) {
					// "a/**" is what lies in a, not a itself.
					return len(glob) > 1 || len(list) > 0
				}
			}
			return false
		}
		if len(list) == 0 {
			return false
		}
		if ok, err := path.Match(glob[0], list[0]); err != nil || !ok {
			return false
		}
		glob, list = glob[1:], list[1:]
	}
	return len(list) == 0
}

// reaches reports whether a directory is on the way to what a glob names: one of
// its own components, not only "**", leads into it.
func reaches(glob, list []string) bool {
	for n := 1; n < len(glob); n++ {
		if glob[n-1] != "**" && match(glob[:n], list) {
			return true
		}
	}
	return false
}
