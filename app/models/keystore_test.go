package models

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/audit/audittest"
	"piwork/app/gateway/keys"
	"piwork/app/problem"
	"piwork/app/task"
)

// Keys move between the keychain and the file, which is locked after each start.
func TestKeyStore(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	c.place.file.SetWork(10)
	provided(t, c, w)
	store := func(want KeyStore, got KeyStore, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("got %+v %v, want %+v", got, err, want)
		}
	}
	s, err := c.KeyStore(t.Context())
	store(KeyStore{Store: StoreKeychain, Keychain: true}, s, err)
	_, err = c.UnlockKeys(t.Context(), Passphrase{Passphrase: "a long passphrase"})
	wants(t, "nothing to unlock", err, problem.CodeBadRequest, "")
	_, err = c.SetKeyStore(t.Context(), KeyStoreChoice{Store: "drawer"})
	wants(t, "no place", err, problem.CodeBadRequest, "")
	_, err = c.SetKeyStore(t.Context(), KeyStoreChoice{Store: StoreFile, Passphrase: "short"})
	wants(t, "short", err, problem.CodePassphrase, "short")
	s, err = c.SetKeyStore(t.Context(), KeyStoreChoice{Store: StoreFile, Passphrase: "a long passphrase"})
	store(KeyStore{Store: StoreFile, Keychain: true}, s, err)
	if left, _ := w.keys.List(t.Context()); len(left) != 0 {
		t.Errorf("the keychain still has %v", left)
	}
	data, err := os.ReadFile(filepath.Join(w.dir, keysFile))
	if err != nil || strings.Contains(string(data), testKey) {
		t.Errorf("the key is readable, or not there: %v", err)
	}
	if _, err := c.ModelFor(t.Context(), ""); err != nil {
		t.Errorf("its key is not used: %v", err)
	}
	_, err = c.ChangePassphrase(t.Context(), PassphraseChange{Passphrase: "another one", New: "a new passphrase"})
	wants(t, "wrong before the change", err, problem.CodePassphrase, "wrong")
	if _, err = c.ChangePassphrase(t.Context(), PassphraseChange{Passphrase: "a long passphrase", New: "a new passphrase"}); err != nil {
		t.Fatal(err)
	}
	c.Close()

	c = w.open() // another start
	s, err = c.KeyStore(t.Context())
	store(KeyStore{Store: StoreFile, Locked: true, Keychain: true}, s, err)
	_, err = c.ModelFor(t.Context(), "")
	wants(t, "a task", err, problem.CodeKeysLocked, "")
	_, err = c.SetKey(t.Context(), "openai", KeyRequest{Key: testKey})
	wants(t, "another key", err, problem.CodeKeysLocked, "")
	_, err = c.TestKey(t.Context(), "scripted")
	wants(t, "a test", err, problem.CodeKeysLocked, "")
	_, err = c.BeginLogin(t.Context(), "anthropic", LoginRequest{})
	wants(t, "a login", err, problem.CodeKeysLocked, "")
	_, err = c.SetKeyStore(t.Context(), KeyStoreChoice{Store: StoreKeychain})
	wants(t, "back, locked", err, problem.CodeKeysLocked, "")
	_, err = c.UnlockKeys(t.Context(), Passphrase{Passphrase: "a long passphrase"})
	wants(t, "the passphrase before", err, problem.CodePassphrase, "wrong")
	s, err = c.UnlockKeys(t.Context(), Passphrase{Passphrase: "a new passphrase"})
	store(KeyStore{Store: StoreFile, Keychain: true}, s, err)
	if _, err := c.ModelFor(t.Context(), ""); err != nil {
		t.Errorf("unlocked: %v", err)
	}
	s, err = c.SetKeyStore(t.Context(), KeyStoreChoice{Store: StoreKeychain})
	store(KeyStore{Store: StoreKeychain, Keychain: true}, s, err)
	if left, _ := w.keys.List(t.Context()); len(left) != 1 {
		t.Errorf("the keychain has %v", left)
	}
}

