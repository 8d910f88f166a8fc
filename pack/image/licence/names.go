package licence

import (
	"regexp"
	"strings"
)

// spdx maps Debian's short names, in lower case, to SPDX identifiers
// (https://spdx.org/licenses/). Families with versions are in gnu.
var spdx = map[string]string{
	"0bsd": "0BSD", "afl-2.0": "AFL-2.0", "afl-2.1": "AFL-2.1", "apache-2": "Apache-2.0", "apache-2.0": "Apache-2.0",
	"artistic": "Artistic-1.0-Perl", "artistic-1": "Artistic-1.0-Perl", "artistic-1.0": "Artistic-1.0-Perl",
	"artistic-2": "Artistic-2.0", "artistic-2.0": "Artistic-2.0", "beerware": "Beerware", "beer-ware": "Beerware",
	"bitstream-vera": "Bitstream-Vera", "boost": "BSL-1.0", "boost-1.0": "BSL-1.0", "bsl-1": "BSL-1.0", "bsl-1.0": "BSL-1.0",
	"bsd-1-clause": "BSD-1-Clause", "bsd-2": "BSD-2-Clause", "bsd-2-clause": "BSD-2-Clause", "bsd-2-clause-patent": "BSD-2-Clause-Patent",
	"bsd-3": "BSD-3-Clause", "bsd3": "BSD-3-Clause", "bsd-3-clause": "BSD-3-Clause", "bsd-3-clause-attribution": "BSD-3-Clause-Attribution",
	"bsd-4-clause": "BSD-4-Clause", "bsd-4-clause-uc": "BSD-4-Clause-UC", "bzip2-1.0.6": "bzip2-1.0.6",
	"cc-by-3.0": "CC-BY-3.0", "cc-by-4.0": "CC-BY-4.0", "cc-by-sa-3.0": "CC-BY-SA-3.0", "cc-by-sa-4.0": "CC-BY-SA-4.0",
	"cc-by-sa-2.5": "CC-BY-SA-2.5", "cc-by-sa-2.0": "CC-BY-SA-2.0", "cc-by-sa-1.0": "CC-BY-SA-1.0",
	"cc0": "CC0-1.0", "cc0-1.0": "CC0-1.0", "cddl": "CDDL-1.0", "cddl-1.0": "CDDL-1.0", "cecill-2.0": "CECILL-2.0", "cpl-1.0": "CPL-1.0",
	"curl": "curl", "epl-1.0": "EPL-1.0", "epl-2.0": "EPL-2.0", "expat": "MIT", "mit": "MIT", "mit/x11": "MIT", "mit-cmu": "MIT-CMU",
	"fsfap": "FSFAP", "gnu-all-permissive-license": "FSFAP", "all-permissive": "FSFAP", "fsful": "FSFUL", "fsf-unlimited": "FSFUL",
	"fsfullr": "FSFULLR", "fsfullrwd": "FSFULLRWD", "ftl": "FTL", "hpnd": "HPND", "icu": "ICU", "ijg": "IJG",
	"imagemagick": "ImageMagick", "inner-net": "Inner-Net-2.0", "isc": "ISC", "latex2e": "Latex2e", "libpng": "Libpng", "libpng-2.0": "libpng-2.0", "libtiff": "libtiff",
	"lppl-1.3c": "LPPL-1.3c", "lppl-1.3": "LPPL-1.3c", "mpl-1.0": "MPL-1.0", "mpl-1.1": "MPL-1.1", "mpl-2.0": "MPL-2.0", "ms-pl": "MS-PL", "ncsa": "NCSA", "ntp": "NTP",
	"ofl": "OFL-1.1", "ofl-1.1": "OFL-1.1", "sil-1.1": "OFL-1.1", "oldap-2.8": "OLDAP-2.8", "openldap-2.8": "OLDAP-2.8", "openldap": "OLDAP-2.8",
	"openssl": "OpenSSL", "php-3.01": "PHP-3.01", "postgresql": "PostgreSQL", "psf": "PSF-2.0", "psf-2": "PSF-2.0", "psf-2.0": "PSF-2.0", "psf-license": "PSF-2.0",
	"python": "Python-2.0", "python-2.0": "Python-2.0", "qpl-1.0": "QPL-1.0", "ruby": "Ruby", "rsa-md": "RSA-MD", "sleepycat": "Sleepycat", "sunpro": "SunPro",
	"tcl": "TCL", "tcp-wrappers": "TCP-wrappers", "bsd-tcp_wrappers": "TCP-wrappers", "unicode-dfs-2016": "Unicode-DFS-2016", "unicode-v3": "Unicode-3.0", "unicode-3.0": "Unicode-3.0", "unlicense": "Unlicense", "vim": "Vim",
	"w3c": "W3C", "wtfpl": "WTFPL", "wtfpl-2": "WTFPL", "x11": "X11", "zlib": "Zlib", "zlib/libpng": "Zlib", "zpl-2.1": "ZPL-2.1",
}

