package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	cedar "github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
)

// RuleException is something that a rule of the person is not about any more, since they accepted
// a proposal. It is piwork's where what it is read as gives the same text again, byte for byte.
// Any other was changed by hand (Edited), and stays when exceptions are removed.
type RuleException struct {
	ID     string     `json:"id"`
	Rule   string     `json:"rule" doc:"id of your rule that has it"`
	Cedar  string     `json:"cedar" doc:"the exception as it is written"`
	Since  *time.Time `json:"since,omitempty" doc:"it holds from then on"`
	Until  *time.Time `json:"until,omitempty" doc:"it holds before then; without it until you take it back"`
	Task   string     `json:"task,omitempty" doc:"it holds in this task only"`
	Ended  bool       `json:"ended,omitempty" doc:"it holds no more; it goes from the file within seconds, unless it was changed by hand"`
	Edited bool       `json:"edited,omitempty" doc:"it was written or changed by hand, and is taken back by hand, in the file"`
	Said   string     `json:"said,omitempty" words:"shown"`
}

// ErrNoException says that an exception is not there, or not as piwork writes it.
var ErrNoException = errors.New("there is no such exception, or it was changed by hand")

// Sentence is the exception, to be said; what RuleException has fields for is left out.
func (x RuleException) Sentence() (s Sentence, ok bool) {
	if s, ok = sentenceOfException(x.Cedar); !ok {
		return s, false
	}
	s.When = slices.DeleteFunc(s.When, func(c Clause) bool {
		_, since, until := c.Bound()
		return since || until
	})
	return s, true
}

// sentenceOfException reads a condition alone.
func sentenceOfException(text string) (s Sentence, ok bool) {
	rule := []byte("forbid (principal, action, resource) unless { " + text + " };")
	if _, why := outOfBounds(rule); why != "" {
		return s, false
	}
	list, err := cedar.NewPolicyListFromBytes("", rule)
	if err != nil || len(list) != 1 {
		return s, false
	}
	if s, err = sentenceOf(list[0]); err != nil || len(s.Except) != 1 || len(s.When) > 0 {
		return Sentence{}, false
	}
	return s.Except[0], true
}

// Bound is the time that a clause compares the clock with: it holds from then on, or until
// then. It is of no other clause.
func (c Clause) Bound() (at time.Time, since, until bool) {
	if c.Name != "now" || c.Not || len(c.Values) != 1 {
		return at, false, false
	}
	text, under := strings.CutPrefix(c.Values[0], "<")
	at, err := time.Parse(time.RFC3339, text)
	return at, err == nil && c.Is == Above, err == nil && c.Is == Below && under
}

// spot is where a rule has an exception.
type spot struct {
	from, to int    // of the text of the rule, with what piwork puts around it
	cedar    string // the condition
	framed   bool   // it is in its text as piwork puts it
}

// spots finds the exceptions in the text of a rule, in their order.
func spots(rule string) (out []spot) {
	depth, begin, open := 0, -1, -1 // where "unless" stands, and its bracket
	scan([]byte(rule), func(i int, c byte) bool {
		switch c {
		case '(', '[', '{':
			if depth++; c == '{' && depth == 1 && begin >= 0 && open < 0 {
				open = i
			}
		case ')', ']', '}':
			if depth--; depth == 0 && open >= 0 {
				s := spot{from: begin, to: i + 1, cedar: strings.TrimSpace(rule[open+1 : i])}
				if s.from > 0 && rule[s.from-1] == ' ' && rule[s.from:s.to] == "unless { "+s.cedar+" }" {
					s.from, s.framed = s.from-1, true
				}
				out = append(out, s)
				begin, open = -1, -1
			}
		case 'u':
			if depth == 0 && strings.HasPrefix(rule[i:], "unless") {
				begin, open = i, -1
			}
		}
		return true
	})
	return out
}

// exceptions are those of a rule with their places in its text.
func (r *WrittenRule) exceptions() (list []RuleException, at []spot) {
	for _, s := range spots(r.Cedar) {
		said, ok := sentenceOfException(s.cedar)
		if !ok {
			continue // a condition of another kind
		}
		sum := sha256.Sum256([]byte(r.ID + "\n" + s.cedar))
		x := RuleException{ID: hex.EncodeToString(sum[:8]), Rule: r.ID, Cedar: s.cedar, Edited: true}
		request, whole, t, ok := said.read()
		if text, made := request.exception(whole, t); ok && made && s.framed {
			x.Edited = text != s.cedar
		}
		x.Task = t.task
		if !t.since.IsZero() {
			x.Since = &t.since
		}
		if !t.until.IsZero() {
			x.Until = &t.until
		}
		if !slices.ContainsFunc(list, func(o RuleException) bool { return o.ID == x.ID }) { // the same twice goes one by one
			list, at = append(list, x), append(at, s)
		}
	}
	return list, at
}

