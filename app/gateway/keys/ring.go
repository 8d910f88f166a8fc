package keys

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"piwork/app/durable"
)

// ringService names piwork's entries in the keychain.
const ringService = "piwork"

// Keychain is the part of [keyring.Keyring] that is used.
type Keychain interface {
	Get(service, user string) (string, error)
	Set(service, user, password string) error
	Delete(service, user string) error
}

// Ring keeps credentials in the keychain of the operating system: Keychain on
// macOS, Credential Manager on Windows, the Secret Service on Linux. A keychain
// cannot be listed, so a plain file beside it says which providers have an
// entry, what may be shown of them, and which models they have (keychains are
// small). A provider that the file does not name is found all the same by
// [Ring.Get]. A server that wants no key is in the file only, so that it can be
// used without a keychain.
type Ring struct {
	index   string // file
	profile string
	chain   Keychain
	turn    turn       // of who changes something, which may wait for a person; before mu
	mu      sync.Mutex // of the index; nobody has it for long
}

// NewRing makes a store of a profile ("" is "default"). index is the file that
// names its entries. chain is nil for this computer's keychain.
func NewRing(index, profile string, chain Keychain) *Ring {
	if chain == nil {
		chain = system{}
	}
	profile = cmp.Or(profile, "default")
	return &Ring{index: index, profile: profile, chain: chain}
}

// system is this computer's keychain.
type system struct{}

func (system) Get(s, u string) (string, error) { return keyring.Get(s, u) }
func (system) Set(s, u, p string) error        { return keyring.Set(s, u, p) }
func (system) Delete(s, u string) error        { return keyring.Delete(s, u) }

func (r *Ring) user(provider string) string { return r.profile + "/" + provider }

// ask calls the keychain, which may wait for a person to unlock it and cannot be
// interrupted: when ctx ends first, the call goes on alone.
func ask[T any](ctx context.Context, what string, call func() (T, error)) (T, error) {
	type answer struct {
		v   T
		err error
	}
	var none T
	if ctx.Err() != nil {
		return none, context.Cause(ctx)
	}
	ch := make(chan answer, 1)
	go func() {
		v, err := call()
		ch <- answer{v, err}
	}()
	select {
	case <-ctx.Done():
		return none, fmt.Errorf("%s: %w", what, context.Cause(ctx))
	case a := <-ch:
		switch {
		case a.err == nil:
			return a.v, nil
		case errors.Is(a.err, keyring.ErrNotFound):
			return none, ErrNotFound
		case errors.Is(a.err, keyring.ErrSetDataTooBig):
			return none, fmt.Errorf("%s: %w", what, ErrTooLong)
		}
		return none, fmt.Errorf("%s: %w: %w", what, ErrNoKeychain, a.err)
	}
}

// Get implements [Store].
func (r *Ring) Get(ctx context.Context, provider string) (Credential, error) {
	if !ValidID(provider) {
		return Credential{}, &InvalidError{Provider: provider, What: "provider"}
	}
	info, listed := r.listed(provider)
	if listed && info.Kind == KindNone {
		return Credential{Provider: provider, Kind: KindNone, Name: info.Name, BaseURL: info.BaseURL, Protocol: info.Protocol, Models: info.Models, Private: info.Private}, nil
	}
	text, err := ask(ctx, "ask the keychain", func() (string, error) { return r.chain.Get(ringService, r.user(provider)) })
	if err != nil {
		return Credential{}, err
	}
	c, err := decode([]byte(text), provider)
	if err == nil && listed && info.BaseURL == c.BaseURL {
		c.Models = info.Models
	}
	return c, err
}

// listed finds a provider in the index.
func (r *Ring) listed(provider string) (Info, bool) {
	all, err := r.read()
	if err != nil {
		return Info{}, false
	}
	i := slices.IndexFunc(all, func(i Info) bool { return i.Provider == provider })
	if i < 0 {
		return Info{}, false
	}
	return all[i], true
}

// Set implements [Store]. A keychain replaces an entry at once or not at all; when
// the index cannot follow it, the entry is put back.
func (r *Ring) Set(ctx context.Context, c Credential) error {
	if err := c.Check(); err != nil {
		return err
	}
	if err := r.turn.take(ctx); err != nil {
		return err
	}
	defer r.turn.leave()
	if err := r.writable(); err != nil {
		return err
	}
	if c.Kind == KindNone {
		if err := r.remove(ctx, c.Provider); err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrNoKeychain) {
			return err
		}
		return r.note(c.Provider, new(c.Info(WhereList)))
	}
	e := pack(c)
	e.Models = nil
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	user := r.user(c.Provider)
	before, berr := ask(ctx, "ask the keychain", func() (string, error) { return r.chain.Get(ringService, user) })
	if berr != nil && !errors.Is(berr, ErrNotFound) {
		return berr
	}
	if err := r.write(ctx, user, string(data)); err != nil {
		return err
	}
	err = r.note(c.Provider, new(c.Info(WhereKeychain)))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepWithin)
	defer cancel()
	switch {
	case err == nil:
		return nil
	case berr != nil:
		return errors.Join(err, r.remove(ctx, c.Provider))
	default:
		return errors.Join(err, r.write(ctx, user, before))
	}
}

