package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/vmhost/share"
	"piwork/vmhost/share/drive"
)

// Token is what is known of a token, but for its secret.
type Token struct {
	ID      string               `json:"id"`
	Name    string               `json:"name"` // of the program that has it
	Scopes  []Scope              `json:"scopes" enum:"read,tasks,tools,ai,decide,manage"`
	Folders []task.FolderRequest `json:"folders"`
	Origins []string             `json:"origins,omitempty" doc:"of pages of the web that may use it, in a browser"`
	Created time.Time            `json:"created"`
	Expires time.Time            `json:"expires"`
	Used    *time.Time           `json:"used,omitempty"` // the last time, to the hour
}

// Client is what tasks carry of the program that has it. Another token of the same name is
// another client.
func (t Token) Client() string { return t.Name + "@" + t.ID[len(t.ID)-8:] }

// decision is what the audit log has of a decision about the token.
func (t Token) decision(answer string) audit.Decision {
	scopes := make([]string, 0, len(t.Scopes))
	for _, s := range t.Scopes {
		scopes = append(scopes, string(s))
	}
	return audit.Decision{Topic: "token/" + t.Client(), Answer: answer, Mode: strings.Join(scopes, ",")}
}

// TokenRequest asks for a token.
type TokenRequest struct {
	Name    string               `json:"name" minLength:"1" maxLength:"32" pattern:"^[a-z0-9][a-z0-9._-]*$" doc:"of the program that will have it; tasks of it carry the name"`
	Scopes  []Scope              `json:"scopes" minItems:"1" maxItems:"6" enum:"read,tasks,tools,ai,decide,manage" doc:"what it is for"`
	Folders []task.FolderRequest `json:"folders,omitempty" maxItems:"32" doc:"that its tasks may have, each as a whole; without a mode it can be read only"`
	Origins []string             `json:"origins,omitempty" maxItems:"8" doc:"of pages of the web that may use it in a browser, such as https://app.example; not with decide or manage"`
	Days    int                  `json:"days,omitempty" minimum:"1" maximum:"3650" doc:"for how long; 90 without it"`
}

// NewToken is a token that was made, with its secret, which is never shown again.
type NewToken struct {
	Token
	Secret string `json:"secret"`
}

const (
	tokensName  = "tokens.json" // in the directory of settings
	usualDays   = 90
	maxTokens   = 100
	usedWithin  = time.Hour // as exact as Used is
	secretStart = "piwork_"
)

// kept is what the file has of a token.
type kept struct {
	Token
	SHA256 string `json:"sha256"` // of the secret, in hexadecimal
}

// file is the content of the file of tokens.
type file struct {
	V          int            `json:"v"`
	List       []kept         `json:"tokens"`               // oldest first
	Unrecorded []audit.Record `json:"unrecorded,omitempty"` // who revoked tokens, for the audit log
}

// errRevoked ends the requests of a token.
var errRevoked = problem.Cause(problem.CodeUnauthorized, "ended", errors.New("the token is not valid any more"))

// TokenList has the tokens. It is safe for concurrent use.
type TokenList struct {
	file *settings.File[file]
	log  *audit.Log
	use  audit.Use
	now  func() time.Time

	mu      sync.Mutex
	clients map[string]*live // by id, of those that were used
	revoked map[string]bool  // likewise, also where the file still has it
}

// live is a client while its token is valid.
type live struct {
	client *Client
	end    context.CancelCauseFunc
	noted  time.Time // that it is used, also where that cannot be written
}

// OpenTokens reads the tokens from the directory of settings. log has who made and revoked which;
// use lets them; changed is called after each change.
func OpenTokens(dir string, log *audit.Log, use audit.Use, now func() time.Time, changed func()) (*TokenList, error) {
	f, err := settings.Open(filepath.Join(dir, tokensName), file{V: 1}, changed)
	if err != nil {
		return nil, err
	}
	l := &TokenList{file: f, log: log, use: use, now: now, clients: map[string]*live{}, revoked: map[string]bool{}}
	_ = l.record(context.Background()) // it stays for the next time
	return l, nil
}

