package root

import (
	"path"
	"strings"
)

// emptied are directories that are kept without their content.
var emptied = []string{
	"dev", "proc", "sys", "run", "tmp", "boot", "var/tmp", "var/cache", "var/log",
	"var/lib/apt", "var/lib/systemd", "etc/apt", "usr/share/doc", "usr/share/man",
}

// dropped are trees and files that are left out whole.
var dropped = []string{
	"usr/share/info", "usr/share/locale", "usr/share/lintian", "usr/share/bug", "usr/share/doc-base",
	"usr/share/bash-completion", "usr/share/gcc", "usr/share/menu", "usr/share/pixmaps",
	"etc/resolv.conf", "etc/mtab", "etc/.pwd.lock", "etc/subuid-", "etc/subgid-",
	"etc/passwd-", "etc/group-", "etc/shadow-", "etc/gshadow-",
	"var/lib/dpkg/lock", "var/lib/dpkg/lock-frontend", "var/lib/dpkg/triggers/Lock",
	"var/lib/dpkg/status-old", "var/lib/dpkg/diversions-old", "var/lib/dpkg/statoverride-old", "var/lib/dpkg/available-old",
}

// Drop reports whether a file of the bootstrap does not become part of the
// root. Copyright files stay.
func Drop(name string) bool {
	if rest, ok := strings.CutPrefix(name, "usr/share/doc/"); ok {
		// Either a package's directory or a link to that of another one.
		pkg, file, inside := strings.Cut(rest, "/")
		return pkg == "" || inside && file != "copyright"
	}
	for _, d := range emptied {
		if strings.HasPrefix(name, d+"/") {
			return true
		}
	}
	for d := name; d != "."; d = path.Dir(d) {
		for _, x := range dropped {
			if d == x {
				return true
			}
		}
	}
	return false
}
