package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cavaliergopher/cpio"
	"github.com/google/renameio/v2"
)

// maxAgent bounds the agent, in bytes.
const maxAgent = 256 << 20

// sound has what the file system said of the agents that this program compared with their
// initramfs.
var sound sync.Map

// Agent returns the agent of a runtime pack, below dir, and takes it out of the initramfs
// when it is not there, or was damaged since: it is that archive's init. digest is that of
// the initramfs, which the caller has verified.
func Agent(dir, initramfs, digest string) (string, error) {
	if !digestName().MatchString(digest) {
		return "", fmt.Errorf("the runtime's agent: %q is no digest", digest)
	}
	place := filepath.Join(dir, agentPrefix+digest)
	if known, ok := sound.Load(place); ok {
		if now, err := entryStamp(nil, place, ""); err == nil && string(now) == known {
			return place, nil
		}
	}
	b, err := readInit(initramfs)
	if err == nil {
		if there, rerr := os.ReadFile(place); rerr == nil && bytes.Equal(there, b) && os.Chmod(place, 0o700) == nil {
			return place, noteSound(place)
		}
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = renameio.WriteFile(place, b, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("the runtime's agent: %w", err)
	}
	return place, noteSound(place)
}

// noteSound notes that an agent is as in its initramfs.
func noteSound(place string) error {
	now, err := entryStamp(nil, place, "")
	if err == nil {
		sound.Store(place, string(now))
	}
	return err
}

// readInit reads the init of an archive that is not compressed.
func readInit(initramfs string) ([]byte, error) {
	f, err := os.Open(initramfs)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for r := cpio.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s has no init: %w", filepath.Base(initramfs), fs.ErrNotExist)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(initramfs), err)
		}
		if strings.TrimPrefix(h.Name, "/") != "init" || !h.Mode.IsRegular() {
			continue
		}
		if h.Size <= 0 || h.Size > maxAgent {
			return nil, fmt.Errorf("%s has an init of %d bytes", filepath.Base(initramfs), h.Size)
		}
		b := make([]byte, h.Size)
		_, err = io.ReadFull(r, b)
		return b, err
	}
}
