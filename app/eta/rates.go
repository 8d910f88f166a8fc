package eta

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"sync"

	"piwork/app/durable"
)

// Work is an amount of work: inputs, and their content where it matters.
type Work struct {
	Items int64
	Bytes int64
}

// itemBytes is how much content takes about as long as what every input takes,
// whatever is in it: a program is started, a file is opened and one is made.
const itemBytes = 64 << 10

// weight is one number for work.
func (w Work) weight() float64 {
	return float64(max(0, w.Items))*itemBytes + float64(max(0, w.Bytes))
}

// rate is weight done in a time.
type rate struct {
	Weight  float64 `json:"weight"`
	Seconds float64 `json:"seconds"`
}

func (r rate) valid() bool {
	return r.Weight > 0 && r.Seconds > 0 && !math.IsInf(r.Weight, 0) && !math.IsInf(r.Seconds, 0)
}

// keeps returns a rate with no more than a time's weight in a mean.
func (r rate) keeps(seconds float64) rate {
	if r.Seconds <= seconds {
		return r
	}
	return rate{Weight: r.Weight * seconds / r.Seconds, Seconds: seconds}
}

// plus is the mean of both.
func (r rate) plus(o rate) rate {
	return rate{Weight: r.Weight + o.Weight, Seconds: r.Seconds + o.Seconds}
}

// Bounds of what is kept.
const (
	maxRates    = 256
	maxKey      = 80
	maxFile     = 64 << 10
	rememberFor = 120.0 // seconds of work that a rate tells of; newer work replaces older
	fileVersion = 1
)

// Rates is how fast this computer did each operation, in each mode of a machine.
// Its methods may be called from several goroutines at once.
type Rates struct {
	mu      sync.Mutex
	rates   map[string]rate
	changed bool
}

// rateFile is what Save writes.
type rateFile struct {
	V     int             `json:"v"`
	Rates map[string]rate `json:"rates"`
}

// Load reads what an earlier Save wrote. It always returns rates that can be
// used: a file that is not there, too large or damaged is as if nothing had been
// learned, and but for the first the error says so.
func Load(path string) (*Rates, error) {
	r := &Rates{rates: map[string]rate{}}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("read the learned rates: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return r, fmt.Errorf("read the learned rates: %w", err)
	}
	var stored rateFile
	if len(data) > maxFile {
		return r, errors.New("the file of learned rates is too large")
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return r, fmt.Errorf("the file of learned rates is damaged: %w", err)
	}
	if stored.V != fileVersion {
		return r, fmt.Errorf("the file of learned rates is of version %d", stored.V)
	}
	for key, v := range stored.Rates {
		if len(r.rates) < maxRates && validKey(key) && v.valid() {
			r.rates[key] = v.keeps(rememberFor)
		}
	}
	return r, nil
}

// Save writes what was learned, when there is something new.
func (r *Rates) Save(path string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.changed {
		return nil
	}
	data, err := json.Marshal(rateFile{V: fileVersion, Rates: r.rates})
	if err != nil {
		return fmt.Errorf("learned rates: %w", err)
	}
	if err := durable.WriteFile(path, append(data, '\n')); err != nil {
		return fmt.Errorf("save the learned rates: %w", err)
	}
	r.changed = false
	return nil
}

func key(op, mode string) string { return op + "/" + mode }

func validKey(k string) bool {
	op, mode, ok := strings.Cut(k, "/")
	return ok && op != "" && mode != "" && len(k) <= maxKey
}

// Learn takes how long some work took. What took no time, or was none, teaches
// nothing.
func (r *Rates) Learn(op, mode string, w Work, seconds float64) {
	now := rate{Weight: w.weight(), Seconds: seconds}
	k := key(op, mode)
	if !now.valid() || !validKey(k) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	old, known := r.rates[k]
	if !known && len(r.rates) == maxRates {
		return
	}
	now = now.keeps(rememberFor)
	r.rates[k] = old.keeps(rememberFor - now.Seconds).plus(now)
	r.changed = true
}

// of returns a learned rate, the zero one where there is none.
func (r *Rates) of(op, mode string) rate {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rates[key(op, mode)]
}
