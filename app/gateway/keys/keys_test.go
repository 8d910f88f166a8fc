package keys

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"
)

// canary is what must be seen nowhere.
const canary = "sk-canary-0123456789abcdefghijklmnop"

// Every way to print or encode a secret hides it, also inside of other values.
func TestSecretHides(t *testing.T) {
	s := NewSecret(canary)
	type inner struct{ s Secret }
	holder := struct {
		S    Secret
		P    *Secret
		M    map[string]Secret
		C    Credential
		Any  any
		priv inner
	}{s, &s, map[string]Secret{"a": s}, Credential{Key: s, Access: s, Refresh: s}, s, inner{s}}
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10.3s", "%p", "%T", "%w"} {
		fmt.Fprintf(&out, verb+"\n", s)
		fmt.Fprintf(&out, verb+"\n", &s)
		fmt.Fprintf(&out, verb+"\n", holder)
		fmt.Fprintf(&out, verb+"\n", []Secret{s})
		fmt.Fprintf(&out, verb+"\n", fmt.Errorf("x: %v", s))
	}
	fmt.Fprintln(&out, s, &s, holder, holder.C)
	j, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	type named struct{ S Secret }
	x, err := xml.Marshal(named{s})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(j)
	out.Write(x)
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("x", "s", s, "p", &s, "holder", holder, "credential", holder.C)
	}
	out.Write(log.Bytes())
	hex := fmt.Sprintf("%x", canary)
	for _, part := range []string{canary, canary[3:12], hex, strings.ToUpper(hex)} {
		if strings.Contains(out.String(), part) {
			t.Errorf("a secret is seen as %q in:\n%s", part, out.String())
		}
	}
	if s.Reveal() != canary || s.Last() != "mnop" || NewSecret("shortkey").Last() != "" {
		t.Error("a secret is not what it was made of")
	}
}

func credentials() []Credential {
	return []Credential{
		{Provider: "anthropic", Kind: KindOAuth, Access: NewSecret(canary), Refresh: NewSecret("r-" + canary), Expires: time.UnixMilli(1_900_000_000_123)},
		{Provider: "mine", Kind: KindKey, Key: NewSecret(canary), Name: "Mine", BaseURL: "https://models.example/v1", Protocol: "openai", Models: []string{"a", "b"}},
		{Provider: "ollama", Kind: KindNone, BaseURL: "http://127.0.0.1:11434/v1"},
	}
}