// gnu matches the licences of the FSF with their versions.
var gnu = regexp.MustCompile(`^(a?gpl|lgpl|gfdl|gfdl-niv)(?:-?v?([0-9](?:\.[1-9])?)(?:\.0)?)?(\+|-only|-or-later)?$`)

// versions that SPDX knows.
var gnuVersions = map[string]string{
	"gpl-1": "1.0", "gpl-2": "2.0", "gpl-3": "3.0", "lgpl-2": "2.0", "lgpl-2.1": "2.1", "lgpl-3": "3.0", "agpl-3": "3.0", "agpl-1": "1.0",
	"gfdl-1.1": "1.1", "gfdl-1.2": "1.2", "gfdl-1.3": "1.3",
}

// exceptions, by a word of Debian's and for GPL versions from up to.
var exceptions = []struct{ word, id string }{
	{"autoconf-generic", "Autoconf-exception-generic"}, {"autoconf generic", "Autoconf-exception-generic"},
	{"autoconf-macro", "Autoconf-exception-macro"}, {"autoconf macro", "Autoconf-exception-macro"},
	{"bison", "Bison-exception-2.2"}, {"classpath", "Classpath-exception-2.0"}, {"font", "Font-exception-2.0"},
	{"gcc-runtime", "GCC-exception-3.1"}, {"gcc runtime", "GCC-exception-3.1"}, {"gcc", "GCC-exception-3.1"}, {"libtool", "Libtool-exception"},
	{"linux-syscall-note", "Linux-syscall-note"}, {"llvm", "LLVM-exception"}, {"texinfo", "Texinfo-exception"},
}

// identifier is the SPDX identifier for one short name of Debian's, with its
// exception, "" for what is no licence.
func identifier(short string) string {
	short = strings.Trim(short, " .()")
	lower := strings.ToLower(short)
	switch lower {
	case "", "none":
		return ""
	}
	base, exception, has := strings.Cut(lower, " with ")
	if !has {
		base, exception, has = strings.Cut(lower, "-with-")
		has = has && strings.HasSuffix(exception, "exception")
		if !has {
			base = lower
		}
	}
	id := spdx[base]
	if m := gnu.FindStringSubmatch(base); id == "" && m != nil {
		id = gnuIdentifier(m[1], m[2], m[3])
	}
	if id == "" {
		return reference(short)
	}
	if !has {
		return id
	}
	if strings.HasPrefix(exception, "autoconf exception") {
		switch {
		case strings.HasPrefix(id, "GPL-3"):
			return id + " WITH Autoconf-exception-3.0"
		case strings.HasPrefix(id, "GPL-2"):
			return id + " WITH Autoconf-exception-2.0"
		}
	}
	for _, e := range exceptions {
		if strings.HasPrefix(exception, e.word) {
			return id + " WITH " + e.id
		}
	}
	return reference(short)
}

func gnuIdentifier(family, version, later string) string {
	niv := family == "gfdl-niv"
	family = strings.TrimSuffix(family, "-niv")
	suffix := "-only"
	if later == "+" || later == "-or-later" {
		suffix = "-or-later"
	}
	if version == "" { // any version that was ever published
		version, suffix = map[string]string{"gpl": "1", "lgpl": "2", "agpl": "3", "gfdl": "1.1"}[family], "-or-later"
	}
	v, ok := gnuVersions[family+"-"+version]
	if !ok {
		return ""
	}
	if niv {
		suffix = "-no-invariants" + suffix
	}
	return strings.ToUpper(family) + "-" + v + suffix
}

var notInReference = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// reference names a licence that SPDX has no name for.
func reference(short string) string {
	return "LicenseRef-debian-" + strings.Trim(notInReference.ReplaceAllString(short, "-"), "-")
}