// read is what an exception is made of; ok is false for one that piwork does not make.
func (s Sentence) read() (r Request, whole bool, t term, ok bool) {
	for _, w := range s.Who {
		switch {
		case w.Type == string(typeAgent) && w.Within:
			r.Agent = w.ID
		case w.Type == string(typeClient) && w.Within:
			r.Client = w.ID
		case w.Type == string(typePerson) && w.Within:
		case w.Type == string(typeTask) && !w.Within:
			t.task = w.ID
		default:
			return r, false, t, false
		}
	}
	r.Action = Action(s.Actions[0])
	for _, w := range s.What {
		switch types.EntityType(w.Type) {
		case typePath:
			r.Path, whole = w.ID, w.Within
		case typeHost:
			r.Host = w.ID
		case typeProgram:
			r.Program = w.ID
		case typeKey:
			r.Key = w.ID
		case typeRuntime:
			r.Runtime = w.ID
		}
	}
	for _, c := range s.When {
		at, since, until := c.Bound()
		switch {
		case since:
			t.since = at.UTC()
		case until:
			t.until = at.UTC()
		case c.Name == "effects" && c.Is == Only:
			r.Effects = c.Values
		case c.Is != Is || c.Not || len(c.Values) != 1:
			return r, false, t, false
		case c.Name == "resource.port":
			r.Port, _ = strconv.Atoi(c.Values[0])
		case c.Name == "resource.kind":
			r.RunKind = c.Values[0]
		case c.Name == "runtime":
			r.Runtime = c.Values[0]
		}
	}
	return r, whole, t, true
}

// Ended tells an exception that holds no more, whatever its times say: of a task that there is
// no more. Nil tells none.
type Ended func(RuleException) bool

// ended reports whether an exception holds no more.
func (e *Engine) ended(x RuleException, other Ended) bool {
	return x.Until != nil && !e.o.Now().Before(*x.Until) || other != nil && other(x)
}

// Exceptions are those of the person's rules. None of an administrator's is among them: their
// file is not piwork's to write.
func (e *Engine) Exceptions(other Ended) []RuleException {
	out := []RuleException{}
	for _, x := range e.mine() {
		x.Ended = e.ended(x, other)
		out = append(out, x)
	}
	return out
}

// TakeBack removes an exception from the person's file, and those that have ended with it. The
// texts of their rules are then what they were without; all else stays, byte for byte.
func (e *Engine) TakeBack(id string, other Ended) error {
	text, err := e.Text()
	if err != nil {
		return err
	}
	found := false
	now, ok := without(text, func(x RuleException) bool {
		this := x.ID == id
		found = found || this
		return this || e.ended(x, other)
	})
	if !ok || !found {
		return ErrNoException
	}
	return e.Write(now, &text)
}

// without is a text of rules without some of the exceptions that are in it as piwork writes
// them. ok is false where anything else would be another than before.
func without(text string, drop func(RuleException) bool) (out string, ok bool) {
	head := len(text) - len(plain(text))
	before, _, err := parse(Yours, plain(text))
	if err != nil {
		return "", false
	}
	want := make([]string, len(before))
	out = text
	for i := len(before) - 1; i >= 0; i-- {
		c := &before[i]
		from := head + c.at
		if from+len(c.Cedar) > len(text) || text[from:from+len(c.Cedar)] != c.Cedar {
			return "", false
		}
		want[i] = c.strip(drop)
		out = out[:from] + want[i] + out[from+len(c.Cedar):]
	}
	after, _, err := parse(Yours, plain(out))
	if err != nil || len(after) != len(before) {
		return "", false
	}
	for i, b := range before {
		if a := after[i]; a.ID != b.ID || a.Effect != b.Effect || a.Cedar != want[i] {
			return "", false
		}
	}
	return out, true
}

// strip is the text of a rule without some of its exceptions, of those that are in it as
// piwork writes them.
func (r *WrittenRule) strip(drop func(RuleException) bool) string {
	text := r.Cedar
	list, at := r.exceptions()
	for i := len(list) - 1; i >= 0; i-- {
		if !list[i].Edited && drop(list[i]) {
			text = text[:at[i].from] + text[at[i].to:]
		}
	}
	return text
}