// write puts an entry into the keychain.
func (r *Ring) write(ctx context.Context, user, text string) error {
	_, err := ask(ctx, "write to the keychain", func() (struct{}, error) {
		return struct{}{}, r.chain.Set(ringService, user, text)
	})
	return err
}

// Delete implements [Store].
func (r *Ring) Delete(ctx context.Context, provider string) error {
	if !ValidID(provider) {
		return &InvalidError{Provider: provider, What: "provider"}
	}
	if err := r.turn.take(ctx); err != nil {
		return err
	}
	defer r.turn.leave()
	if err := r.writable(); err != nil { // before the keychain forgets it
		return err
	}
	all, err := r.read()
	if err == nil && slices.ContainsFunc(all, func(i Info) bool { return i.Provider == provider && i.Kind == KindNone }) {
		return r.note(provider, nil)
	}
	err = r.remove(ctx, provider)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return errors.Join(err, r.note(provider, nil))
}

// remove takes an entry out of the keychain.
func (r *Ring) remove(ctx context.Context, provider string) error {
	_, err := ask(ctx, "delete from the keychain", func() (struct{}, error) {
		return struct{}{}, r.chain.Delete(ringService, r.user(provider))
	})
	return err
}

// writable returns an error for a list that must not be written over: it cannot be read at the
// moment, or a newer program wrote it, whose entries would lose what this one does not know.
func (r *Ring) writable() error {
	x, err := r.load()
	if err != nil && !errors.Is(err, ErrList) {
		return err
	}
	if x.V > indexVersion {
		return fmt.Errorf("list of keys %s: %w: version %d is of a newer program", r.index, ErrList, x.V)
	}
	return nil
}

// List implements [Store]. It does not open the keychain.
func (r *Ring) List(context.Context) ([]Info, error) { return r.read() }

// indexVersion is the "v" of the file.
const indexVersion = 1

// index is the content of the file.
type index struct {
	V    int    `json:"v"`
	Keys []Info `json:"keys"`
}

func (r *Ring) read() ([]Info, error) {
	x, err := r.load()
	if err != nil {
		return nil, err
	}
	return x.Keys, nil
}

// load reads the file. Of one that is damaged it returns what could be read, and ErrList.
func (r *Ring) load() (index, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var x index
	data, err := os.ReadFile(r.index)
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err != nil {
		return x, fmt.Errorf("list of keys: %w", err)
	}
	if err := json.Unmarshal(data, &x); err != nil {
		return x, fmt.Errorf("list of keys %s: %w: %w", r.index, ErrList, err)
	}
	return x, nil
}

// note writes what there is of a provider into the index; nil is nothing. It is its turn.
func (r *Ring) note(provider string, info *Info) error {
	if err := r.writable(); err != nil {
		return err
	}
	all, err := r.read()
	if err != nil { // it is made anew; what it had of servers that want no key is nowhere else
		aside := fmt.Sprintf("%s.damaged-%s", r.index, time.Now().UTC().Format("20060102-150405"))
		if err := os.Rename(r.index, aside); err != nil {
			return fmt.Errorf("put the damaged list of keys aside: %w", err)
		}
	}
	all = slices.DeleteFunc(all, func(i Info) bool { return i.Provider == provider })
	if info != nil {
		all = append(all, *info)
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(a.Provider, b.Provider) })
	data, err := json.MarshalIndent(index{V: indexVersion, Keys: all}, "", "\t")
	if err != nil {
		return err
	}
	r.mu.Lock() // a file that is read cannot be replaced on Windows
	defer r.mu.Unlock()
	if err := durable.WriteFile(r.index, append(data, '\n')); err != nil {
		return fmt.Errorf("list of keys: %w", err)
	}
	return nil
}

// Probe reports whether the keychain works, by writing, reading and deleting an
// entry without a secret. Errors are of [ErrNoKeychain], or that of ctx.
func (r *Ring) Probe(ctx context.Context) error {
	_, err := ask(ctx, "try the keychain", func() (struct{}, error) {
		user := r.user("probe~") // no provider's name
		if err := r.chain.Set(ringService, user, "probe"); err != nil {
			return struct{}{}, err
		}
		v, err := r.chain.Get(ringService, user)
		if err == nil && v != "probe" {
			err = errors.New("it gave back something else than was written")
		}
		return struct{}{}, errors.Join(err, r.chain.Delete(ringService, user))
	})
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf("try the keychain: %w: it forgot what was written", ErrNoKeychain)
	}
	return err
}
