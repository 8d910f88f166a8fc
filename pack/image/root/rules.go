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
	// Desktops, editors and shells that are not here.
	"usr/share/fonts/X11", "usr/share/fonts/opentype/urw-base35", "usr/share/vim", "usr/share/zsh", "usr/share/fish",
	"usr/share/icons", "usr/share/applications", "usr/share/help", "usr/share/mime/packages",
	// What Perl would need to be linked into other programs.
	"usr/bin/perl5.40-x86_64-linux-gnu", "usr/bin/perl5.40-aarch64-linux-gnu",
	// Git as a server and over protocols of its own; a clone needs git-remote-http.
	"usr/bin/scalar", "usr/bin/git-shell", "usr/lib/git-core/scalar", "usr/lib/git-core/git-shell", "usr/lib/git-core/git-daemon",
	"usr/lib/git-core/git-http-backend", "usr/lib/git-core/git-http-push", "usr/lib/git-core/git-http-fetch", "usr/lib/git-core/git-imap-send",
	// Towns for positions, and words of other languages for tags.
	"usr/share/perl5/Image/ExifTool/Geolocation.dat", "usr/share/perl5/Image/ExifTool/Lang",
	"etc/resolv.conf", "etc/mtab", "etc/.pwd.lock", "etc/subuid-", "etc/subgid-",
	"etc/passwd-", "etc/group-", "etc/shadow-", "etc/gshadow-",
	"var/lib/dpkg/lock", "var/lib/dpkg/lock-frontend", "var/lib/dpkg/triggers/Lock",
	"var/lib/dpkg/status-old", "var/lib/dpkg/diversions-old", "var/lib/dpkg/statoverride-old", "var/lib/dpkg/available-old",
}

// droppedFiles are patterns (path.Match) of files that are left out.
var droppedFiles = []string{
	"usr/lib/*/libperl.so.*", "usr/lib/*/perl/*/CORE/*.h", "usr/share/perl/*/unicore/TestNorm.pl",
	"usr/share/fonts/type1/urw-base35/*.afm", "usr/lib/python3*/pydoc_data/topics.py", "usr/lib/python3*/pydoc_data/__pycache__/topics.*",
	"usr/lib/python3*/lib-dynload/_test*.so", "usr/lib/python3*/lib-dynload/_ctypes_test*.so",
	// For dpkg when it installs, which it never does here.
	"var/lib/dpkg/info/*.symbols", "var/lib/dpkg/info/*.shlibs", "var/lib/dpkg/info/*.templates", "var/lib/dpkg/info/*.preinst",
	"var/lib/dpkg/info/*.postinst", "var/lib/dpkg/info/*.prerm", "var/lib/dpkg/info/*.postrm", "var/lib/dpkg/info/*.triggers", "var/lib/dpkg/info/*.config",
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
	for _, p := range droppedFiles {
		if ok, err := path.Match(p, name); ok && err == nil {
			return true
		}
	}
	if strings.HasPrefix(name, "usr/") && path.Ext(name) == ".pod" { // Perl's manuals
		return true
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
