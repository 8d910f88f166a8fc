package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sigstore/sigstore/pkg/signature"

	"piwork/pack/durable"
	"piwork/pack/spec"
	"piwork/pack/trust"
)

// BundleBuildOptions say what [BuildBundle] puts together.
type BundleBuildOptions struct {
	Packs    []string  // archives: one runtime, and add-ons that fit over it
	App      []string  // files of the program; executable ones stay so
	Channel  string    // directory with metadata of the update channel, "" is none
	Licences string    // directory, "" is none
	Sources  string    // directory, "" is none
	Built    time.Time // zero is that of the runtime

	Keys     *trust.KeyRing   // that the packs are verified with
	Policy   spec.Policy      // for whom the packs must be
	Signer   signature.Signer // nil makes a bundle that nobody vouches for
	Out      string           // the bundle; see [BundlePath]
	New      bool             // a file that is there is an error, fs.ErrExist, and else replaced when complete
	Progress spec.Progress    // of bytes written

	step func(name string) // as in [BuildOptions]
}

// bundled is a file on its way into a bundle.
type bundled struct {
	BundleFile
	from string
}

// BuildBundle puts a bundle together and returns its list and the file. Every pack
// is verified to its end. The same input gives the same bytes.
func BuildBundle(ctx context.Context, o BundleBuildOptions) (BundleManifest, string, error) {
	m, out, err := buildBundle(ctx, o)
	if err != nil {
		return BundleManifest{}, "", fmt.Errorf("build bundle: %w", err)
	}
	return *m, out, nil
}

func buildBundle(ctx context.Context, o BundleBuildOptions) (*BundleManifest, string, error) {
	m := &BundleManifest{Schema: spec.Schema, Name: bundleWord, Built: o.Built.UTC().Truncate(time.Second)}
	files, err := collect(ctx, o, m)
	if err != nil {
		return nil, "", err
	}
	for _, f := range files {
		m.Files = append(m.Files, f.BundleFile)
	}
	if o.Signer != nil {
		public, err := o.Signer.PublicKey()
		if err != nil {
			return nil, "", fmt.Errorf("public key of the signer: %w", err)
		}
		if m.Key, err = trust.KeyID(public); err != nil {
			return nil, "", err
		}
	}
	raw, err := m.encode()
	if err != nil {
		return nil, "", err
	}
	var sig []byte
	if o.Signer != nil {
		if sig, err = trust.Sign(o.Signer, raw); err != nil {
			return nil, "", err
		}
	}
	put := os.Rename
	if o.New {
		put = durable.MoveNew
	}
	out := BundlePath(o.Out, m.HostOS, m.HostArch, m.Version)
	return m, out, writeBeside(out, put, o.step, func(w io.Writer) error {
		return writeBundle(ctx, w, raw, sig, files, o.Progress)
	})
}

// BundlePath returns the file that is written for a runtime: out, or in it, by the usual
// name, where it is a directory.
func BundlePath(out, hostOS, hostArch, version string) string {
	if info, err := os.Stat(out); err != nil || !info.IsDir() {
		return out
	}
	m := BundleManifest{Name: bundleWord, HostOS: hostOS, HostArch: hostArch, Version: version}
	return filepath.Join(out, m.ArchiveName())
}

// collect finds and hashes what goes in, by path.
func collect(ctx context.Context, o BundleBuildOptions, m *BundleManifest) ([]bundled, error) {
	var files []bundled
	var heads []*Head
	for _, p := range o.Packs {
		f, h, err := collectPack(ctx, p, o)
		if err != nil {
			return nil, err
		}
		files, heads = append(files, f), append(heads, h)
	}
	runtime, err := runtimeOf(heads)
	if err != nil {
		return nil, err
	}
	m.Version, m.HostOS, m.HostArch = runtime.Version, runtime.HostOS, runtime.HostArch
	if m.Built.Unix() <= 0 {
		m.Built = runtime.Built
	}
	for _, a := range o.App {
		f, err := collectFile(ctx, a, bundleApp+filepath.Base(a))
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	for _, d := range []struct{ dir, below string }{{o.Channel, bundleChannel}, {o.Licences, bundleLicence}, {o.Sources, bundleSources}} {
		if d.dir == "" {
			continue
		}
		err := filepath.WalkDir(d.dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			rel, err := filepath.Rel(d.dir, name)
			if err != nil {
				return err
			}
			f, err := collectFile(ctx, name, d.below+filepath.ToSlash(rel))
			files = append(files, f)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(files, func(a, b bundled) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// collectPack verifies a pack to its end.
func collectPack(ctx context.Context, file string, o BundleBuildOptions) (bundled, *Head, error) {
	h, err := VerifyFile(ctx, file, o.Keys, VerifyOptions{Policy: o.Policy})
	if err != nil {
		return bundled{}, nil, err
	}
	b, err := collectFile(ctx, file, bundlePacks+h.Manifest.ArchiveName())
	b.Pack, b.Mode = h.Digest, 0o644
	return b, h, err
}

func collectFile(ctx context.Context, file, name string) (bundled, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return bundled{}, err
	}
	if !info.Mode().IsRegular() {
		return bundled{}, spec.Refuse(spec.KindUnsafeEntry, name, "%s is not a regular file", info.Mode().Type())
	}
	f, err := os.Open(file)
	if err != nil {
		return bundled{}, err
	}
	defer f.Close()
	b := bundled{BundleFile: BundleFile{Path: path.Clean(name), Mode: 0o644}, from: file}
	if info.Mode()&0o111 != 0 {
		b.Mode = 0o755
	}
	if b.SHA256, b.Size, err = hashReader(ctx, f); err != nil {
		return b, fmt.Errorf("read %s: %w", file, err)
	}
	return b, nil
}

// writeBundle writes the list, its signature and what is listed.
func writeBundle(ctx context.Context, w io.Writer, raw, sig []byte, files []bundled, progress spec.Progress) error {
	for _, e := range []struct {
		name string
		data []byte
	}{{BundleName, raw}, {BundleSignatureName, sig}} {
		b, err := tarEntry(e.name, e.data)
		if err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	t := &tracker{progress: progress}
	for _, f := range files {
		t.total += f.Size
	}
	for _, f := range files {
		if err := appendFile(ctx, w, f, t); err != nil {
			return err
		}
	}
	_, err := w.Write(zeros[:bodyTrailer])
	return err
}

// appendFile appends one entry, which must still be what was listed.
func appendFile(ctx context.Context, w io.Writer, f bundled, t *tracker) error {
	root, err := os.OpenRoot(filepath.Dir(f.from))
	if err != nil {
		return err
	}
	defer root.Close()
	listed := spec.File{Path: f.Path, Size: f.Size, Mode: f.Mode, SHA256: f.SHA256}
	r := &entryReader{ctx: ctx, open: func() (io.ReadCloser, error) { return root.Open(filepath.Base(f.from)) }, f: listed, track: t}
	if _, err := io.Copy(w, r); err != nil {
		return errors.Join(err, r.Close())
	}
	return r.Close()
}
