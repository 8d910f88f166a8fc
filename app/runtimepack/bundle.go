package runtimepack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"piwork/app/executable"
	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/pack"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/update"
)

// Bundle puts an offline bundle together: the archives of the runtime in use and
// of the add-ons, as they lie here or are put together again from what is installed,
// or as the channel has them, this program, the metadata of the channel, and licences and offers of sources. It is
// not signed: whoever makes one has no key. Every pack in it is signed itself; for
// the program in it nobody vouches. A bundle that is handed out is made with
// scripts/release, which signs its list.
func (p *Store) Bundle(ctx context.Context, s updater.Settings, r BundleRequest, told func(done, total int64)) (BundleInfo, error) {
	if err := checkOut(r.Out); err != nil {
		return BundleInfo{}, err
	}
	app, err := program(r.App)
	if err != nil {
		return BundleInfo{}, err
	}
	work, err := os.MkdirTemp(p.o.CacheDir, "bundle-*")
	if err != nil {
		return BundleInfo{}, err
	}
	defer func() {
		if err := os.RemoveAll(work); err != nil {
			p.o.Log.Warn("what a bundle was made of could not be removed", "error", err)
		}
	}()
	b := &bundler{Store: p, work: work, told: told}
	if err := b.gather(ctx, s, r); err != nil {
		return BundleInfo{}, err
	}
	m, file, err := pack.BuildBundle(ctx, pack.BundleBuildOptions{
		Packs: b.archives, App: []string{app}, Channel: b.channel, Licences: b.licences,
		Keys: p.keys(), Policy: p.policy, Out: r.Out, New: true, Progress: told,
	})
	if errors.Is(err, fs.ErrExist) { // since free looked
		return BundleInfo{}, taken(r.Out, err)
	}
	if err != nil {
		return BundleInfo{}, err
	}
	b.dropOthers()
	return b.info(ctx, m, file)
}

// checkOut refuses a place that nothing can be written to, before gigabytes are gathered; and
// names that mean something to other programs.
func checkOut(out string) error {
	if err := problem.CheckPath("out", out); err != nil {
		return err
	}
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		return nil
	}
	if !strings.EqualFold(filepath.Ext(out), ".tar") {
		return problem.BadRequest("out", "%q does not end with .tar", filepath.Base(out))
	}
	switch info, err := os.Stat(filepath.Dir(out)); {
	case err != nil:
		return problem.BadRequest("out", "%w", err)
	case !info.IsDir():
		return problem.BadRequest("out", "%s is no folder", filepath.Dir(out))
	}
	return nil
}

// free refuses to replace a file, before gigabytes are gathered.
func free(out string, runtime *spec.Manifest) error {
	file := pack.BundlePath(out, runtime.HostOS, runtime.HostArch, runtime.Version)
	switch _, err := os.Lstat(file); {
	case err == nil:
		return taken(file, nil)
	case !errors.Is(err, fs.ErrNotExist):
		return problem.BadRequest("out", "%w", err)
	}
	return nil
}

func taken(file string, cause error) error {
	return problem.New(problem.CodeOutputExists).By("name").With("path", file).Because(cause)
}

// program is the program that goes into a bundle: the one that runs, or the one
// that was named, which has to be there before gigabytes are gathered.
func program(named string) (string, error) {
	if named == "" {
		return executable.Path()
	}
	if err := problem.CheckPath("app", named); err != nil {
		return "", err
	}
	switch info, err := os.Lstat(named); {
	case err != nil:
		return "", problem.BadRequest("app", "%w", err)
	case !info.Mode().IsRegular():
		return "", problem.BadRequest("app", "%s is no file", named)
	}
	return named, nil
}

// bundler gathers what goes into a bundle.
type bundler struct {
	*Store
	work     string // removed in the end
	told     func(done, total int64)
	version  string // in use
	archives []string
	channel  string // directory, "" where nothing is known of the channel
	licences string // directory
}

