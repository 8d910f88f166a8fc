package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"piwork/pack/spec"
)

// BundlePack is a pack in a bundle, whose head is verified.
type BundlePack struct {
	File  BundleFile
	Head  *Head
	AddOn string // name of the add-on, "" for a runtime
}

// Packs verifies and returns the heads of all packs, runtimes first. An add-on
// that fits over no runtime in the bundle, or a pack that is not the one that the
// list means, is a [spec.VerifyError].
func (b *Bundle) Packs(ctx context.Context) ([]BundlePack, error) {
	var list []BundlePack
	var heads []*Head
	for _, f := range b.Manifest.Files {
		if f.Pack == "" {
			continue
		}
		r, _, _ := b.section(f.Path)
		h, err := ReadHead(ctx, r, b.keys, b.policy)
		if err != nil {
			return nil, fmt.Errorf("bundle: %s: %w", f.Path, err)
		}
		p := BundlePack{File: f, Head: h}
		switch {
		case h.Digest != f.Pack:
			err = spec.Refuse(spec.KindFlippedByte, f.Path, "SHA-256 of the manifest is %s, listed was %s", h.Digest, f.Pack)
		case h.Size() != f.Size:
			err = spec.Refuse(spec.KindWrongSize, f.Path, "%d bytes, its index says %d", f.Size, h.Size())
		case f.Path != bundlePacks+h.Manifest.ArchiveName():
			err = spec.Refuse(spec.KindUnsafeName, f.Path, "is the pack %s", h.Manifest.ArchiveName())
		}
		if err != nil {
			return nil, fmt.Errorf("bundle: %w", err)
		}
		p.AddOn, _ = h.Manifest.AddOn()
		list, heads = append(list, p), append(heads, h)
	}
	m, err := runtimeOf(heads)
	if err == nil && m.Version != b.Manifest.Version {
		err = fmt.Errorf("has the runtime %s, its list says %s", m.Version, b.Manifest.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", spec.Refuse(spec.KindBadManifest, BundleName, "%w", err))
	}
	slices.SortStableFunc(list, func(a, b BundlePack) int { return strings.Compare(a.AddOn, b.AddOn) })
	return list, nil
}

// BundleInstallOptions of [Bundle.Install].
type BundleInstallOptions struct {
	Runtime *Store                            // for the runtime
	AddOn   func(name string) (*Store, error) // store of an add-on; nil installs none
	Install InstallOptions                    // for each; its Policy is that of the bundle and its Progress is for all
}

// Install installs the packs straight out of the bundle: the runtime, then the
// add-ons, each as [Install] would. All heads are verified before anything is
// written. After an error the packs that were done before it stay installed.
func (b *Bundle) Install(ctx context.Context, o BundleInstallOptions) ([]*Installed, error) {
	packs, err := b.Packs(ctx)
	if err != nil {
		return nil, err
	}
	var todo []BundlePack
	var total, done int64
	for _, p := range packs {
		if p.AddOn != "" && o.AddOn == nil {
			continue
		}
		todo = append(todo, p)
		total += p.Head.Manifest.Bytes()
	}
	var list []*Installed
	for _, p := range todo {
		s := o.Runtime
		if p.AddOn != "" {
			if s, err = o.AddOn(p.AddOn); err != nil {
				return list, fmt.Errorf("install %s from the bundle: %w", p.File.Path, err)
			}
		}
		each := o.Install
		each.Policy = b.policy
		if o.Install.Progress != nil {
			before := done
			each.Progress = func(n, _ int64) { o.Install.Progress(before+n, total) }
		}
		r, _, _ := b.section(p.File.Path)
		in, err := install(ctx, r, s, b.keys, each, p.File.Pack)
		if err != nil {
			return list, fmt.Errorf("install %s from the bundle: %w", p.File.Path, err)
		}
		list = append(list, in)
		done += p.Head.Manifest.Bytes()
	}
	return list, nil
}

// Verify reads all of the bundle and checks every entry against the list, and
// every pack as [VerifyFile] does.
func (b *Bundle) Verify(ctx context.Context, progress spec.Progress) error {
	if _, err := b.Packs(ctx); err != nil {
		return err
	}
	t := &tracker{progress: progress}
	for _, f := range b.Manifest.Files {
		t.total += f.Size
	}
	for _, f := range b.Manifest.Files {
		r, _, _ := b.section(f.Path)
		if f.Pack != "" {
			if _, err := extract(ctx, r, b.keys, b.policy, nowhere, nil); err != nil {
				return fmt.Errorf("bundle: %s: %w", f.Path, err)
			}
			if _, err := r.Seek(0, io.SeekStart); err != nil {
				return err
			}
		}
		if err := b.same(ctx, r, f); err != nil {
			return fmt.Errorf("bundle: %w", err)
		}
		t.add(f.Size)
	}
	return nil
}

// same compares the content of an entry with the list.
func (b *Bundle) same(ctx context.Context, r io.Reader, f BundleFile) error {
	sum, _, err := hashReader(ctx, r)
	if err != nil {
		return err
	}
	if sum != f.SHA256 {
		return spec.Refuse(spec.KindFlippedByte, f.Path, "SHA-256 is %s, listed was %s", sum, f.SHA256)
	}
	return nil
}

// runtimeOf returns the one runtime among packs, over which all add-ons fit.
func runtimeOf(packs []*Head) (*spec.Manifest, error) {
	var m *spec.Manifest
	for _, h := range packs {
		if _, ok := h.Manifest.AddOn(); ok {
			continue
		}
		if m != nil {
			return nil, fmt.Errorf("two runtimes, %s and %s", m.Version, h.Manifest.Version)
		}
		m = h.Manifest
	}
	if m == nil {
		return nil, errors.New("no runtime")
	}
	for _, h := range packs {
		if name, ok := h.Manifest.AddOn(); ok && !h.Manifest.FitsOver(m) {
			return nil, fmt.Errorf("the add-on %s does not fit over the runtime %s", name, m.Version)
		}
	}
	return m, nil
}