// One suite for all stores that write.
func TestStores(t *testing.T) {
	keyring.MockInit()
	dir := t.TempDir()
	for name, open := range map[string]func() Store{
		"keychain": func() Store { return NewRing(filepath.Join(dir, "keys.json"), "", nil) },
		"file": func() Store {
			f := NewFile(filepath.Join(dir, "keys.age"))
			f.work = 10
			if err := f.Unlock(t.Context(), NewSecret("correct horse")); err != nil {
				t.Fatal(err)
			}
			return f
		},
		"memory": func() func() Store { m := &Memory{}; return func() Store { return m } }(),
		"over": func() func() Store {
			o := Over{Env{func(string) string { return "" }}, &Memory{}}
			return func() Store { return o }
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			s := open()
			if _, err := s.Get(ctx, "anthropic"); !errors.Is(err, ErrNotFound) {
				t.Errorf("an empty store says %v", err)
			}
			for _, c := range credentials() {
				if err := s.Set(ctx, c); err != nil {
					t.Fatal(err)
				}
			}
			s = open() // what another start of the program sees
			for _, c := range credentials() {
				got, err := s.Get(ctx, c.Provider)
				if err != nil || !same(got, c) || got.Name != c.Name || !reflect.DeepEqual(got.Models, c.Models) {
					t.Errorf("%s: %+v, %v", c.Provider, got, err)
				}
			}
			all, err := s.List(ctx)
			if err != nil || len(all) != 3 || all[0].Provider != "anthropic" || all[0].Last != "mnop" || !all[0].Renews || all[0].Expires == nil || all[1].BaseURL == "" {
				t.Errorf("list %+v, %v", all, err)
			}
			if text := fmt.Sprintf("%+v", all); strings.Contains(text, canary[:12]) {
				t.Errorf("the list tells the key: %s", text)
			}
			for _, bad := range []Credential{
				{Provider: "../x", Kind: KindKey, Key: NewSecret(canary)}, {Provider: "a/b", Kind: KindKey, Key: NewSecret(canary)}, {Provider: "x", Kind: KindKey},
				{Provider: "x", Kind: KindKey, Key: NewSecret("short")}, {Provider: "x", Kind: KindKey, Key: NewSecret("new\r\nline: 1")}, {Provider: "x", Kind: "other", Key: NewSecret(canary)},
				{Provider: "x", Kind: KindKey, Key: NewSecret(strings.Repeat("x", maxSecret+1))},
			} {
				var e *InvalidError
				if err := s.Set(ctx, bad); !errors.As(err, &e) {
					t.Errorf("%s: %v", bad.Provider, err)
				}
			}
			if err := s.Delete(ctx, "mine"); err != nil {
				t.Error(err)
			}
			if err := s.Delete(ctx, "mine"); !errors.Is(err, ErrNotFound) {
				t.Errorf("deleted twice: %v", err)
			}
			if all, err = open().List(ctx); err != nil || len(all) != 2 {
				t.Errorf("after deletion %+v, %v", all, err)
			}
		})
	}
	// No file beside them holds a key.
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(canary[:12])) {
			t.Errorf("%s holds a key", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// broken is a keychain that fails.
type broken struct{ err error }

func (b broken) Get(string, string) (string, error) { return "", b.err }
func (b broken) Set(string, string, string) error   { return b.err }
func (b broken) Delete(string, string) error        { return b.err }

// full is a keychain that takes nothing.
type full struct{ broken }

func (full) Set(string, string, string) error { return keyring.ErrSetDataTooBig }

// waiting is a keychain that waits for a person.
type waiting struct{ broken }

func (waiting) Get(string, string) (string, error) { select {} }

func TestRingFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	for want, chain := range map[error]Keychain{ErrNoKeychain: broken{errors.New("no secret service")}, ErrTooLong: full{broken{keyring.ErrNotFound}}} {
		r := NewRing(path, "", chain)
		if got := r.Set(t.Context(), credentials()[1]); !errors.Is(got, want) {
			t.Errorf("set: %v, want %v", got, want)
		}
		if all, err := r.List(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("what was not kept is listed: %+v, %v", all, err)
		}
	}
	// A server that wants no key needs no keychain.
	r := NewRing(path, "", broken{errors.New("no secret service")})
	ollama := credentials()[2]
	if err := r.Set(t.Context(), ollama); err != nil {
		t.Error(err)
	}
	if c, err := r.Get(t.Context(), "ollama"); err != nil || !same(c, ollama) {
		t.Errorf("%+v, %v", c, err)
	}
	if err := r.Delete(t.Context(), "ollama"); err != nil {
		t.Error(err)
	}
	if err := NewRing(path, "", broken{errors.New("no")}).Probe(t.Context()); !errors.Is(err, ErrNoKeychain) {
		t.Errorf("probe: %v", err)
	}
	keyring.MockInit()
	if err := NewRing(path, "", nil).Probe(t.Context()); err != nil {
		t.Errorf("probe of one that works: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewRing(path, "", waiting{}).Get(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("a keychain that waits: %v", err)
	}
	// A damaged list says so, and is made anew by the next key.
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r = NewRing(path, "", nil)
	if _, err := r.List(t.Context()); err == nil {
		t.Error("a damaged list is read")
	}
	if err := r.Set(t.Context(), credentials()[1]); err != nil {
		t.Error(err)
	}
	if all, err := r.List(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("list %+v, %v", all, err)
	}
	// The list cannot be written: the entry before is still there.
	lost := NewRing(filepath.Join(t.TempDir(), "gone", "keys.json"), "", nil)
	other := credentials()[1]
	other.Key = NewSecret("sk-another-0123456789")
	if err := lost.Set(t.Context(), other); err == nil {
		t.Error("a list that cannot be written is no error")
	} else if errors.Is(err, ErrNoKeychain) {
		t.Errorf("the keychain is blamed: %v", err)
	}
	if c, err := r.Get(t.Context(), "mine"); err != nil || !c.Key.Equal(credentials()[1].Key) {
		t.Errorf("the key before is gone: %v", err)
	}
	if err := keyring.Set(ringService, "default/mine", `{"v":1,"provider":"other","kind":"key","key":"`+canary+`"}`); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Get(t.Context(), "mine"); !errors.Is(err, ErrEntry) || strings.Contains(err.Error(), canary) {
		t.Errorf("another provider's entry: %v", err)
	}
}

func TestFileFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.age")
	closed := func() *File {
		f := NewFile(path)
		f.work = 10
		return f
	}
	right := NewSecret("the right one")
	if err := closed().Unlock(t.Context(), NewSecret("short")); !errors.Is(err, ErrShort) {
		t.Errorf("a short passphrase for a new file: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it left a file: %v", err)
	}
	f := closed()
	if err := f.Unlock(t.Context(), right); err != nil {
		t.Fatal(err)
	}
	if err := f.Set(t.Context(), credentials()[1]); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"the wrong one", "the right one ", ""} {
		f := closed()
		if err := f.Unlock(t.Context(), NewSecret(words)); !errors.Is(err, ErrPassphrase) || !f.Locked() {
			t.Errorf("passphrase %q: %v", words, err)
		}
		if err := f.Change(t.Context(), NewSecret(words), NewSecret("another one")); !errors.Is(err, ErrPassphrase) {
			t.Errorf("passphrase %q changes: %v", words, err)
		}
		if _, err := f.Get(t.Context(), "mine"); !errors.Is(err, ErrLocked) {
			t.Errorf("passphrase %q reads: %v", words, err)
		}
		if err := f.Set(t.Context(), credentials()[0]); !errors.Is(err, ErrLocked) {
			t.Errorf("passphrase %q writes: %v", words, err)
		}
		if _, err := f.List(t.Context()); !errors.Is(err, ErrLocked) {
			t.Errorf("passphrase %q lists: %v", words, err)
		}
	}
	if err := f.Change(t.Context(), right, NewSecret("brief")); !errors.Is(err, ErrShort) {
		t.Errorf("changed to a short one: %v", err)
	}
	another := NewSecret("another one")
	if err := f.Change(t.Context(), right, another); err != nil {
		t.Fatal(err)
	}
	if c, err := f.Get(t.Context(), "mine"); err != nil || !c.Key.Equal(credentials()[1].Key) {
		t.Errorf("after the change: %v", err)
	}
	if err := closed().Unlock(t.Context(), right); !errors.Is(err, ErrPassphrase) {
		t.Errorf("the passphrase before still opens it: %v", err)
	}
	f.Lock()
	if _, err := f.Get(t.Context(), "mine"); !errors.Is(err, ErrLocked) {
		t.Errorf("locked again: %v", err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if n%7 != 0 {
			continue
		}
		bad := bytes.Clone(good)
		bad[n] ^= 1
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := closed().Unlock(t.Context(), another); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrPassphrase) {
			t.Errorf("byte %d changed: %v", n, err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A file that somebody deleted while it was open loses no key, and no error is a riddle.
func TestFileIsDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.age")
	f := NewFile(path)
	f.work = 10
	right, next := NewSecret("the right one"), NewSecret("the next one")
	if err := f.Change(t.Context(), right, next); !errors.Is(err, ErrLocked) {
		t.Errorf("one that was never made: %v", err)
	}
	if err := f.Unlock(t.Context(), right); err != nil {
		t.Fatal(err)
	}
	if err := f.Set(t.Context(), credentials()[1]); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := f.Unlock(t.Context(), NewSecret("the wrong one")); !errors.Is(err, ErrPassphrase) {
		t.Errorf("opened again by a wrong passphrase: %v", err)
	}
	if err := f.Change(t.Context(), next, next); !errors.Is(err, ErrPassphrase) {
		t.Errorf("changed by a wrong passphrase: %v", err)
	}
	if err := f.Change(t.Context(), right, next); err != nil {
		t.Error(err)
	}
	again := NewFile(path)
	if err := again.Unlock(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	if c, err := again.Get(t.Context(), "mine"); err != nil || !c.Key.Equal(credentials()[1].Key) {
		t.Errorf("the key is gone: %v", err)
	}
}

// A file that another program made with a short passphrase is one like others.
func TestFileWithAShortPassphrase(t *testing.T) {
	f := NewFile(filepath.Join(t.TempDir(), "keys.age"))
	f.work = 10
	short := NewSecret("brief")
	if err := f.save(short, map[string]entry{}); err != nil {
		t.Fatal(err)
	}
	f.Lock()
	if err := f.Unlock(t.Context(), short); err != nil {
		t.Fatal(err)
	}
	if err := f.Set(t.Context(), credentials()[1]); err != nil {
		t.Errorf("it cannot be written: %v", err)
	}
	if err := f.Change(t.Context(), short, short); !errors.Is(err, ErrShort) {
		t.Errorf("changed to a short one: %v", err)
	}
}

// A list of keys that cannot be read says so; the keychain is not blamed.
func TestListIsDamaged(t *testing.T) {
	list := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(list, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewRing(list, "", nil).List(t.Context()); !errors.Is(err, ErrList) {
		t.Error(err)
	}
}

func TestEnv(t *testing.T) {
	env := map[string]string{"ANTHROPIC_API_KEY": "sk-ant-api-0123456789", "ANTHROPIC_OAUTH_TOKEN": "sk-ant-oat-0123456789", "OPENAI_API_KEY": " ", "GEMINI_API_KEY": "short"}
	e := Env{func(n string) string { return env[n] }}
	c, err := e.Get(t.Context(), "anthropic")
	if err != nil || c.Kind != KindOAuth || c.Token().Reveal() != "sk-ant-oat-0123456789" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := e.Get(t.Context(), "openai"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an empty variable: %v", err)
	}
	if all, err := e.List(t.Context()); err != nil || len(all) != 1 || all[0].Variable != "ANTHROPIC_OAUTH_TOKEN" || all[0].Where != WhereEnvironment {
		t.Errorf("%+v, %v", all, err)
	}
	m := &Memory{}
	if s := ByMode(e.Getenv, m); s != Store(m) {
		t.Errorf("the environment is used without being asked for: %T", s)
	}
	env[VarMode] = "env"
	o := ByMode(e.Getenv, m)
	if err := o.Set(t.Context(), Credential{Provider: "anthropic", Kind: KindKey, Key: NewSecret(canary)}); err != nil {
		t.Fatal(err)
	}
	if c, err := o.Get(t.Context(), "anthropic"); err != nil || c.Kind != KindOAuth {
		t.Errorf("the environment does not come first: %+v, %v", c, err)
	}
	if all, err := o.List(t.Context()); err != nil || len(all) != 1 || all[0].Where != WhereEnvironment {
		t.Errorf("%+v, %v", all, err)
	}
	if !errors.Is(e.Set(t.Context(), Credential{}), ErrReadOnly) || !errors.Is(e.Delete(t.Context(), "x"), ErrReadOnly) {
		t.Error("the environment is written to")
	}
}
