package guard

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

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
// some host takes for the same name are the same: upper and lower case, composed
// and decomposed characters, characters that nobody sees (HFS+ and ext4 ignore
// them), and dots and spaces at the end, which Windows drops. Short names (8.3)
// are not known here: a path has the names that are in the directories.
func components(p string) []string {
	list := strings.Split(fold(p), "/")
	for i, c := range list {
		if t := strings.TrimRight(c, ". "); t != "" {
			list[i] = t
		}
	}
	return list
}

func fold(p string) string {
	if isASCII(p) {
		return strings.ToLower(p)
	}
	p = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, p)
	return norm.NFD.String(cases.Fold().String(norm.NFD.String(p)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// touches reports whether a change is of a path that a glob names. What the task
// makes counts where a glob's first name stands in a directory that was there: a
// .git of its own in a project is asked about, a project of its own is not.
//
// Moving a directory moves what is in it, which nobody looked at: it touches what
// it could hold at either end. (Creating something that has an ID is where it
// arrives.) A symbolic link may lead to anything, too.
func (c compiled) touches(i Intent) bool {
	below := i.Kind == at.Directory && (i.Effect&Move != 0 || i.Effect == Create && i.ID != at.ID{}) ||
		i.Kind == at.Symlink && i.Effect&(Create|Move) != 0
	if i.Instead && i.Kind == at.Symlink {
		return len(c) > 0
	}
	for _, p := range []string{i.Path, i.To} {
		if p == "" {
			continue
		}
		list := components(p)
		there := len(list) - 1
		if i.Effect == Create {
			there -= i.Made
		}
		for _, g := range c {
			if from(g, list, there, match) || below && from(g, list, there, reaches) {
				return true
			}
		}
	}
	return false
}

// from reports whether a glob matches whose first name is one of the path's own
// first components, up to the one with the number there.
func from(glob, list []string, there int, matches func(glob, list []string) bool) bool {
	if glob[0] != "**" || len(glob) == 1 {
		return matches(glob, list)
	}
	for n := range there + 1 {
		if matches(glob[1:], list[n:]) {
			return true
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