// wanted is an archive that belongs into a bundle.
type wanted struct {
	name     string
	manifest string          // SHA-256, "" where it is not known
	target   *channel.Target // nil where the channel does not say
	in       *pack.Installed // nil where it is not installed
}

// gather finds the archives: in the downloads, beside the program, in what is
// installed, and else on the channel. The latter two go into the downloads, for the
// next bundle.
func (b *bundler) gather(ctx context.Context, s updater.Settings, r BundleRequest) error {
	for _, name := range r.AddOns {
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" { // it becomes part of a path
			return unknownAddOn(name)
		}
	}
	in, err := b.Installed(ctx)
	if errors.Is(err, ErrNoPack) {
		return problem.New(problem.CodePackMissing)
	}
	if spec.KindOf(err) != "" {
		return problem.Installed(err)
	}
	if err != nil {
		return err
	}
	if err := free(r.Out, &in.Manifest); err != nil {
		return err
	}
	rel, client, asked := b.offered(ctx, s)
	if client != nil {
		defer client.Close()
	}
	b.version = in.Manifest.Version
	if rel != nil && (rel.Version != b.version || rel.Archive.Manifest != in.ManifestSHA256) {
		asked = errors.Join(asked, fmt.Errorf("the channel offers %s, which is not what is in use, %s", rel.Version, b.version))
		rel = nil
	}
	if asked != nil {
		b.o.Log.Info("the bundle is made without asking the channel", "error", asked)
	}
	packs := []*pack.Installed{in}
	list := []wanted{{name: in.Manifest.ArchiveName(), manifest: in.ManifestSHA256, in: in}}
	if rel != nil {
		list[0].target = &rel.Archive
	}
	for _, name := range r.AddOns {
		w, add, err := b.addOn(name, in, rel)
		if err != nil {
			return err
		}
		w.in = add
		if list = append(list, w); add != nil {
			packs = append(packs, add)
		}
	}
	for _, w := range list {
		file := b.find(ctx, w)
		if file == "" {
			if file, err = b.rebuild(ctx, w); err != nil {
				return err
			}
		}
		switch {
		case file != "":
		case w.target == nil || asked != nil: // it would not be fetched either
			return problem.New(problem.CodeBundleIncomplete).With("missing", w.name).Because(asked)
		default:
			file = filepath.Join(b.downloads(), w.name)
			if err := client.Save(ctx, *w.target, file, func(p update.Progress) { b.told(p.Done, p.Total) }); err != nil {
				return err
			}
		}
		b.archives = append(b.archives, file)
	}
	return b.gatherLicences(packs)
}

// addOn says which archive an add-on is: the one that is installed and fits the
// runtime, or the one on offer.
func (b *bundler) addOn(name string, base *pack.Installed, rel *channel.Release) (w wanted, in *pack.Installed, err error) {
	if rel != nil {
		if t, ok := rel.AddOns[name]; ok {
			w = wanted{name: t.Name, manifest: t.Manifest, target: &t}
		}
	}
	if _, err := os.Stat(filepath.Join(b.o.DataDir, AddOnsDir, name)); err == nil {
		store, err := b.addOnStore(name)
		if err != nil {
			return w, nil, err
		}
		entries, err := store.List(b.keys(), b.policy)
		if err != nil {
			return w, nil, err
		}
		for _, e := range entries {
			if e.Err != nil || !e.Pack.Manifest.FitsOver(&base.Manifest) {
				continue
			}
			if w.name == "" {
				w = wanted{name: e.Pack.Manifest.ArchiveName(), manifest: e.Pack.ManifestSHA256}
			}
			if w.name == e.Pack.Manifest.ArchiveName() && (w.manifest == "" || w.manifest == e.Pack.ManifestSHA256) {
				return w, e.Pack, nil
			}
		}
	}
	if w.name == "" {
		return w, nil, unknownAddOn(name)
	}
	return w, nil, nil
}

