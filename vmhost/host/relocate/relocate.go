package relocate

import (
	"bytes"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"

	"piwork/pack/lazyregexp"
)

// maxShebang is how much of a script's first line the kernel reads, in bytes.
const maxShebang = 255

// Version is another one when other files come of the same system.
const Version = "1"

// System implements tree.Change, for Debian on this processor.
type System struct{}

// libraries are the directories of libraries in a system.
var libraries = func() []string {
	triplet := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	return []string{"/usr/local/lib/" + triplet, "/usr/local/lib", "/lib/" + triplet, "/usr/lib/" + triplet, "/lib", "/usr/lib"}
}()

// Changes implements tree.Change.
func (System) Changes(name string, head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x7fELF")) || bytes.HasPrefix(head, []byte("#!")) || configuration(name)
}

// Target implements tree.Change: a link to what is in the system stays in it.
func (System) Target(place, target string) string {
	if top, _, _ := strings.Cut(strings.TrimPrefix(target, "/"), "/"); strings.HasPrefix(target, "/") && slices.Contains(parts, top) {
		return place + target
	}
	return target
}

// parts are the directories at the root that are of a system.
var parts = []string{"usr", "etc", "opt", "bin", "sbin", "lib", "lib64", "var"}

// File implements tree.Change.
func (System) File(place, name string, content []byte) ([]byte, error) {
	r := root{place, libraries}
	var err error
	switch {
	case bytes.HasPrefix(content, []byte("#!")):
		content, err = r.script(content)
	case bytes.HasPrefix(content, []byte("\x7fELF")):
		content, err = r.object(name, content)
	case configuration(name):
		content = r.paths(content)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return content, nil
}

// root is the directory in which a system is to work.
type root struct {
	dir       string
	libraries []string
}

// shebang is the first line of a script: its interpreter, and what follows.
var shebang = lazyregexp.New(`^#![ \t]*(/(?:usr/)?(?:local/)?s?bin/[^ \t\n]+)([^\n]*)`)

func (r root) script(content []byte) ([]byte, error) {
	m := shebang().FindSubmatchIndex(content)
	if m == nil {
		return content, nil
	}
	line := "#!" + r.dir + string(content[m[2]:m[3]]) + string(content[m[4]:m[5]])
	if len(line) > maxShebang {
		return nil, fmt.Errorf("the path %s is too long for the kernel", r.dir)
	}
	if strings.ContainsFunc(r.dir, func(c rune) bool { return c <= ' ' || strings.ContainsRune("\"'$`\\;&|<>()*?[", c) }) {
		return nil, fmt.Errorf("the path %s has a space or a sign that scripts cannot have in the names of their programs", r.dir)
	}
	return append([]byte(line), named().ReplaceAll(content[m[1]:], r.before())...), nil
}

// named is a path of the system in a script: where a word begins.
var named = lazyregexp.New("(?m)(^|[ \t\"'=(:;|&`])(/(?:usr|etc|opt|bin|sbin|lib)/)")

// before is what puts the root before a path, in place of what was found.
func (r root) before() []byte {
	return []byte("${1}" + strings.ReplaceAll(r.dir, "$", "$$") + "${2}")
}

func (r root) object(name string, content []byte) ([]byte, error) {
	base := path.Base(name)
	if strings.HasPrefix(base, "ld-linux") {
		return linker(content), nil
	}
	if strings.Contains(base, ".so") {
		return content, nil
	}
	return r.program(content)
}

// Where ld.so looks without being told, in its data.
var searched = lazyregexp.New(`/lib/[0-9a-z_]+-linux-gnu/\x00/usr/lib/[0-9a-z_]+-linux-gnu/\x00/lib/\x00/usr/lib/\x00`)

// linker is an ld.so that loads nothing of the computer. What it has in place of paths is as
// long, and nowhere.
func linker(content []byte) []byte {
	content = searched().ReplaceAllFunc(content, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("lib/"), []byte("-no/")) })
	content = bytes.ReplaceAll(content, []byte("/etc/ld.so.cache"), []byte("/-no/ld.so.cache"))
	return bytes.ReplaceAll(content, []byte("/etc/ld.so.preload"), []byte("/-no/ld.so.preload"))
}

// configuration tells the files in which paths are changed.
func configuration(name string) bool {
	return strings.HasSuffix(name, "/loaders.cache") || strings.HasPrefix(name, "etc/fonts/") && strings.HasSuffix(name, ".conf")
}

// path of the system in a file: after a quote or a tag.
var written = lazyregexp.New(`([">])(/(?:usr|var|etc)/)`)

func (r root) paths(content []byte) []byte { return written().ReplaceAll(content, r.before()) }
