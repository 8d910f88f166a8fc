package order

import (
	"path/filepath"
	"strings"
)

// Variables that say where the system of an agent and the directories of a task are, when
// they are not at the root, to [Program].
const (
	TreeVariable  = "PIWORK_TREE"  // has the system
	PlaceVariable = "PIWORK_PLACE" // has the directories of the task by their names: /work is in it as work
)

// searched are the variables by which programs find what they otherwise look for below the
// root, with patterns of the paths there.
var searched = []struct {
	name     string
	patterns []string
}{
	{"PERL5LIB", []string{"/etc/perl", "/usr/lib/*/perl5/*", "/usr/share/perl5", "/usr/lib/*/perl-base", "/usr/lib/*/perl/[0-9]*", "/usr/share/perl/[0-9]*"}},
	{"GCONV_PATH", []string{"/usr/lib", "/usr/lib/*/gconv"}}, // without any, that of the computer
	{"TZDIR", []string{"/usr/share/zoneinfo"}},
	{"TERMINFO_DIRS", []string{"/etc/terminfo", "/usr/lib/terminfo", "/usr/share/terminfo"}},
	{"GIT_EXEC_PATH", []string{"/usr/lib/git-core"}},
	{"GIT_TEMPLATE_DIR", []string{"/usr/share/git-core/templates"}},
	{"MAGIC", []string{"/usr/lib/file/magic.mgc"}},
	{"SSL_CERT_FILE", []string{"/etc/ssl/certs/ca-certificates.crt"}},
	{"FONTCONFIG_PATH", []string{"/etc/fonts"}}, // fonts.conf there, and what it includes
	{"XDG_DATA_DIRS", []string{"/usr/share"}},   // has fonts, too
	{"LIBHEIF_PLUGIN_PATH", []string{"/usr/lib/*/libheif/plugins"}},
	{"MAGICK_CONFIGURE_PATH", []string{"/etc/ImageMagick-*", "/usr/lib/*/ImageMagick-*/config-*", "/usr/share/ImageMagick-*"}},
	{"MAGICK_CODER_MODULE_PATH", []string{"/usr/lib/*/ImageMagick-*/modules-*/coders"}},
	{"MAGICK_FILTER_MODULE_PATH", []string{"/usr/lib/*/ImageMagick-*/modules-*/filters"}},
	{"GS_LIB", []string{"/usr/share/ghostscript/*/Resource/Init", "/usr/share/ghostscript/*/lib", "/usr/share/ghostscript/*/Resource/Font", "/usr/share/fonts"}},
	{"TESSDATA_PREFIX", []string{"/usr/share/tesseract-ocr/*/tessdata"}},
}

// Variables are those of programs of a system that is below a directory.
func Variables(tree string) []string {
	all := []string{"GIT_CONFIG_NOSYSTEM=1", "LOCPATH=" + tree + "/usr/lib/locale"} // not those of the computer
	for _, v := range searched {
		var found []string
		for _, pattern := range v.patterns {
			matches, err := filepath.Glob(literal.Replace(tree) + pattern)
			if err == nil {
				found = append(found, matches...)
			}
		}
		if len(found) > 0 {
			all = append(all, v.name+"="+strings.Join(found, ":"))
		}
	}
	return all
}

// literal is text in a pattern.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