// Tokens lists the tokens, oldest first; those whose time is over, too.
func (l *TokenList) Tokens(context.Context) ([]Token, error) {
	out := []Token{}
	for _, k := range l.file.Get().List {
		out = append(out, k.Token)
	}
	return out, nil
}

// OwnToken is the token of the program that asks. The person has none.
func (l *TokenList) OwnToken(ctx context.Context) (Token, error) {
	list, c := l.file.Get().List, ClientOf(ctx)
	if i := slices.IndexFunc(list, func(k kept) bool { return c != nil && k.Client() == c.id }); i >= 0 {
		return list[i].Token, nil
	}
	return Token{}, problem.New(problem.CodeNotFound)
}

// CreateToken makes a token.
func (l *TokenList) CreateToken(ctx context.Context, r TokenRequest) (NewToken, error) {
	if err := checkOrigins(r); err != nil {
		return NewToken{}, err
	}
	t := Token{Name: r.Name, Origins: r.Origins, Scopes: slices.Compact(slices.Sorted(slices.Values(r.Scopes))), Folders: []task.FolderRequest{}}
	for _, f := range r.Folders {
		if err := problem.CheckPath("folders.path", f.Path); err != nil {
			return NewToken{}, err
		}
		f.Path = filepath.Clean(f.Path)
		f.Mode = cmp.Or(f.Mode, task.ModeReadOnly)
		if f.Mode.Exceeds(task.ModeReadWrite) {
			return NewToken{}, problem.BadRequest("folders.mode", "%q is no mode", f.Mode)
		}
		if err := share.CheckFolder(f.Path, nil); err != nil {
			return NewToken{}, problem.From(err)
		}
		real, err := realPath(ctx, f.Path)
		if err != nil {
			return NewToken{}, problem.From(err)
		}
		f.Path = real
		if i := slices.IndexFunc(t.Folders, func(has task.FolderRequest) bool {
			return task.Contains(has.Path, real) || task.Contains(real, has.Path)
		}); i >= 0 {
			return NewToken{}, problem.New(problem.CodeFolderOverlap).With("path", real).With("other", t.Folders[i].Path)
		}
		t.Folders = append(t.Folders, f)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return NewToken{}, problem.From(err)
	}
	ctx, done, err := l.use.Begin(ctx)
	if err != nil {
		return NewToken{}, err
	}
	defer done()
	days := cmp.Or(r.Days, usualDays)
	now := l.now().UTC().Truncate(time.Second)
	t.ID, t.Created, t.Expires = id.String(), now, now.AddDate(0, 0, days)
	secret := NewSecret()
	err = l.file.Update(func(f *file) error {
		if slices.ContainsFunc(f.List, func(k kept) bool { return k.Name == t.Name }) {
			return problem.New(problem.CodeTokenName).With("name", t.Name)
		}
		if len(f.List) >= maxTokens {
			return problem.BadRequest("name", "there are %d tokens; revoke one first", maxTokens)
		}
		f.List = append(slices.Clone(f.List), kept{t, digest(secret)})
		return l.log.Decide(ctx, "", t.decision("created"))
	})
	if err != nil {
		return NewToken{}, problem.From(err)
	}
	return NewToken{t, secret}, nil
}

// realPath is the path of a folder without links, unless its drive does not answer.
func realPath(ctx context.Context, path string) (string, error) {
	real, err := drive.Await(ctx, path, func() (string, error) { return share.RealPath(path) }, nil)
	if errors.Is(err, fs.ErrNotExist) { // it was deleted after it was looked at
		return "", errors.Join(share.CheckFolder(path, nil), err)
	}
	return real, err
}

