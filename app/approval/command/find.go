package command

import (
	"slices"
	"strings"
)

// Expressions of find that only look: with a value and without. -delete, -fprint,
// -fls, -ok and -files0-from are not among them.
var (
	findTests = byWord(map[string]string{
		"value": `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime -mmin
			-ctime -cmin -atime -amin -newer -anewer -cnewer -newermt -newerct -newerat -newermm -used -maxdepth -mindepth -perm -user -group -uid -gid
			-links -inum -samefile -fstype -printf`,
		"none": `-empty -print -print0 -ls -not -a -o -and -or -prune -readable -writable -executable -true -false -quit -depth -mount -xdev
			-follow -daystart -noleaf -nouser -nogroup -nowarn ! ( ) ,`,
	})
	findFlags = strings.Fields("-H -L -P -O0 -O1 -O2 -O3")
)

// find allows expressions that look, and programs that are harmless with the names
// that it finds.
func find(c *checker, args []word) bool {
	for len(args) > 0 && args[0].known && slices.Contains(findFlags, args[0].text) {
		args = args[1:]
	}
	found, first := word{one: true, source: "{}"}, true
	for len(args) > 0 && args[0].operand() && !(args[0].known && slices.Contains([]string{"!", "(", ")", ","}, args[0].text)) {
		if found.text = common(found.text, args[0].text); first {
			found.text = args[0].text
		}
		first, args = false, args[1:]
	}
	if first {
		found.text = "./"
	}
	for len(args) > 0 {
		w := args[0]
		args = args[1:]
		if !w.known {
			return false
		}
		if w.text == "-exec" || w.text == "-execdir" {
			end := slices.IndexFunc(args, func(a word) bool { return !a.known || a.text == ";" || a.text == "+" })
			if end < 1 || !args[end].known {
				return false
			}
			here := found
			if here.one = args[end].text == ";"; w.text == "-execdir" {
				here.text = "./"
			}
			c.command(replaced(args[:end], "{}", here))
			args = args[end+1:]
			continue
		}
		kind, ok := findTests[w.text]
		if !ok || kind == "value" && (len(args) == 0 || !args[0].one) {
			return false
		}
		if kind == "value" {
			args = args[1:]
		}
	}
	return true
}

// common is what two texts begin with.
func common(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
