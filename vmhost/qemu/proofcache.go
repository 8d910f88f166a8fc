package qemu

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"piwork/pack/durable"
	"piwork/vmhost/bootid"
)

const (
	proofCacheVersion = 1
	proofCacheEntries = 16      // oldest go first
	knownEntries      = 64      // those that were not used for longest go first
	proofCacheSize    = 1 << 20 // bytes of the file that are read
)

// ProofCache remembers proofs in a small JSON file. A proof holds for one boot
// of this computer, one image and exactly the command lines that were tried;
// when one of them changes it is made again. Failures are not remembered: what
// a person does about them need not change any of the three. A file that
// cannot be read counts as empty.
type ProofCache struct {
	Path string // of the file; its directory must exist

	mu     sync.Mutex
	bootID func() (string, error) // of tests, nil is bootid.ID
}

// proofKey is what a proof depends on.
type proofKey struct {
	Boot        string `json:"boot"`  // the computer's boot id
	Image       string `json:"image"` // Image.ID
	Accel       Accel  `json:"accel"`
	CommandLine string `json:"commandLine"` // hash over all rungs
}

type proofFile struct {
	V       int          `json:"v"`
	Entries []proofEntry `json:"entries"`
	Known   []knownEntry `json:"known,omitempty"`
}

// knownEntry is something else that was proven of machines.
type knownEntry struct {
	Boot string `json:"boot"`
	What string `json:"what"`
}

type proofEntry struct {
	Key   proofKey `json:"key"`
	Proof Proof    `json:"proof"`
}

// boot identifies this boot of the computer.
func (c *ProofCache) boot() (string, error) {
	if c.bootID != nil {
		return c.bootID()
	}
	return bootid.ID()
}

func (c *ProofCache) key(ladder []Spec) (proofKey, error) {
	if len(ladder) == 0 {
		return proofKey{}, errors.New("nothing to prove")
	}
	id, err := c.boot()
	if err != nil {
		return proofKey{}, fmt.Errorf("this computer's boot id: %w", err)
	}
	h := sha256.New()
	for _, s := range ladder {
		_, _ = io.WriteString(h, Fingerprint(s))
	}
	return proofKey{Boot: id, Image: ladder[0].Image.ID, Accel: ladder[0].Accel, CommandLine: hex.EncodeToString(h.Sum(nil))}, nil
}

// lookup returns the proof of a ladder.
func (c *ProofCache) lookup(ladder []Spec) (Proof, bool) {
	key, err := c.key(ladder)
	if err != nil {
		return Proof{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.read().Entries {
		if e.Key == key {
			return e.Proof, true
		}
	}
	return Proof{}, false
}

// store remembers a proof and forgets those of earlier boots of this computer.
func (c *ProofCache) store(ladder []Spec, p Proof) error {
	key, err := c.key(ladder)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.read()
	f := proofFile{V: proofCacheVersion, Entries: []proofEntry{{key, p}}, Known: old.Known}
	for _, e := range old.Entries {
		if e.Key != key && e.Key.Boot == key.Boot && len(f.Entries) < proofCacheEntries {
			f.Entries = append(f.Entries, e)
		}
	}
	return c.write(f)
}

// Knows tells whether something was proven of machines, in this boot of the
// computer, and remembered with Learn. what names it with all that it depends on.
func (c *ProofCache) Knows(what string) bool {
	boot, err := c.boot()
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.read()
	i := slices.Index(f.Known, knownEntry{boot, what})
	if i >= knownEntries/2 { // it is in use; seldom enough for a write
		f.Known = slices.Insert(slices.Delete(f.Known, i, i+1), 0, knownEntry{boot, what})
		_ = c.write(f) // it is known all the same
	}
	return i >= 0
}

// Learn remembers that something was proven, or forgets it when it does not hold
// any more, and what was of earlier boots of this computer.
func (c *ProofCache) Learn(what string, holds bool) error {
	boot, err := c.boot()
	if err != nil {
		return fmt.Errorf("this computer's boot id: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.read()
	f.V = proofCacheVersion
	var known []knownEntry
	if holds {
		known = []knownEntry{{boot, what}}
	}
	for _, k := range f.Known {
		if k.Boot == boot && k.What != what && len(known) < knownEntries {
			known = append(known, k)
		}
	}
	f.Known = known
	return c.write(f)
}

func (c *ProofCache) write(f proofFile) error {
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(c.Path, append(b, '\n'), 0o600)
}

func (c *ProofCache) read() proofFile {
	var f proofFile
	r, err := os.Open(c.Path)
	if err != nil {
		return proofFile{}
	}
	defer r.Close()
	if json.NewDecoder(io.LimitReader(r, proofCacheSize)).Decode(&f) != nil || f.V != proofCacheVersion {
		return proofFile{}
	}
	return f
}
