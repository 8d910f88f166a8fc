package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/trust"
)

const packsDir = "runtime" // in the data directory

// packRoom is the packSource of the real packs: those of the store, or the one
// unpacked directory that a developer named.
type packRoom struct {
	store  *pack.Store
	keys   *trust.KeyRing
	policy pack.Policy
	dir    string // of a developer, "" for the store

	mu   sync.Mutex
	open *pack.Installed // of dir: opening it hashes everything
}

func openPacks(ctx context.Context, o Options) (packSource, error) {
	keys, err := trust.Load(trust.Options{ConfigDir: o.ConfigDir, Developer: o.Developer || trust.DeveloperBuild})
	if err != nil {
		return nil, fmt.Errorf("load the trusted keys: %w", err)
	}
	store, err := pack.OpenStore(filepath.Join(o.DataDir, packsDir))
	if err != nil {
		return nil, err
	}
	p := &packRoom{store: store, keys: keys, policy: pack.Policy{AppVersion: o.Version}, dir: o.PackDir}
	if err := store.Sweep(ctx); err != nil && !errors.Is(err, pack.ErrBusy) {
		o.Log.Warn("what an interrupted installation left could not be cleared", "error", err)
	}
	return p, nil
}

func (p *packRoom) current(ctx context.Context) (installedPack, error) {
	in, err := p.installed(ctx)
	if err != nil {
		return installedPack{}, err
	}
	image, err := ImageOf(in)
	if err != nil {
		return installedPack{}, err
	}
	return installedPack{
		info:  p.info(in, true),
		image: image,
		verify: func(ctx context.Context, full bool) error {
			level := pack.LevelQuick
			if full {
				level = pack.LevelFull
			}
			return in.Verify(ctx, level)
		},
	}, nil
}

func (p *packRoom) installed(ctx context.Context) (*pack.Installed, error) {
	if p.dir == "" {
		in, err := p.store.Current(p.keys, p.policy)
		if errors.Is(err, pack.ErrNotInstalled) {
			return nil, errNoPack
		}
		return in, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		in, err := pack.OpenDir(ctx, p.dir, p.keys, p.policy)
		if err != nil {
			return nil, err
		}
		p.open = in
	}
	return p.open, nil
}

func (p *packRoom) list(ctx context.Context) ([]PackInfo, error) {
	var out []PackInfo
	if p.dir != "" {
		in, err := p.installed(ctx)
		if err != nil {
			out = append(out, PackInfo{Dir: p.dir, Installed: true, Current: true, Problem: problem.Installed(err)})
		} else {
			out = append(out, p.info(in, true))
		}
	}
	entries, err := p.store.List(p.keys, p.policy)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		info := PackInfo{Version: e.Version, Dir: e.Dir, Installed: true}
		if e.Err != nil {
			info.Problem = problem.Installed(e.Err)
		} else {
			info = p.info(e.Pack, false)
		}
		info.Current = e.Current && p.dir == ""
		out = append(out, info)
	}
	return out, nil
}

func (p *packRoom) verifyFile(ctx context.Context, file string) (PackInfo, error) {
	m, v, err := pack.VerifyFile(ctx, file, p.keys, pack.VerifyOptions{Policy: p.policy})
	if err != nil {
		return PackInfo{}, err
	}
	info := manifestInfo(m)
	info.SignedBy, info.Developer = v.Key.Name, v.Key.Kind == trust.Developer
	return info, nil
}

func (p *packRoom) install(ctx context.Context, file string, progress func(done, total int64)) (PackInfo, error) {
	in, err := pack.Install(ctx, file, p.store, p.keys, pack.InstallOptions{Policy: p.policy, Progress: progress})
	if err != nil {
		return PackInfo{}, err
	}
	return p.info(in, p.dir == ""), nil
}

func (p *packRoom) info(in *pack.Installed, current bool) PackInfo {
	info := manifestInfo(&in.Manifest)
	info.SignedBy, info.Developer, info.Dir = in.SignedBy, in.Developer, in.Dir
	info.Installed, info.Current = true, current
	return info
}

func manifestInfo(m *pack.Manifest) PackInfo {
	return PackInfo{
		Name: m.Name, Version: m.Version, OS: m.HostOS, Arch: m.HostArch, GuestArch: m.GuestArch,
		Built: m.Built, Files: len(m.Files), Bytes: m.Bytes(),
	}
}
