package spec

import (
	"errors"
	"fmt"
	"strings"
)

// Names of the two entries in front of every archive.
const (
	ManifestName  = "manifest.json"
	SignatureName = "manifest.json.sig"
)

// Bounds of USTAR (POSIX.1-1988): a name longer than 100 bytes is split at a
// slash into a prefix of at most 155 and a rest of at most 100.
const (
	ustarName   = 100
	ustarPrefix = 155
	maxDepth    = 16
)

// CheckName refuses a file name that is not the same harmless relative path on
// every operating system: printable ASCII, slashes, no "." or "..", nothing that
// Windows reserves, and within the bounds of USTAR.
func CheckName(name string) error {
	if name == "" {
		return errors.New("empty")
	}
	if name[0] == '/' {
		return errors.New("absolute")
	}
	if len(name) > ustarName+1+ustarPrefix || !fitsUSTAR(name) {
		return fmt.Errorf("too long (%d bytes)", len(name))
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c < ' ' || c > '~':
			return fmt.Errorf("character %#02x", c)
		case strings.IndexByte(`\:*?"<>|`, c) >= 0:
			return fmt.Errorf("character %q", c)
		}
	}
	parts := strings.Split(name, "/")
	if len(parts) > maxDepth {
		return fmt.Errorf("more than %d components", maxDepth)
	}
	for _, p := range parts {
		switch {
		case p == "":
			return errors.New("empty component")
		case p == "." || p == "..":
			return fmt.Errorf("component %q", p)
		case strings.HasSuffix(p, ".") || strings.HasSuffix(p, " ") || p[0] == ' ':
			return fmt.Errorf("component %q starts or ends as Windows does not allow", p)
		case reservedOnWindows(p):
			return fmt.Errorf("component %q is a device on Windows", p)
		}
	}
	return nil
}

// fitsUSTAR reports whether an USTAR header can hold the name.
func fitsUSTAR(name string) bool {
	if len(name) <= ustarName {
		return true
	}
	i := strings.LastIndexByte(name[:min(ustarPrefix+1, len(name)-1)], '/')
	return i > 0 && len(name)-i-1 <= ustarName
}

// reservedOnWindows reports names of devices, with any extension
// (learn.microsoft.com, "Naming Files, Paths, and Namespaces").
func reservedOnWindows(part string) bool {
	base, _, _ := strings.Cut(part, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	if len(base) == 4 && (strings.HasPrefix(base, "COM") || strings.HasPrefix(base, "LPT")) {
		return base[3] >= '0' && base[3] <= '9'
	}
	return false
}

// NameSet finds names that some file system cannot keep apart: the same but for
// case, or a file where another name has a directory.
type NameSet struct {
	names map[string]string // folded → as first seen; directories end in "/"
}

// Add enters a name; one that a file system would take for another that is there is a
// [VerifyError].
func (s *NameSet) Add(name string) error {
	if s.names == nil {
		s.names = map[string]string{}
	}
	fold := strings.ToLower(name)
	if old, ok := s.names[fold]; ok {
		if old == name {
			return &VerifyError{Kind: KindDuplicateFile, File: name}
		}
		return Refuse(KindUnsafeName, name, "differs from %q in case only", old)
	}
	if _, ok := s.names[fold+"/"]; ok {
		return Refuse(KindUnsafeName, name, "is a file and a directory")
	}
	s.names[fold] = name
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		dir := name[:i]
		if _, ok := s.names[fold[:i]]; ok {
			return Refuse(KindUnsafeName, name, "%q is a file and a directory", dir)
		}
		if old, ok := s.names[fold[:i]+"/"]; ok && old != dir {
			return Refuse(KindUnsafeName, name, "directory differs from %q in case only", old)
		}
		s.names[fold[:i]+"/"] = dir
	}
	return nil
}
