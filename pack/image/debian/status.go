package debian

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// CheckStatus compares dpkg's list of packages (/var/lib/dpkg/status) with a
// lock: every package of the lock is installed in its version, and no other.
func CheckStatus(r io.Reader, l *Lock) error {
	stanzas, err := Paragraphs(r)
	if err != nil {
		return fmt.Errorf("dpkg status: %w", err)
	}
	installed := map[string]string{}
	for _, s := range stanzas {
		if strings.HasSuffix(s["status"], " installed") {
			installed[s["package"]] = s["version"]
		} else {
			return fmt.Errorf("dpkg status: %s is %q", s["package"], s["status"])
		}
	}
	var wrong []string
	for _, p := range l.Packages {
		if v := installed[p.Name]; v != p.Version {
			wrong = append(wrong, fmt.Sprintf("%s is %q instead of %s", p.Name, v, p.Version))
		}
		delete(installed, p.Name)
	}
	for name, v := range installed {
		wrong = append(wrong, fmt.Sprintf("%s %s is not in the lock", name, v))
	}
	slices.Sort(wrong)
	if len(wrong) > 0 {
		return fmt.Errorf("dpkg status: %s", strings.Join(wrong, "; "))
	}
	return nil
}

// StatusOf returns the paragraph of a package in dpkg's list, "" when it is not
// there.
func StatusOf(status []byte, name string) string {
	for paragraph := range strings.SplitSeq(string(status), "\n\n") {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(paragraph, "\n"), "Package: "+name+"\n"); ok {
			return "Package: " + name + "\n" + strings.TrimRight(rest, "\n") + "\n"
		}
	}
	return ""
}
