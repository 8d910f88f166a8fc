package qemu

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/digitalocean/go-qemu/qmp"
)

// CacheSerial is the serial number of the disk with a project's cache, by which the
// guest finds it.
const CacheSerial = "cache"

// MaxCacheLayers is how many files a disk with a cache may be made of.
const MaxCacheLayers = 8

// Block nodes of a disk with a cache, and the job that merges two of its files.
const (
	cacheNodeName = "cache"
	cacheFileName = "cache-file"
	cacheBaseName = "cache-base"
	mergeJob      = "merge"
)

// mergeTime bounds merging two files: as long as a slow disk takes for all that a cache
// can hold.
const mergeTime = 10 * time.Minute

// cacheLayers are the block nodes of a disk that is made of qcow2 files, the topmost
// first. Which file is behind which is said here, whatever their headers say: a guest
// that took its QEMU over could have written anything into them. The last one has none
// behind it. QEMU opens what is behind a file with discard=unmap, too, unless it is told
// otherwise: blocks that a merge finds empty are given back.
func cacheLayers(files []string) options {
	o := options{{"driver", "qcow2"}, {"node-name", cacheNodeName}, {"discard", "unmap"}}
	prefix := ""
	for i, f := range files {
		if i > 0 {
			prefix += "backing."
			o = append(o, option{prefix + "driver", "qcow2"})
			if i == len(files)-1 {
				o = append(o, option{prefix + "node-name", cacheBaseName})
			}
		}
		o = append(o, option{prefix + "file.driver", "file"}, option{prefix + "file.filename", f})
		if i == 0 {
			o = append(o, option{"file.node-name", cacheFileName})
		}
	}
	return append(o, option{prefix + "backing", nil})
}

const cachePortID = "cache-port"

// cachePort is where the disk is plugged on aarch64 (layerPort).
func cachePort() options {
	return options{{"", "pcie-root-port"}, {"id", cachePortID}, {"bus", "pcie.0"}, {"addr", fmt.Sprintf("0x%x", slotCache)}, {"chassis", MaxLayers + 3}}
}

// cacheDevice is the disk. When it is full, the guest is told so: no task is to be stopped
// over what only saves time. A machine that fills this computer's is (spaceGuard).
func (s Spec) cacheDevice() options {
	props := []option{{"id", CacheSerial + "-disk"}, {"drive", cacheNodeName}, {"serial", CacheSerial}, {"werror", "report"}, {"rerror", "report"}}
	if s.Image.Arch == "aarch64" {
		return deviceAt("virtio-blk-pci", cachePortID, 0, props...)
	}
	return s.device("virtio-blk-pci", slotCache, props...)
}

// PlugCache gives a running machine the disk with a cache: qcow2 files, the topmost
// first, which alone is written. The guest finds it a little later. What it writes is on
// this computer's disk only after whoever has the files synced them.
func (p *Process) PlugCache(ctx context.Context, files []string) error {
	if err := checkCache(files); err != nil {
		return fmt.Errorf("plug the cache: %w", err)
	}
	if err := p.plugs.add(cachePlug, plugged{}); err != nil {
		return fmt.Errorf("plug the cache: %w", err)
	}
	node := append(cacheLayers(files), option{"cache.no-flush", true})
	if err := p.monitor.Do(ctx, qmp.Command{Execute: "blockdev-add", Args: node.arguments()}, nil); err != nil {
		return fmt.Errorf("plug the cache: %w", err)
	}
	if err := p.monitor.Do(ctx, qmp.Command{Execute: "device_add", Args: p.spec.cacheDevice().arguments()}, nil); err != nil {
		return fmt.Errorf("plug the cache: %w", err)
	}
	p.space.watch(cacheFileName, files[0])
	return nil
}

// cachePlug is the disk among what is plugged; no port is named so.
const cachePlug = "/cache"

// checkCache checks the files of a disk before QEMU opens them.
func checkCache(files []string) error {
	if len(files) < 2 || len(files) > MaxCacheLayers {
		return fmt.Errorf("a disk of %d files", len(files))
	}
	var size int64
	for i, f := range files {
		n, err := CheckCacheFile(f)
		if err != nil {
			return err
		}
		if i > 0 && n != size {
			return fmt.Errorf("%s has %d bytes, the file above it %d", f, n, size)
		}
		size = n
	}
	return nil
}