func unknownAddOn(name string) error {
	return problem.New(problem.CodeAddOnUnknown).With("name", name)
}

// find returns the file of an archive that is here already. BuildBundle verifies
// it to its end.
func (b *bundler) find(ctx context.Context, w wanted) string {
	for _, dir := range append([]string{b.downloads()}, update.Places()...) {
		file := filepath.Join(dir, w.name)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || w.target != nil && info.Size() != w.target.Length {
			continue
		}
		if _, digest, err := b.head(ctx, file); err == nil && (w.manifest == "" || digest == w.manifest) {
			return file
		}
	}
	return ""
}

// rebuild puts an archive together from what is installed, and returns it, or ""
// where that does not do.
func (b *bundler) rebuild(ctx context.Context, w wanted) (string, error) {
	if w.in == nil {
		return "", nil
	}
	if err := os.MkdirAll(b.downloads(), 0o700); err != nil {
		return "", err
	}
	file := filepath.Join(b.downloads(), w.name)
	err := w.in.WriteArchive(ctx, file, b.told)
	switch {
	case err == nil:
		return file, nil
	case errors.Is(err, pack.ErrNotRebuilt):
		b.o.Log.Info("an archive is not made from what is installed", "archive", w.name, "error", err)
		return "", nil
	case spec.KindOf(err) != "":
		return "", problem.Installed(err)
	}
	return "", err
}

// head reads what an archive says that it is.
func (b *bundler) head(ctx context.Context, file string) (Info, string, error) {
	f, err := os.Open(file)
	if err != nil {
		return Info{}, "", err
	}
	h, err := pack.ReadHead(ctx, f, b.keys(), b.policy)
	if err = errors.Join(err, f.Close()); err != nil {
		return Info{}, "", err
	}
	return headInfo(h), h.Digest, nil
}

// offered asks the channel, and puts what is known of it then where the bundle
// takes it from. Where it does not answer the error says so, and what it said last
// counts.
func (b *bundler) offered(ctx context.Context, s updater.Settings) (rel *channel.Release, client *update.Client, failed error) {
	root, err := trust.ChannelRoot(b.trustOptions())
	if err != nil {
		return nil, nil, err
	}
	o := channel.Options{Root: root, Dir: filepath.Join(b.o.DataDir, channelDir), Name: ChannelName}
	if client, failed = b.client(s); failed == nil {
		o.Fetch = mirrored{client, b.Store, s}
	}
	c, err := channel.Open(o)
	if err != nil {
		return nil, client, err
	}
	if failed == nil {
		_, failed = c.Refresh(ctx)
		failed = errors.Join(failed, b.reloadKeys())
	}
	if rel, err = c.Last(); err == nil {
		b.channel = filepath.Join(b.work, "channel")
		err = c.Export(b.channel)
	}
	if errors.Is(err, channel.ErrNothingKnown) {
		err = nil
	}
	return rel, client, errors.Join(failed, err)
}

// info describes a bundle that was written.
func (b *bundler) info(ctx context.Context, m pack.BundleManifest, file string) (BundleInfo, error) {
	sum, size, err := hashOf(ctx, file)
	if err != nil {
		return BundleInfo{}, err
	}
	info := BundleInfo{File: file, Bytes: size, SHA256: sum, Packs: []Info{}}
	for _, archive := range b.archives {
		p, _, err := b.head(ctx, archive)
		if err != nil {
			return BundleInfo{}, err
		}
		info.Packs = append(info.Packs, p)
	}
	return info, nil
}

// hashOf returns the SHA-256 and the length of a file.
func hashOf(ctx context.Context, file string) (string, int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	stop := context.AfterFunc(ctx, func() { _ = f.Close() }) // ends the copy
	n, err := io.Copy(h, f)
	if !stop() && ctx.Err() != nil {
		return "", 0, context.Cause(ctx)
	}
	return hex.EncodeToString(h.Sum(nil)), n, err
}
