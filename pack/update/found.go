package update

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"piwork/pack"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// Kind says what a file is.
type Kind string

// Kinds of files that a person may already have.
const (
	KindRuntime Kind = "runtime" // for pack.Install
	KindAddOn   Kind = "addon"   // for pack.Install, into the add-on's own store
	KindBundle  Kind = "bundle"  // for pack.OpenBundle
)

// Found is a file that can be installed from without a network. Its head, or its
// list, is verified and for this computer; its content is verified while it is
// installed, so that nothing is read twice.
type Found struct {
	File    string // absolute
	Kind    Kind
	AddOn   string // name of the add-on
	Version string
}

// File says what a file is: the answer to "I already have it". What is not
// accepted is a [spec.VerifyError].
func File(ctx context.Context, file string, keys *trust.KeyRing, policy spec.Policy) (*Found, error) {
	f, err := look(ctx, file, keys, policy)
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", file, err)
	}
	return f, nil
}

func look(ctx context.Context, file string, keys *trust.KeyRing, policy spec.Policy) (*Found, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would block
		return nil, &spec.VerifyError{Kind: spec.KindNotAPack, Err: errors.New("not a file")}
	}
	out := &Found{File: file}
	if pack.IsBundle(file) {
		b, err := pack.OpenBundle(ctx, file, keys, pack.BundleOptions{Policy: policy, Unsigned: true})
		if err != nil {
			return nil, err
		}
		out.Kind, out.Version = KindBundle, b.Manifest.Version
		return out, b.Close()
	}
	m, err := manifestOf(ctx, file, keys, policy)
	if err != nil {
		return nil, err
	}
	out.Kind, out.Version = KindRuntime, m.Version
	if name, ok := m.AddOn(); ok {
		out.Kind, out.AddOn = KindAddOn, name
	}
	return out, nil
}

// manifestOf reads the head of a pack.
func manifestOf(ctx context.Context, file string, keys *trust.KeyRing, policy spec.Policy) (*spec.Manifest, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h, err := pack.ReadHead(ctx, f, keys, policy)
	if err != nil {
		return nil, err
	}
	return h.Manifest, nil
}

// Places are the directories in which a person puts a file that belongs to the
// program: beside it, beside its AppImage, beside its macOS bundle.
func Places() []string {
	var dirs []string
	add := func(file string) {
		if file == "" {
			return
		}
		d := filepath.Dir(file)
		if i := strings.Index(d+string(filepath.Separator), ".app"+string(filepath.Separator)); i >= 0 {
			d = filepath.Dir(d[:i+len(".app")])
		}
		if !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	add(os.Getenv("APPIMAGE"))
	if exe, err := os.Executable(); err == nil {
		add(exe)
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			add(real)
		}
	}
	return dirs
}

// candidate is a file that is named as what is looked for.
type candidate struct {
	file   string
	bundle bool
	newer  *semver.Version
}

// Candidates are the files in dirs that are named as bundles and runtimes for
// this computer, bundles first, then by version, newest first. Their content is
// not looked at. Directories that cannot be read have none.
func Candidates(dirs []string) []string {
	var names []string
	for _, c := range candidates(dirs) {
		names = append(names, c.file)
	}
	return names
}

// maxCandidates bounds what is looked at in a directory full of them.
const maxCandidates = 64

func candidates(dirs []string) []candidate {
	host := runtime.GOOS + "-" + runtime.GOARCH + "-"
	var list []candidate
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			rest, bundle := strings.CutPrefix(e.Name(), "piwork-bundle-"+host)
			suffix := ".tar"
			if !bundle {
				var ok bool
				if rest, ok = strings.CutPrefix(e.Name(), "piwork-runtime-"+host); !ok {
					continue
				}
				suffix = ".tar.zst"
			}
			version, ok := strings.CutSuffix(rest, suffix)
			if !ok {
				continue
			}
			// A browser that had the name already writes "name (1).tar".
			version, _, _ = strings.Cut(version, " ")
			v, err := semver.StrictNewVersion(version)
			if err != nil {
				continue
			}
			file := filepath.Join(dir, e.Name())
			info, err := os.Stat(file)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			list = append(list, candidate{file, bundle, v})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int {
		if a.bundle != b.bundle {
			if a.bundle {
				return -1
			}
			return 1
		}
		return b.newer.Compare(a.newer)
	})
	return list[:min(len(list), maxCandidates)]
}

// Beside finds the best file to install from in dirs, see [Places]: the first
// candidate that is accepted. Without a candidate it returns nil and no error;
// when none is accepted, why.
func Beside(ctx context.Context, dirs []string, keys *trust.KeyRing, policy spec.Policy) (*Found, error) {
	var errs []error
	for _, name := range Candidates(dirs) {
		f, err := File(ctx, name, keys, policy)
		if err == nil {
			return f, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}