// What is set or deleted while keys move is so where they are afterwards, and not in the place
// that was left.
func TestSecretsThatChangeWhileKeysMove(t *testing.T) {
	kept := func(id string) keys.Credential {
		return keys.Credential{Provider: ServiceSecrets + id, Kind: keys.KindKey, Key: keys.NewSecret(testKey)}
	}
	w := newWorld(t)
	ring := &slowRing{Memory: &w.keys, reads: make(chan struct{}), goOn: make(chan struct{})}
	c := w.open()
	c.place.ring = ring
	c.place.file.SetWork(10)
	secrets := c.Secrets()
	if err := secrets.Set(t.Context(), kept("old")); err != nil {
		t.Fatal(err)
	}
	moved, set, deleted := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := c.SetKeyStore(t.Context(), KeyStoreChoice{Store: StoreFile, Passphrase: "a long passphrase"})
		moved <- err
	}()
	<-ring.reads // the list of what is moved was made
	// Where keys are is known meanwhile, and who wants to move them, too, waits no longer than they like.
	if now, err := c.KeyStore(t.Context()); err != nil || now.Store != StoreKeychain {
		t.Errorf("while keys move they are in %+v, %v", now, err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if now, err := c.SetKeyStore(gone, KeyStoreChoice{Store: StoreFile, Passphrase: "another passphrase"}); err == nil {
		t.Errorf("moved by somebody who is gone: %+v", now)
	}
	go func() { set <- secrets.Set(t.Context(), kept("new")) }()
	go func() { deleted <- secrets.Delete(t.Context(), ServiceSecrets+"old") }()
	select {
	case err := <-set:
		t.Errorf("set while keys move: %v", err)
		set <- err
	case err := <-deleted:
		t.Errorf("deleted while keys move: %v", err)
		deleted <- err
	case <-time.After(50 * time.Millisecond): // both wait, or were not there yet, which is no fault
	}
	close(ring.goOn)
	for _, done := range []chan error{moved, set, deleted} {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if left, _ := w.keys.List(t.Context()); len(left) != 0 {
		t.Errorf("the keychain still has %v", left)
	}
	if all, err := secrets.List(t.Context()); err != nil || len(all) != 1 || all[0].Provider != ServiceSecrets+"new" {
		t.Errorf("the file has %v, %v", all, err)
	}
}

// slowRing says when it is read, and waits.
type slowRing struct {
	*keys.Memory
	reads, goOn chan struct{}
}

func (s *slowRing) Get(ctx context.Context, id string) (keys.Credential, error) {
	close(s.reads)
	<-s.goOn
	return s.Memory.Get(ctx, id)
}

// A login from its begin, by the controller: done, wrong code, given up, denied,
// begun again, too late.
func TestLogins(t *testing.T) {
	answer := `{"access_token":"access-0123456789","refresh_token":"refresh-0123456789","expires_in":3600}`
	status := 200
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(answer))
	}))
	defer srv.Close()
	c := newWorld(t).open()
	late := make(chan time.Time)
	c.source.Endpoints = map[string]keys.Endpoint{"anthropic": {AuthorizeURL: "https://login.example/a", TokenURL: srv.URL, ClientID: "c", RedirectURL: "https://login.example/b"}}
	c.source.Client = srv.Client()
	c.source.After = func(time.Duration) <-chan time.Time { return late }
	begin := func() Login {
		t.Helper()
		l, err := c.BeginLogin(t.Context(), "anthropic", LoginRequest{})
		if err != nil || l.Needs != "code" || !strings.HasPrefix(l.URL, "https://login.example/a?") || l.ID == "" {
			t.Fatalf("%+v %v", l, err)
		}
		return l
	}
	state := func(l Login, want, cause string) {
		t.Helper()
		s, err := c.LoginState(t.Context(), l.ID)
		if err != nil || s.State != want || cause != "" && (s.Problem == nil || s.Problem.Code != problem.CodeLoginFailed || s.Problem.Cause != cause) {
			t.Errorf("%+v %v, want %s %s", s, err, want, cause)
		}
	}
	_, err := c.BeginLogin(t.Context(), "groq", LoginRequest{})
	wants(t, "a provider without", err, problem.CodeLoginFailed, keys.LoginNone)
	_, err = c.BeginLogin(t.Context(), "No Such", LoginRequest{})
	wants(t, "no provider", err, problem.CodeKeyInvalid, "provider")
	_, err = c.LoginState(t.Context(), "none")
	wants(t, "no login", err, problem.CodeNotFound, "")

	l := begin()
	state(l, LoginWaiting, "")
	_, err = c.FinishLogin(t.Context(), l.ID, LoginCode{Code: "code#otherstate"})
	wants(t, "another's code", err, problem.CodeLoginFailed, keys.LoginWrong)
	state(l, LoginWaiting, "")
	if s, err := c.FinishLogin(t.Context(), l.ID, LoginCode{Code: "the-code"}); err != nil || s.State != LoginDone {
		t.Fatalf("%+v %v", s, err)
	}
	list, err := c.Keys(t.Context())
	if err != nil || len(list) == 0 || list[0].Provider != "anthropic" || list[0].Kind != "login" || !list[0].CanLogin {
		t.Errorf("%+v %v", list, err)
	}

	l = begin()
	if err := c.CancelLogin(t.Context(), l.ID); err != nil {
		t.Fatal(err)
	}
	state(l, LoginFailed, "cancelled")
	if s, err := c.FinishLogin(t.Context(), l.ID, LoginCode{Code: "the-code"}); err != nil || s.State != LoginFailed {
		t.Errorf("after its end: %+v %v", s, err)
	}
	first := begin()
	l = begin() // begun again: the one before ends
	r, err := c.logins.find(first.ID)
	if err != nil {
		t.Fatal(err)
	}
	<-r.over
	state(first, LoginFailed, "cancelled")
	status, answer = 400, `{"error":"invalid_grant"}`
	if s, err := c.FinishLogin(t.Context(), l.ID, LoginCode{Code: "old"}); err != nil || s.Problem == nil || s.Problem.Cause != keys.LoginExpired {
		t.Errorf("%+v %v", s, err)
	}
	l = begin()
	status, answer = 401, `{"error":"invalid_client"}`
	if s, err := c.FinishLogin(t.Context(), l.ID, LoginCode{Code: "x"}); err != nil || s.Problem == nil || s.Problem.Cause != "refused" {
		t.Errorf("%+v %v", s, err)
	}
	l = begin()
	r, err = c.logins.find(l.ID)
	if err != nil {
		t.Fatal(err)
	}
	close(late)
	<-r.over
	state(l, LoginFailed, keys.LoginTimeout)
}

