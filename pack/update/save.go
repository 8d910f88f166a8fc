package update

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"piwork/pack"
	"piwork/pack/durable"
	"piwork/pack/spec"
	"piwork/pack/trust/channel"
)

// Files beside the one that is saved, while it is.
const (
	partSuffix  = ".part"      // content so far
	stateSuffix = ".part.json" // how much of it is durable, and its hash so far
)

// saveEvery is how much may come again after a kill, in bytes.
const saveEvery = 4 << 20

// saveReserve stays free on the disk, in bytes.
const saveReserve = 64 << 20

// Save fetches a whole archive into a file, for a bundle. The SHA-256 of the channel is computed while it comes, over calls and
// kills, so that nothing is read again; the file appears under its name when it is
// whole and right, and replaces another. One call at a time for a file. (Damage to
// the disk meanwhile is found by who uses the file, which verifies it.)
//
// Report and errors are as with [Client.Get], and too little space is a
// [spec.SpaceError] before anything is written. Only when what came turns out
// wrong as a whole it starts again, and progress with it.
func (c *Client) Save(ctx context.Context, t channel.Target, file string, report func(Progress)) error {
	s := &saver{c: c, t: t, file: file}
	if err := s.run(ctx, report); err != nil {
		return fmt.Errorf("fetch %s: %w", t.Name, err)
	}
	return nil
}

// saver is one Save.
type saver struct {
	c    *Client
	t    channel.Target
	file string

	part  *os.File
	sum   hash.Hash
	done  int64 // bytes in part and in sum
	safe  int64 // of them durable, with the state
	meter *meter
	tries *tries
	wrong map[*mirror]int
}

// saveState is the state file.
type saveState struct {
	SHA256 string `json:"sha256"` // of the target
	Done   int64  `json:"done"`
	Hash   []byte `json:"hash"` // of the first Done bytes, as crypto/sha256 marshals it
}

func (s *saver) run(ctx context.Context, report func(Progress)) (err error) {
	if err := s.open(); err != nil {
		return local(err)
	}
	defer func() {
		if s.part != nil {
			err = errors.Join(err, s.keep(), s.part.Close())
		}
	}()
	if err := s.space(); err != nil {
		return err
	}
	s.meter, s.wrong = newMeter(s.done, s.t.Length, 0, time.Now()), map[*mirror]int{}
	stop := s.meter.report(report)
	defer stop()
	s.tries = s.c.tries(s.t.Path, s.c.o.Attempts)
	if err := s.tries.each(ctx, func(m *mirror) error { return s.from(ctx, m) }); err != nil {
		return err
	}
	part := s.part.Name()
	err = errors.Join(s.part.Sync(), s.part.Close())
	s.part = nil
	if err == nil {
		err = os.Rename(part, s.file)
	}
	if err != nil {
		return local(err)
	}
	if err := os.Remove(s.file + stateSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return local(err)
	}
	return nil
}

// open finds what an earlier call left.
func (s *saver) open() (err error) {
	s.sum = sha256.New()
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	if s.part, err = os.OpenFile(s.file+partSuffix, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	var state saveState
	data, err := os.ReadFile(s.file + stateSuffix)
	info, serr := s.part.Stat()
	if err == nil && serr == nil && json.Unmarshal(data, &state) == nil && state.SHA256 == s.t.SHA256 &&
		state.Done > 0 && state.Done <= min(info.Size(), s.t.Length) {
		if u, ok := s.sum.(encoding.BinaryUnmarshaler); ok && u.UnmarshalBinary(state.Hash) == nil {
			s.done, s.safe = state.Done, state.Done
		} else {
			s.sum = sha256.New()
		}
	}
	return errors.Join(s.part.Truncate(s.done), s.seek())
}

func (s *saver) seek() error {
	_, err := s.part.Seek(s.done, io.SeekStart)
	return err
}

// space refuses to begin what would not fit.
func (s *saver) space() error {
	free, err := pack.FreeSpace(filepath.Dir(s.file))
	if err != nil {
		return local(err)
	}
	if need := uint64(s.t.Length-s.done) + saveReserve; free < need {
		return &Error{Code: CodeDiskFull, Err: &spec.SpaceError{Dir: filepath.Dir(s.file), Need: need, Free: free}, lasting: true}
	}
	return nil
}

// from fetches the rest from one mirror.
func (s *saver) from(ctx context.Context, m *mirror) error {
	for s.done < s.t.Length {
		before := s.done
		err := s.request(ctx, m)
		if s.done-before >= partOf {
			s.tries.worked(m)
		}
		if errors.Is(err, errAgain) {
			continue
		}
		if err != nil {
			return err
		}
		if s.done == before {
			return &Error{Code: CodeInterrupted, Server: m.name(), Err: io.ErrUnexpectedEOF}
		}
	}
	if hex.EncodeToString(s.sum.Sum(nil)) == s.t.SHA256 {
		return nil
	}
	s.sum, s.done, s.safe = sha256.New(), 0, 0
	if err := errors.Join(s.part.Truncate(0), s.seek(), s.keep()); err != nil {
		return &ownError{local(err)}
	}
	s.meter.again()
	s.wrong[m]++
	return &Error{Code: CodeWrongContent, Server: m.name(), Err: errors.New("the SHA-256 of the whole is another"), lasting: s.wrong[m] > 1}
}

// request fetches one answer's worth.
func (s *saver) request(ctx context.Context, m *mirror) error {
	a, err := s.c.request(ctx, m, wish{path: s.t.Path, length: s.t.Length, from: s.done, to: s.t.Length, count: s.meter.received})
	if err != nil {
		return err
	}
	defer a.Close()
	if a.whole && s.done > 0 && m.know(s.t.Path).ranges != rangesIgnored {
		return errAgain // If-Range says that it changed; the hash of the whole will tell
	}
	if a.whole && s.done > 0 {
		if _, err := io.CopyN(io.Discard, a, s.done); err != nil {
			return short(err)
		}
	}
	// Of a whole file, whose length it may not have said, no byte too many.
	r := io.LimitReader(a, s.t.Length-s.done)
	buf := make([]byte, 256<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if werr := s.write(buf[:n]); werr != nil {
				return &ownError{local(werr)}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *saver) write(b []byte) error {
	if _, err := s.part.Write(b); err != nil {
		return err
	}
	_, _ = s.sum.Write(b) // never fails
	s.done += int64(len(b))
	s.meter.kept(int64(len(b)))
	if s.done-s.safe >= saveEvery {
		return s.keep()
	}
	return nil
}

// keep makes durable what is there, then says so.
func (s *saver) keep() error {
	sum, ok := s.sum.(encoding.BinaryMarshaler)
	if !ok || s.done == s.safe && s.done > 0 {
		return nil
	}
	state, err := sum.MarshalBinary()
	if err != nil {
		return err
	}
	if err := s.part.Sync(); err != nil {
		return err
	}
	data, err := json.Marshal(saveState{SHA256: s.t.SHA256, Done: s.done, Hash: state})
	if err != nil {
		return err
	}
	if err := durable.WriteFile(s.file+stateSuffix, data, 0o600); err != nil {
		return err
	}
	s.safe = s.done
	return nil
}
