package models

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"piwork/app/gateway/keys"
	"piwork/app/problem"
)

// keysFile is in the directory of settings: keys encrypted with a passphrase.
const keysFile = "keys.age"

const (
	tryKeychain  = 5 * time.Second  // a keychain, to say whether it can be used
	forgetWithin = 30 * time.Second // a place of keys, to forget those that were moved
)

// keyPlace is where keys are kept, and can be moved while tasks use them.
type keyPlace struct {
	to   *movable // what the source of keys reads
	ring keys.Store
	file *keys.File

	turn *semaphore.Weighted // of who changes it, which takes seconds; before the lock of movable

	mu   sync.Mutex // nobody has it for long
	kind string     // StoreX
}

// now is the kind in use.
func (p *keyPlace) now() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kind
}

// set changes the kind in use.
func (p *keyPlace) set(kind string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kind = kind
}

// openKeyPlace makes the place that the settings say. ring is the keychain.
func openKeyPlace(dir, kind string, ring keys.Store) *keyPlace {
	p := &keyPlace{ring: ring, file: keys.NewFile(filepath.Join(dir, keysFile)), turn: semaphore.NewWeighted(1), kind: StoreKeychain}
	if kind == StoreFile {
		p.kind = StoreFile
	}
	p.to = &movable{Switch: keys.NewSwitch(p.store(p.kind)), moving: semaphore.NewWeighted(changing)}
	return p
}

// movable is the store in use. What is changed in it waits while it is moved: else it could go
// to the place that is left, where it is deleted, or nobody reads it.
type movable struct {
	*keys.Switch
	moving *semaphore.Weighted // a part is held by those that change a key, and all of it by who moves them
}

// changing are those that change a key at once, at most.
const changing = 1 << 20

// Set implements [keys.Store].
func (m *movable) Set(ctx context.Context, c keys.Credential) error {
	if m.moving.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	defer m.moving.Release(1)
	return m.Switch.Set(ctx, c)
}

// Delete implements [keys.Store].
func (m *movable) Delete(ctx context.Context, provider string) error {
	if m.moving.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	defer m.moving.Release(1)
	return m.Switch.Delete(ctx, provider)
}

// store is the store of a kind, behind what the environment says.
func (p *keyPlace) store(kind string) keys.Store {
	back := p.ring
	if kind == StoreFile {
		back = p.file
	}
	return keys.ByMode(os.Getenv, back)
}

// KeyStore says where keys are kept.
func (m *Access) KeyStore(ctx context.Context) (KeyStore, error) {
	p := m.place
	kind := p.now()
	out := KeyStore{Store: kind, Locked: kind == StoreFile && p.file.Locked(), Keychain: true}
	if ring, ok := p.ring.(*keys.Ring); ok {
		try, cancel := context.WithTimeout(ctx, tryKeychain)
		defer cancel()
		if err := ring.Probe(try); err != nil {
			out.Keychain = false
		}
	}
	return out, nil
}

// SetKeyStore chooses where keys are kept, and moves them there. A file is made with the
// passphrase, or opened with it.
// A kill in the middle leaves them where
// they were, and perhaps a copy in the other place, which is replaced the next
// time.
func (m *Access) SetKeyStore(ctx context.Context, r KeyStoreChoice) (KeyStore, error) {
	p := m.place
	if r.Store != StoreKeychain && r.Store != StoreFile {
		return KeyStore{}, problem.BadRequest("store", "%q is not a choice", r.Store)
	}
	if p.turn.Acquire(ctx, 1) != nil {
		return KeyStore{}, problem.From(context.Cause(ctx))
	}
	err := m.moveKeys(ctx, r)
	p.turn.Release(1)
	m.changed()
	if err != nil {
		return KeyStore{}, problem.From(err)
	}
	return m.KeyStore(ctx)
}

// moveKeys is SetKeyStore in its turn.
func (m *Access) moveKeys(ctx context.Context, r KeyStoreChoice) error {
	p := m.place
	if r.Store == StoreFile && p.file.Locked() {
		if err := p.file.Unlock(ctx, keys.NewSecret(r.Passphrase)); err != nil {
			return err
		}
	}
	if r.Store == p.now() {
		return nil
	}
	if err := m.decide(ctx, "keys", "written", r.Store); err != nil {
		return err
	}
	if p.to.moving.Acquire(ctx, changing) != nil {
		return context.Cause(ctx)
	}
	defer p.to.moving.Release(changing)
	var from, to keys.Store = p.ring, p.file
	if r.Store == StoreKeychain {
		from, to = to, from
	}
	moved, err := keys.Copy(ctx, from, to)
	if err != nil {
		return err
	}
	if err := m.choice.Update(func(s *Choices) error { s.KeyStore = r.Store; return nil }); err != nil {
		return err
	}
	p.set(r.Store)
	p.to.Use(p.store(r.Store))
	m.source.Forget()
	// The copies that are left are of no use, and what is deleted cannot be stolen.
	var left []error
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetWithin)
	defer cancel()
	for _, id := range moved {
		if err := from.Delete(ctx, id); err != nil && !errors.Is(err, keys.ErrNotFound) {
			left = append(left, fmt.Errorf("forget the key of %s in the place before: %w", id, err))
		}
	}
	if err := errors.Join(left...); err != nil {
		m.log.Warn("keys were moved, and not all of them deleted where they were", "error", err)
	}
	return nil
}

// UnlockKeys opens the file of keys until the program ends.
func (m *Access) UnlockKeys(ctx context.Context, r Passphrase) (KeyStore, error) {
	p := m.place
	if p.now() != StoreFile {
		return KeyStore{}, problem.BadRequest("store", "keys are in the keychain")
	}
	if err := p.file.Unlock(ctx, keys.NewSecret(r.Passphrase)); err != nil {
		return KeyStore{}, problem.From(err)
	}
	m.bringIn(ctx)
	m.source.Forget()
	m.changed()
	return m.KeyStore(ctx)
}

// ChangePassphrase encrypts the file of keys with another passphrase.
func (m *Access) ChangePassphrase(ctx context.Context, r PassphraseChange) (KeyStore, error) {
	p := m.place
	if p.now() != StoreFile {
		return KeyStore{}, problem.BadRequest("store", "keys are in the keychain")
	}
	if err := m.decide(ctx, "keys", "written", "passphrase"); err != nil {
		return KeyStore{}, err
	}
	if err := p.file.Change(ctx, keys.NewSecret(r.Passphrase), keys.NewSecret(r.New)); err != nil {
		return KeyStore{}, problem.From(err)
	}
	m.source.Forget()
	return KeyStore{Store: StoreFile, Keychain: true}, nil
}

// storeIsOpen says what is wrong when nothing can be kept now.
func (m *Access) storeIsOpen(ctx context.Context) error {
	p := m.place
	if p.now() == StoreFile && p.file.Locked() {
		return problem.New(problem.CodeKeysLocked).Because(keys.ErrLocked)
	}
	return context.Cause(ctx)
}
