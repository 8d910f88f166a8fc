package channel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"piwork/pack/durable"
)

// stateName is the file in the cache directory that holds what was learnt.
const stateName = "trusted.json"

const (
	stateSchema = 1
	maxState    = 16 << 20 // bytes
	maxRoots    = 256      // in the chain of a state
)

// state is what was learnt of a repository, as received: nothing in it is
// believed before it is verified again, but for Revoked, Withdrawn, Minimum and
// Seen.
type state struct {
	Schema    int      `json:"schema"`
	Roots     [][]byte `json:"roots"`               // the root compiled in and its successors, in order
	Timestamp []byte   `json:"timestamp,omitempty"` // the newest that was verified: the floor against rollback
	Snapshot  []byte   `json:"snapshot,omitempty"`  // likewise
	Good      *good    `json:"good,omitempty"`      // the newest that was verified as a whole
	// Of the newest key list that was accepted.
	Revoked   []revoked          `json:"revoked,omitempty"`
	Withdrawn []withdrawnVersion `json:"withdrawn,omitempty"`
	Minimum   string             `json:"minimum,omitempty"`
	Seen      time.Time          `json:"seen"` // the newest clock at which all was verified
}

type revoked struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
}

// good is a set of files that belong together.
type good struct {
	Timestamp []byte   `json:"timestamp"`
	Snapshot  []byte   `json:"snapshot"`
	Targets   []byte   `json:"targets"`
	Keys      []byte   `json:"keys"` // keys.json
	Offered   *offered `json:"offered,omitempty"`
}

// offered is what a channel has for a platform.
type offered struct {
	Channel string `json:"channel"`
	Host    string `json:"host"`
	Role    []byte `json:"role"`    // metadata of the channel
	Release []byte `json:"release"` // the release file
}

// onDisk keeps readers and the one rename apart: Windows replaces no file that is
// open.
var onDisk sync.RWMutex

// loadState reads the state in dir. A missing or damaged file is an empty state:
// all of it can be fetched again.
func loadState(dir string) (*state, error) {
	onDisk.RLock()
	defer onDisk.RUnlock()
	f, err := os.Open(filepath.Join(dir, stateName))
	if errors.Is(err, fs.ErrNotExist) {
		return &state{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what is known of the update channel: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxState+1))
	if err != nil {
		return nil, fmt.Errorf("read what is known of the update channel: %w", err)
	}
	return parseState(data), nil
}

func parseState(data []byte) *state {
	var s state
	if len(data) > maxState || json.Unmarshal(data, &s) != nil || s.Schema != stateSchema || len(s.Roots) > maxRoots || len(s.Revoked) > maxRevoked {
		return &state{}
	}
	for _, r := range s.Revoked {
		if !digestPattern().MatchString(r.ID) || len(r.Reason) > maxReason {
			return &state{}
		}
	}
	if s.refusals().checkVersions() != nil {
		return &state{}
	}
	return &s
}

// refusals is what the newest key list that was accepted takes back.
func (s *state) refusals() *KeyList {
	l := &KeyList{Minimum: s.Minimum}
	for _, r := range s.Revoked {
		l.Revoked = append(l.Revoked, RevokedKey(r))
	}
	for _, w := range s.Withdrawn {
		l.Withdrawn = append(l.Withdrawn, WithdrawnVersion(w))
	}
	return l
}

// save puts s in place of the state in dir, in one step, durably.
func (s *state) save(dir string) error {
	s.Schema = stateSchema
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("keep what is known of the update channel: %w", err)
	}
	onDisk.Lock()
	defer onDisk.Unlock()
	if err := replaceFile(dir, stateName, data); err != nil {
		return fmt.Errorf("keep what is known of the update channel: %w", err)
	}
	return nil
}

// replaceFile replaces a file, and clears what an interrupted call left.
func replaceFile(dir, name string, data []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, pattern := range []string{name + ".*.new", "." + name + "*"} { // the first are of earlier programs
		old, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return err
		}
		for _, f := range old {
			if err := os.Remove(filepath.Join(dir, f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return durable.WriteFile(filepath.Join(dir, name), data, 0o600)
}

// clock is the time to judge expiry by: now, or the newest clock seen when that
// is later, so that setting the clock back makes nothing fresh again. What was
// seen can only be a time at which the timestamp was still good.
func (s *state) clock(now time.Time) time.Time {
	data := s.Timestamp
	if len(data) == 0 && s.Good != nil {
		data = s.Good.Timestamp
	}
	t, err := parseTimestamp(data)
	if err != nil || s.Seen.After(t.Signed.Expires) || now.After(s.Seen) {
		return now
	}
	return s.Seen
}

// setKeys remembers a key list that was accepted.
func (s *state) setKeys(l *KeyList) {
	s.Revoked, s.Withdrawn, s.Minimum = nil, nil, l.Minimum
	for _, w := range l.Withdrawn {
		s.Withdrawn = append(s.Withdrawn, withdrawnVersion(w))
	}
	for _, r := range l.Revoked {
		s.Revoked = append(s.Revoked, revoked(r))
	}
}