// CheckCacheFile checks that a file is a qcow2 image that needs nothing but what is
// named with it: no data file, no encryption, and not one that QEMU found damaged. It
// returns the size of the disk in it; of any other file that could be read, ErrNotQCOW2.
func CheckCacheFile(path string) (int64, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	if !fi.Mode().IsRegular() {
		return 0, fmt.Errorf("%s: %w: no file", path, ErrNotQCOW2)
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	header := make([]byte, qcow2HeaderSize)
	if _, err := io.ReadFull(f, header); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: %w", ErrNotQCOW2, err)
		}
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	size, err := parseCacheHeader(header)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return size, nil
}

// parseCacheHeader is parseHeader for a file that a guest may have written.
func parseCacheHeader(b []byte) (int64, error) {
	size, err := parseHeader(b)
	switch {
	case err != nil:
		return 0, err
	case binary.BigEndian.Uint32(b[4:]) != 3:
		return 0, fmt.Errorf("%w of version 3", ErrNotQCOW2)
	case binary.BigEndian.Uint32(b[32:]) != 0:
		return 0, fmt.Errorf("%w for a cache: it is encrypted", ErrNotQCOW2)
	case binary.BigEndian.Uint64(b[72:]) != 0: // dirty, corrupt, a data file, other compression, larger tables
		return 0, fmt.Errorf("%w for a cache: it has features %#x that need more than the file", ErrNotQCOW2, binary.BigEndian.Uint64(b[72:]))
	}
	return size, nil
}

// MergeCache writes what the first of two files of a disk has into the second, which is
// directly behind it, with a QEMU that has no machine. Until it is done, and whenever it
// is ended, both together are the disk that they were: what is in the second already is
// covered by the first.
func MergeCache(ctx context.Context, img Image, accel Accel, top, base string) (err error) {
	files := []string{top, base}
	if err := checkCache(files); err != nil {
		return fmt.Errorf("merge the cache: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, mergeTime, fmt.Errorf("QEMU did not merge the cache in %v", mergeTime))
	defer cancel()
	p, err := Start(ctx, StartOptions{Spec: Spec{Host: runtime.GOOS, Image: img, Accel: accel, Name: "piwork-cache", OnlyDisks: true}})
	if err != nil {
		return err
	}
	defer func() {
		if serr := p.Stop(context.WithoutCancel(ctx)); err == nil {
			err = serr
		}
		if err == nil {
			err = syncFile(base)
		}
	}()
	if err := p.mergeCache(ctx, files); err != nil {
		return fmt.Errorf("merge the cache: %w", err)
	}
	return nil
}

func (p *Process) mergeCache(ctx context.Context, files []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, err := p.monitor.Events(ctx)
	if err != nil {
		return err
	}
	for _, c := range []qmp.Command{
		{Execute: "blockdev-add", Args: cacheLayers(files).arguments()},
		{Execute: "block-commit", Args: map[string]any{"job-id": mergeJob, "device": cacheNodeName, "base-node": cacheBaseName}},
	} {
		if err := p.monitor.Do(ctx, c, nil); err != nil {
			return err
		}
	}
	for e := range events {
		switch e.Event {
		case "BLOCK_JOB_READY": // nothing is written to the first file: it is as far as it will be
			if err := p.monitor.Do(ctx, qmp.Command{Execute: "block-job-complete", Args: map[string]any{"device": mergeJob}}, nil); err != nil {
				return err
			}
		case "BLOCK_JOB_ERROR", "BLOCK_JOB_CANCELLED":
			return errors.New("QEMU could not copy all of it")
		case "BLOCK_JOB_COMPLETED":
			if why, failed := e.Data["error"].(string); failed {
				return fmt.Errorf("QEMU failed: %.500s", strings.ToValidUTF8(why, "?"))
			}
			return nil
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return p.whyEnded(ErrMonitorClosed)
}
