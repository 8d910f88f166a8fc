package debian

import (
	"errors"
	"maps"
	"testing"
	"testing/fstest"
)

func TestFindMirrors(t *testing.T) {
	const deb822 = `# a comment
Types: deb deb-src
URIs: http://mirror.example/debian/
# another
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
`
	const others = `deb [arch=amd64 signed-by=/k.gpg] https://packages.example/repo bookworm main
deb https://download.example/linux/debian bookworm stable
deb https://apt.example/pub/repos/apt bookworm-pgdg main
`
	for name, c := range map[string]struct {
		env   map[string]string
		files map[string]string
		want  Mirrors
		fails bool
	}{
		"stanzas": {
			files: map[string]string{"sources.list.d/debian.sources": deb822},
			want:  Mirrors{ArchiveMain: "http://mirror.example/debian", ArchiveSecurity: "http://mirror.example/debian-security"},
		},
		"lines": {
			files: map[string]string{"sources.list": "deb http://a.example/debian trixie main\n#deb http://b.example/debian trixie main\ndeb-src http://c.example/debian trixie main\ndeb http://s.example/sec trixie-security main # words\n"},
			want:  Mirrors{ArchiveMain: "http://a.example/debian", ArchiveSecurity: "http://s.example/sec"},
		},
		"security of old releases": {
			files: map[string]string{"sources.list": "deb http://a.example/debian stable main\ndeb http://s.example/sec stable/updates main\n"},
			want:  Mirrors{ArchiveMain: "http://a.example/debian", ArchiveSecurity: "http://s.example/sec"},
		},
		"no security": {
			files: map[string]string{"sources.list": "deb http://a.example/debian/ sid main\n"},
			want:  Mirrors{ArchiveMain: "http://a.example/debian", ArchiveSecurity: "http://a.example/debian-security"},
		},
		"others use the names of Debian's suites": {
			files: map[string]string{"sources.list": others, "sources.list.d/z.sources": deb822},
			want:  Mirrors{ArchiveMain: "http://mirror.example/debian", ArchiveSecurity: "http://mirror.example/debian-security"},
		},
		"a list of mirrors": {
			files: map[string]string{"sources.list.d/cloud.sources": "Types: deb\nURIs: mirror+file:/etc/apt/mirrors/debian.list\nSuites: trixie trixie-updates\nComponents: main\n"},
			want:  Mirrors{ArchiveMain: "mirror+file:/etc/apt/mirrors/debian.list", ArchiveSecurity: "mirror+file:/etc/apt/mirrors/debian.list-security"},
		},
		"switched off, sources only, other names": {
			files: map[string]string{
				"sources.list.d/a.sources":       "Enabled: no\nTypes: deb\nURIs: http://a.example/debian\nSuites: trixie\nComponents: main\n",
				"sources.list.d/b.sources":       "Types: deb-src\nURIs: http://b.example/debian\nSuites: trixie\nComponents: main\n",
				"sources.list.d/c.list.disabled": "deb http://c.example/debian trixie main\n",
				"sources.list":                   "deb http://d.example/ubuntu noble main\ndeb [broken http://e.example/debian trixie main\ndebris\n",
			},
			fails: true,
		},
		"nothing": {fails: true},
		"the environment": {
			env:   map[string]string{EnvMirror: "file:/srv/debian/"},
			files: map[string]string{"sources.list.d/debian.sources": deb822},
			want:  Mirrors{ArchiveMain: "file:/srv/debian", ArchiveSecurity: "file:/srv/debian-security"},
		},
		"both in the environment": {
			env:  map[string]string{EnvMirror: "http://a.example/x", EnvSecurityMirror: "http://b.example/y/"},
			want: Mirrors{ArchiveMain: "http://a.example/x", ArchiveSecurity: "http://b.example/y"},
		},
		"no URL": {env: map[string]string{EnvMirror: "srv/debian"}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			etc := fstest.MapFS{}
			for n, text := range c.files {
				etc[n] = &fstest.MapFile{Data: []byte(text)}
			}
			got, err := FindMirrors(func(k string) string { return c.env[k] }, etc)
			if (err != nil) != c.fails {
				t.Fatalf("error %v", err)
			}
			if c.fails && c.env == nil && !errors.Is(err, ErrNoMirror) {
				t.Errorf("error %v, want ErrNoMirror", err)
			}
			if !c.fails && !maps.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
