package template

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Failure is what is remembered of attempts to make a template.
type Failure struct {
	V        int       `json:"v"`
	Attempts int       `json:"attempts"` // without a success between them
	Last     time.Time `json:"last"`
	Reason   string    `json:"reason"`
}

// pauses say how long after the n-th failed attempt the next one may be made;
// after the last of them only that often.
var pauses = []time.Duration{0, time.Minute, time.Hour, 7 * 24 * time.Hour}

const maxReason = 2 << 10 // bytes of Failure.Reason

// Failed returns what is remembered of failed attempts for a key.
func (s *Store) Failed(key string) (Failure, bool) {
	var f Failure
	if !keyForm().MatchString(key) || readJSON(s.failedPath(key), &f) != nil || f.V != version || f.Attempts <= 0 {
		return Failure{}, false
	}
	return f, true
}

// MayTry says whether another attempt may be made, and if not, because of what.
// A clock that was turned back lets one through.
func (s *Store) MayTry(key string) (Failure, bool) {
	f, ok := s.Failed(key)
	if !ok {
		return f, true
	}
	since := s.now().Sub(f.Last)
	return f, since < 0 || since >= pauses[min(f.Attempts, len(pauses))-1]
}

// NoteFailure remembers a failed attempt.
func (s *Store) NoteFailure(key string, cause error) error {
	if !keyForm().MatchString(key) {
		return fmt.Errorf("%.80q is no key of a template", key)
	}
	f, _ := s.Failed(key)
	reason := cause.Error()
	f = Failure{V: version, Attempts: f.Attempts + 1, Last: s.now().UTC(), Reason: reason[:min(len(reason), maxReason)]}
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	// A note that is lost or torn counts as none: the next attempt writes it.
	return os.WriteFile(s.failedPath(key), append(b, '\n'), 0o600)
}

// Forget says that the template of a key does what it is for. That it could be
// made says less.
func (s *Store) Forget(key string) {
	if keyForm().MatchString(key) {
		_ = os.Remove(s.failedPath(key))
	}
}

func (s *Store) failedPath(key string) string { return filepath.Join(s.dir, key+failedName) }