// NewSecret makes 256 random bits for an Authorization header. They begin with a word by
// which programs find secrets that were left somewhere.
func NewSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return secretStart + base64.RawURLEncoding.EncodeToString(b[:])
}

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// RevokeToken ends a token, by its id or name, and what it is used for at the moment. Tasks of
// it that are detached go on. It ends at once, also while the data moves, or where nothing can be
// written: then it is valid again when the program starts the next time, and the error says so.
func (l *TokenList) RevokeToken(ctx context.Context, id string) error {
	gone, err := l.end(id)
	if err != nil {
		return err
	}
	err = l.file.Update(func(f *file) error {
		i := slices.IndexFunc(f.List, func(k kept) bool { return k.ID == gone.ID })
		if i < 0 {
			return problem.New(problem.CodeNotFound).With("token", id)
		}
		f.List = slices.Delete(slices.Clone(f.List), i, i+1)
		f.Unrecorded = append(slices.Clip(f.Unrecorded), audit.Decided(ctx, "", gone.decision("revoked")))
		return nil
	})
	if p, known := errors.AsType[*problem.Problem](err); known {
		return p
	}
	if err != nil {
		return problem.New(problem.CodeTokenUnwritten).With("name", gone.Name).Because(err)
	}
	return l.record(ctx) // last: what only takes a right away waits for no record
}

// end ends the client of a token, which nobody is from then on.
func (l *TokenList) end(id string) (Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.file.Get().List
	i := slices.IndexFunc(list, func(k kept) bool { return k.ID == id || k.Name == id })
	if i < 0 {
		return Token{}, problem.New(problem.CodeNotFound).With("token", id)
	}
	gone := list[i].Token
	l.revoked[gone.ID] = true
	if c := l.clients[gone.ID]; c != nil {
		c.end(errRevoked)
		delete(l.clients, gone.ID)
	}
	return gone, nil
}

// record writes into the audit log who revoked tokens. While the data moves that stays in the file,
// which does not move, until the next token is revoked or the program starts.
func (l *TokenList) record(ctx context.Context) error {
	if len(l.file.Get().Unrecorded) == 0 {
		return nil
	}
	_, done, err := l.use.Begin(ctx)
	if err != nil {
		return nil //nolint:nilerr // the token is revoked, and the record is kept
	}
	defer done()
	return l.file.Update(func(f *file) error {
		for _, r := range f.Unrecorded {
			if err := l.log.Append(r); err != nil {
				return problem.NotRecorded(err)
			}
		}
		f.Unrecorded = nil
		return nil
	})
}

// lookEvery is how often it is looked whether the time of a client is over.
const lookEvery = time.Minute

// Client finds who has a secret. What is compared are digests, so that the time that it takes
// says nothing of a secret.
func (l *TokenList) Client(secret string) (*Client, bool) {
	want, now := digest(secret), l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.file.Get().List // under the lock: what is revoked later finds the client
	i := slices.IndexFunc(list, func(k kept) bool { return k.SHA256 == want })
	if i < 0 || l.revoked[list[i].ID] || !now.Before(list[i].Expires) {
		return nil, false
	}
	t := list[i].Token
	c := l.clients[t.ID]
	if c == nil || c.client.valid.Err() != nil { // a clock may have been wrong
		valid, end := context.WithCancelCause(context.Background())
		c = &live{client: &Client{Name: t.Name, id: t.Client(), scopes: t.Scopes, folders: t.Folders, origins: t.Origins, valid: valid}, end: end}
		l.expire(c, t.Expires)
		l.clients[t.ID] = c
	}
	if (t.Used == nil || now.Sub(*t.Used) >= usedWithin) && now.Sub(c.noted) >= usedWithin {
		c.noted = now.Truncate(usedWithin)
		_ = l.file.Update(func(f *file) error { // it is of interest, and no more
			if i := slices.IndexFunc(f.List, func(k kept) bool { return k.ID == t.ID }); i >= 0 {
				f.List = slices.Clone(f.List)
				f.List[i].Used = new(now.UTC().Truncate(usedWithin))
			}
			return nil
		})
	}
	return c.client, true
}

// expire ends a client at a time, which is looked at again and again: a timer stands still while
// the computer sleeps.
func (l *TokenList) expire(c *live, at time.Time) {
	left := at.Sub(l.now())
	if left <= 0 {
		c.end(errRevoked)
	}
	if c.client.valid.Err() == nil {
		time.AfterFunc(min(left, lookEvery), func() { l.expire(c, at) })
	}
}
