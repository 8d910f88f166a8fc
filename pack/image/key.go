package image

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// sources is this package as it was compiled: it is part of every key, so that
// a change of how things are made is a change of what is made.
//
//go:embed *.go bootstrap debian disk internal/place kernel licence npm qemu relocate root statement terms verity workshop
var sources embed.FS

// sourceHash is the hash of the source without tests: of all of it, or of the
// files and directories ("x/") that are named.
func sourceHash(only ...string) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		if len(only) > 0 && !slices.ContainsFunc(only, func(o string) bool {
			return name == o || strings.HasSuffix(o, "/") && strings.HasPrefix(name, o)
		}) {
			return nil
		}
		data, err := sources.ReadFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%s %x\n", name, sha256.Sum256(data))
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// keyOf is the key of a part: a hash of its name and of everything that goes
// into it, which must be plain data.
func keyOf(name string, inputs ...any) (string, error) {
	data, err := json.Marshal(append([]any{name}, inputs...))
	if err != nil {
		return "", fmt.Errorf("key of %s: %w", name, err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}
