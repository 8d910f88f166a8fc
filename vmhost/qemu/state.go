package qemu

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A file with a machine's state begins with stateHeader bytes of ours: a line
// of JSON, and zeros. QEMU's stream follows, and ends with the file. It would
// notice most of what can be wrong with it, but not everything: a machine with
// another processor model runs on, into nothing.
const (
	stateHeader  = 4096
	stateVersion = 1

	// maxState bounds what is read of a state. Memory is not in it.
	maxState = 256 << 20
)

// Errors of a saved machine. They are in the way of restoring it, not of
// starting one like it.
var (
	// ErrNoTemplates says that machines of this kind cannot be saved (CanTemplate).
	ErrNoTemplates = errors.New("this machine cannot be saved")
	// ErrBadState says that a state or its memory is damaged or not whole.
	ErrBadState = errors.New("the saved machine is damaged")
	// ErrOtherMachine says that a state is of another machine than this one.
	ErrOtherMachine = errors.New("the saved machine is another one")
)

// CanTemplate tells whether machines can be saved, and restored as often as
// wanted, with an accelerator of QEMU on a system (GOOS): Windows maps no file
// as a machine's memory, and WHPX saves none. Where it says no, a machine that
// is there at once has to be one that waits.
func CanTemplate(host string, accel Accel) bool {
	return host != "windows" && accel != AccelWHPX
}

// stateInfo is the header of a state.
type stateInfo struct {
	V       int    `json:"v"`
	Machine string `json:"machine"` // Fingerprint, as of a machine that is saved
	Memory  int64  `json:"memory"`  // bytes
	Size    int64  `json:"size"`    // of QEMU's stream, bytes
	SHA256  string `json:"sha256"`  // of QEMU's stream, hex
}

// stateOf is what a state of s is recognised by.
func stateOf(s Spec) stateInfo {
	return stateInfo{V: stateVersion, Machine: TemplateKey(s, ""), Memory: int64(s.memoryMB()) << 20}
}

// sealState writes the header of a state that QEMU has written, and has it on
// the disk when it returns.
func sealState(path string, info stateInfo) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = func() error {
		if info.Size, info.SHA256, err = sumState(f); err != nil {
			return err
		}
		b, err := json.Marshal(info)
		if err != nil {
			return err
		}
		header := make([]byte, stateHeader)
		if copy(header, append(b, '\n')) <= len(b) {
			return fmt.Errorf("%d bytes of header", len(b))
		}
		if _, err := f.WriteAt(header, 0); err != nil {
			return err
		}
		return f.Sync()
	}()
	return errors.Join(err, f.Close())
}

// checkState tells whether the file is a whole state of the machine that want
// describes.
func checkState(path string, want stateInfo) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBadState, err)
	}
	defer f.Close()
	info, err := readHeader(f)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrBadState, path, err)
	}
	switch {
	case info.V != want.V || info.Machine != want.Machine:
		return fmt.Errorf("%w: %s", ErrOtherMachine, path)
	case info.Memory != want.Memory:
		return fmt.Errorf("%w: %s has %d bytes of memory, not %d", ErrOtherMachine, path, info.Memory, want.Memory)
	}
	size, sum, err := sumState(f)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s: %w", ErrBadState, path, err)
	case size != info.Size || sum != info.SHA256:
		return fmt.Errorf("%w: %s is not what was saved", ErrBadState, path)
	}
	return nil
}

// readHeader takes what may be any file.
func readHeader(r io.Reader) (stateInfo, error) {
	header := make([]byte, stateHeader)
	if _, err := io.ReadFull(r, header); err != nil {
		return stateInfo{}, err
	}
	line, _, ok := bytes.Cut(header, []byte{'\n'})
	if !ok {
		return stateInfo{}, errors.New("no header")
	}
	var info stateInfo
	if err := json.Unmarshal(line, &info); err != nil {
		return stateInfo{}, fmt.Errorf("header: %w", err)
	}
	return info, nil
}

// sumState reads QEMU's part of a state.
func sumState(f *os.File) (size int64, sum string, err error) {
	h := sha256.New()
	size, err = io.Copy(h, io.NewSectionReader(f, stateHeader, maxState+1))
	switch {
	case err != nil:
		return 0, "", err
	case size == 0:
		return 0, "", errors.New("nothing was saved")
	case size > maxState:
		return 0, "", fmt.Errorf("more than %d bytes", maxState)
	}
	return size, hex.EncodeToString(h.Sum(nil)), nil
}

// prepareRAM makes the file with a machine's memory, or checks the one that is
// there, before QEMU opens it: that would make what is missing, and grow what is
// short. It returns how to undo that. handed is StartOptions.RAM.
func (s Spec) prepareRAM(handed *os.File) (undo func() error, err error) {
	nothing := func() error { return nil }
	if s.RAM == nil {
		return nothing, nil
	}
	if s.RAM.Handed {
		return nothing, s.checkHanded(handed)
	}
	if !CanTemplate(s.Host, s.Accel) {
		return nil, fmt.Errorf("%w with %s on %s", ErrNoTemplates, s.Accel, s.Host)
	}
	size := int64(s.memoryMB()) << 20
	if s.Incoming || s.RAM.Private {
		fi, err := os.Lstat(s.RAM.Path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%w: its memory: %w", ErrBadState, err)
		case !fi.Mode().IsRegular() || fi.Size() != size:
			return nil, fmt.Errorf("%w: its memory, %s, is no file of %d bytes", ErrBadState, s.RAM.Path, size)
		}
		return nothing, nil
	}
	f, err := os.OpenFile(s.RAM.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the memory's file: %w", err)
	}
	if err := errors.Join(f.Truncate(size), f.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("make the memory's file: %w", err), os.Remove(s.RAM.Path))
	}
	return func() error { return os.Remove(s.RAM.Path) }, nil
}
