package image

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"piwork/pack/guest/order"
	"piwork/pack/image/licence"
)

// The guest's own programs: what it boots from, and what carries out operations.
const (
	initPackage    = "./pack/guest/cmd/piwork-guest"
	operatePackage = "./pack/guest/cmd/piwork-operate"
)

// operatePath is where the agent looks for what carries out operations.
var operatePath = strings.TrimPrefix(order.Program, "/")

// ownPrograms are the guest's own programs, as they were just built.
type ownPrograms struct {
	dir  string
	init string // file
	root string // directory with the files of the root file system
}

// all are the files.
func (p ownPrograms) all() []string {
	return []string{p.init, filepath.Join(p.root, filepath.FromSlash(operatePath))}
}

func (p ownPrograms) remove() {
	if p.dir != "" {
		os.RemoveAll(p.dir)
	}
}

// buildOwn builds the guest's own programs. Go's own cache makes this quick when
// nothing changed.
func (b *builder) buildOwn(ctx context.Context) (ownPrograms, error) {
	dir, err := os.MkdirTemp(filepath.Join(b.CacheDir, "parts"), ".making-programs-")
	if err != nil {
		return ownPrograms{}, err
	}
	p := ownPrograms{dir: dir, init: filepath.Join(dir, "init"), root: filepath.Join(dir, "root")}
	for i, name := range []string{initPackage, operatePackage} {
		if err := buildProgram(ctx, b.SourceDir, b.guest.goarch, name, p.all()[i]); err != nil {
			p.remove()
			return ownPrograms{}, err
		}
	}
	return p, nil
}

// buildProgram builds a program for the guest.
func buildProgram(ctx context.Context, sourceDir, goarch, name, out string) error {
	_, err := runGo(ctx, sourceDir, []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + goarch, "GOAMD64=v1", "GOARM64=v8.0"},
		"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", out, name)
	if err != nil {
		return fmt.Errorf("build the guest's program %s: %w", path.Base(name), err)
	}
	return nil
}

// goDirective is the release of Go in go.mod.
var goDirective = regexp.MustCompile(`(?m)^go ([0-9.]+[0-9a-z]*)$`)

// runGo runs the go command in the checkout, without settings that would change
// what it makes.
func runGo(ctx context.Context, sourceDir string, env []string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = sourceDir
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"GOFLAGS", "GOEXPERIMENT", "GODEBUG", "GOWORK", "CGO_ENABLED", "GOOS", "GOARCH"}, name)
	}), "GOFLAGS=-mod=readonly", "GOWORK=off")
	c.Env = append(c.Env, env...)
	// Another release of Go makes other bytes: the one that go.mod names is used,
	// whatever is installed.
	mod, err := os.ReadFile(filepath.Join(sourceDir, "go.mod"))
	if err != nil {
		return nil, err
	}
	if m := goDirective.FindSubmatch(mod); m != nil {
		c.Env = append(c.Env, "GOTOOLCHAIN=go"+string(m[1]))
	}
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, strings.TrimSpace(complaint.String()))
	}
	return out.Bytes(), nil
}

// goModule is a module whose code is in the guest's programs.
type goModule struct {
	Path, Version string
	Dir           string `json:"-"`
}

// linkedModules lists what programs were linked from: Go itself first.
func linkedModules(ctx context.Context, sourceDir string, programs ...string) ([]goModule, error) {
	release, linked := "", map[string]*debug.Module{} // by path: all are of one go.mod
	for _, file := range programs {
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("modules of the guest's programs: %w", err)
		}
		release = strings.TrimPrefix(info.GoVersion, "go")
		for _, d := range info.Deps {
			if d.Replace != nil {
				return nil, fmt.Errorf("module %s is replaced", d.Path)
			}
			linked[d.Path] = d
		}
	}
	goroot, err := runGo(ctx, sourceDir, nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	modules := []goModule{{Path: "go", Version: release, Dir: strings.TrimSpace(string(goroot))}}
	for _, name := range slices.Sorted(maps.Keys(linked)) {
		d := linked[name]
		out, err := runGo(ctx, sourceDir, nil, "list", "-m", "-json", d.Path)
		if err != nil {
			return nil, err
		}
		var m goModule
		var listed struct{ Dir string }
		if err := errors.Join(json.Unmarshal(out, &m), json.Unmarshal(out, &listed)); err != nil {
			return nil, err
		}
		if m.Version != d.Version || listed.Dir == "" {
			return nil, fmt.Errorf("module %s: linked %s, go.mod has %s in %q", d.Path, d.Version, m.Version, listed.Dir)
		}
		m.Dir = listed.Dir
		modules = append(modules, m)
	}
	return modules, nil
}

// licenceOf finds the licence texts of a module, and the SPDX expression that
// they come to, "" when they cannot be told.
func (m goModule) licenceOf() (text []byte, expression string, err error) {
	var all bytes.Buffer
	var known []string
	for _, pattern := range []string{"LICENSE*", "LICENCE*", "COPYING*", "NOTICE*"} {
		names, err := filepath.Glob(filepath.Join(m.Dir, pattern))
		if err != nil {
			return nil, "", err
		}
		for _, n := range names {
			if info, err := os.Stat(n); err == nil && info.IsDir() { // licences of parts that are not linked
				continue
			}
			data, err := os.ReadFile(n)
			if err != nil {
				return nil, "", err
			}
			fmt.Fprintf(&all, "== %s\n\n%s\n", filepath.Base(n), data)
			if pattern != "NOTICE*" {
				known = append(known, licence.FromText(data))
			}
		}
	}
	if all.Len() == 0 {
		return nil, "", fmt.Errorf("module %s %s has no licence file", m.Path, m.Version)
	}
	if slices.Contains(known, "") {
		return all.Bytes(), "", nil
	}
	slices.Sort(known)
	return all.Bytes(), strings.Join(slices.Compact(known), " AND "), nil
}
