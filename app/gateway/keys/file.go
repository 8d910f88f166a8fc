package keys

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"filippo.io/age"

	"piwork/app/durable"
)

// Bounds of the encrypted file.
const (
	scryptWork    = 18      // log2 of the cost: about a second of work for each guess
	maxScryptWork = 20      // accepted from a file
	maxKeyFile    = 4 << 20 // bytes
)

// MinPassphrase is the length of the shortest passphrase that a file is made
// with, in bytes: who has the file may guess as long as they like.
const MinPassphrase = 8

// File keeps credentials in one file that is encrypted with a passphrase, in the
// format of age (age-encryption.org/v1, scrypt): `age -d` reads it. It is opened
// once and kept in memory; other programs of the same user should not write it
// meanwhile. Until [File.Unlock] every method is [ErrLocked].
type File struct {
	path string
	work int

	// turn is of who opens or writes the file, which takes seconds; before mu, which nobody has for
	// long. Who asked and is gone does not get it.
	turn turn

	mu   sync.Mutex
	pass Secret
	all  map[string]entry // nil until it was opened
}

// NewFile makes a store. It reads nothing yet.
func NewFile(path string) *File {
	return &File{path: path, work: scryptWork}
}

// SetWork changes what a guess at the passphrase costs when the file is written next, as
// log2. Tests have it cost less.
func (f *File) SetWork(log2 int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.work = log2
}

// Locked reports whether the passphrase is needed.
func (f *File) Locked() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all == nil
}

// Unlock opens the file, or makes it where there is none. A wrong passphrase is
// [ErrPassphrase], one that is too short for a new file [ErrShort].
func (f *File) Unlock(ctx context.Context, pass Secret) error {
	if err := f.turn.take(ctx); err != nil {
		return err
	}
	defer f.turn.leave()
	all, err := f.read(pass)
	if errors.Is(err, ErrLocked) {
		return f.protect(pass, map[string]entry{})
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(f.path); errors.Is(err, fs.ErrNotExist) {
		return f.save(pass, all) // somebody deleted it while it was open
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pass, f.all = pass, all
	return nil
}

// Change encrypts the file with another passphrase. The one before is asked for
// again, also when the file is open.
func (f *File) Change(ctx context.Context, before, after Secret) error {
	if err := f.turn.take(ctx); err != nil {
		return err
	}
	defer f.turn.leave()
	all, err := f.read(before)
	if err != nil {
		return err
	}
	return f.protect(after, all)
}

// protect is save with a passphrase that was not in use before.
func (f *File) protect(pass Secret, all map[string]entry) error {
	if len(pass.Reveal()) < MinPassphrase {
		return ErrShort
	}
	return f.save(pass, all)
}

// held is what was read before, for who knows the passphrase.
func (f *File) held(pass Secret) (map[string]entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.all == nil:
		return nil, ErrLocked
	case !f.pass.Equal(pass):
		return nil, ErrPassphrase
	}
	return f.all, nil
}

// read decrypts the file. When somebody deleted an open one, its keys are still held; otherwise
// it is [ErrLocked] that there is none.
func (f *File) read(pass Secret) (map[string]entry, error) {
	if pass.IsZero() {
		return nil, ErrPassphrase
	}
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f.held(pass)
	}
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	if info.Size() > maxKeyFile {
		return nil, fmt.Errorf("key file %s: %d bytes: %w", f.path, info.Size(), ErrDamaged)
	}
	data, err := os.ReadFile(f.path)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	id, err := age.NewScryptIdentity(pass.Reveal())
	if err != nil {
		return nil, ErrPassphrase
	}
	id.SetMaxWorkFactor(maxScryptWork)
	plain, err := age.Decrypt(bytes.NewReader(data), id)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, ErrPassphrase
	}
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", f.path, ErrDamaged)
	}
	text, err := io.ReadAll(io.LimitReader(plain, maxKeyFile))
	if err != nil {
		return nil, fmt.Errorf("key file %s: %w", f.path, ErrDamaged)
	}
	var all map[string]entry
	if json.Unmarshal(text, &all) != nil || all == nil {
		return nil, fmt.Errorf("key file %s: %w", f.path, ErrDamaged)
	}
	return all, nil
}

// save replaces the file, and then what is in memory. It is its turn.
func (f *File) save(pass Secret, all map[string]entry) error {
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	to, err := age.NewScryptRecipient(pass.Reveal())
	if err != nil {
		return ErrPassphrase
	}
	f.mu.Lock()
	to.SetWorkFactor(f.work)
	f.mu.Unlock()
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to)
	if err != nil {
		return fmt.Errorf("encrypt the key file: %w", err)
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("encrypt the key file: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("encrypt the key file: %w", err)
	}
	if err := durable.WriteFile(f.path, out.Bytes()); err != nil {
		return fmt.Errorf("key file: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pass, f.all = pass, all
	return nil
}

// open says whether the file is open. The lock is held.
func (f *File) open(ctx context.Context) error {
	if f.all == nil {
		return ErrLocked
	}
	return context.Cause(ctx)
}

// Get implements [Store].
func (f *File) Get(ctx context.Context, provider string) (Credential, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.open(ctx); err != nil {
		return Credential{}, err
	}
	e, ok := f.all[provider]
	if !ok {
		return Credential{}, ErrNotFound
	}
	c, err := e.credential()
	if err != nil || e.Provider != provider {
		return Credential{}, fmt.Errorf("key of %s: %w", provider, ErrEntry)
	}
	return c, nil
}

// Set implements [Store].
func (f *File) Set(ctx context.Context, c Credential) error {
	if err := c.Check(); err != nil {
		return err
	}
	return f.change(ctx, func(all map[string]entry) error {
		all[c.Provider] = pack(c)
		return nil
	})
}

// Delete implements [Store].
func (f *File) Delete(ctx context.Context, provider string) error {
	return f.change(ctx, func(all map[string]entry) error {
		if _, ok := all[provider]; !ok {
			return ErrNotFound
		}
		delete(all, provider)
		return nil
	})
}

func (f *File) change(ctx context.Context, do func(map[string]entry) error) error {
	if err := f.turn.take(ctx); err != nil {
		return err
	}
	defer f.turn.leave()
	f.mu.Lock()
	err := f.open(ctx)
	pass, all := f.pass, make(map[string]entry, len(f.all)+1)
	maps.Copy(all, f.all)
	f.mu.Unlock()
	if err == nil {
		err = do(all)
	}
	if err != nil {
		return err
	}
	return f.save(pass, all)
}

// List implements [Store].
func (f *File) List(ctx context.Context) ([]Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.open(ctx); err != nil {
		return nil, err
	}
	var all []Info
	for _, e := range f.all {
		if c, err := e.credential(); err == nil {
			all = append(all, c.Info(WhereFile))
		}
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(a.Provider, b.Provider) })
	return all, nil
}

// Lock forgets passphrase and keys until the next [File.Unlock].
func (f *File) Lock() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pass, f.all = Secret{}, nil
}