// What was chosen is known without the keychain, which may wait for a person, and without
// a provider.
func TestModelsChosenAsksNobody(t *testing.T) {
	w := newWorld(t)
	m := w.open()
	for _, want := range []Chosen{{"", StoreKeychain}, {"own/m1", StoreKeychain}, {"own/m1", StoreFile}} {
		if err := m.choice.Update(func(c *Choices) error {
			c.Model, c.KeyStore = want.Model, want.Store
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		deaf := &Access{choice: m.choice} // there is nobody to ask
		if got, err := deaf.ModelsChosen(t.Context()); err != nil || got != want {
			t.Errorf("%+v %v, want %+v", got, err, want)
		}
	}
}

// Who changes a key while keys are moved, which may wait for a person, waits as long as they want.
func TestChangeWhileKeysMoveEnds(t *testing.T) {
	c := newWorld(t).open()
	if err := c.place.to.moving.Acquire(t.Context(), changing); err != nil {
		t.Fatal(err)
	}
	defer c.place.to.moving.Release(changing)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := c.SetKey(ctx, "anthropic", KeyRequest{Key: testKey})
	if err == nil || c.RemoveKey(ctx, "anthropic") == nil {
		t.Errorf("%v", err)
	}
}

// Keys of a file come into a store that was locked at first.
func TestKeysOfAFileComeIntoAnOpenedStore(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	c.place.file.SetWork(10)
	if _, err := c.SetKeyStore(t.Context(), KeyStoreChoice{Store: StoreFile, Passphrase: "a long passphrase"}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	file := keys.OwnAuthFile(os.Getenv, w.dir)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(`{"anthropic":{"type":"api_key","key":"`+testKey+`"}}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	c = w.open()
	c.place.file.SetWork(10)
	_, err := c.Keys(t.Context())
	wants(t, "locked", err, problem.CodeKeysLocked, "")
	if _, err := c.UnlockKeys(t.Context(), Passphrase{Passphrase: "a long passphrase"}); err != nil {
		t.Fatal(err)
	}
	got, err := c.source.Get(t.Context(), "anthropic")
	if err != nil || got.Key.Reveal() != testKey {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}

// Who changes keys, and what protects them, is in the audit log.
func TestChangesOfKeysAreRecorded(t *testing.T) {
	w := newWorld(t)
	c := w.open()
	_, err := c.SetKey(t.Context(), "openai", KeyRequest{Key: testKey})
	if err == nil {
		_, err = c.SetKeyStore(task.WithClient(t.Context(), "ci@1"), KeyStoreChoice{Store: StoreFile, Passphrase: "a b c d e f"})
	}
	if err == nil {
		_, err = c.ChangePassphrase(t.Context(), PassphraseChange{Passphrase: "a b c d e f", New: "another one of these"})
	}
	if err == nil {
		err = c.RemoveKey(t.Context(), "openai")
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, want := audittest.Decisions(t, w.log), []string{"key/openai written person", "keys written program", "keys written person", "key/openai removed person"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
