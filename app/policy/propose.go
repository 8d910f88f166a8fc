package policy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cedar-policy/cedar-go/types"

	"piwork/vmhost/sanitize"
)

// Proposal is a change of the person's rules with which something would go that one of them
// refused to an AI: an exception of this rule, for exactly this, for its AI program and whoever
// asked for the task. What it says is made from the exception as it would be written, so that
// it allows nothing that is not shown:
//
//	forbid (…) unless { principal in Agent::"pi" && principal in Person::"you" && action == Action::"write" &&
//	  resource is Path && resource.path == "/home/you/Letters/a.txt" && context.runtime == "vm" };
//
// It is written only where the rule is still the one that it was made for.
type Proposal struct {
	ID      string    `json:"id"`
	Task    string    `json:"task" doc:"that was refused"`
	Created time.Time `json:"created"`
	About   Refused   `json:"about" doc:"what was refused"`
	Whole   bool      `json:"whole,omitempty" doc:"it is about everything in a folder"`
	Rule    string    `json:"rule" doc:"id of your rule that gets an exception"`
	Was     string    `json:"was" doc:"this rule as it is"`
	Cedar   string    `json:"cedar" doc:"this rule as it would be"`
	Then    Effect    `json:"then" enum:"allow,ask" doc:"what is said to it then"`
	Careful Hold      `json:"careful,omitempty" enum:"task,hour,day,week,always" doc:"for how long it would hold where nobody says it"`
	Said    string    `json:"said,omitempty" words:"shown" doc:"what it would allow beyond today"`
}

// Refused is a request that was refused.
type Refused struct{ Request }

// Key tells what a proposal would allow from what others would.
func (p Proposal) Key() string {
	exception, _ := p.About.exception(p.Whole, term{})
	sum := sha256.Sum256([]byte(p.Rule + "\n" + exception))
	return hex.EncodeToString(sum[:12])
}

// Exception is what a proposal adds to its rule, to be said; ok is false for one that cannot
// be read.
func (p Proposal) Exception() (s Sentence, ok bool) {
	list, _, err := parse(Yours, []byte(p.Cedar))
	if err != nil || len(list) != 1 || len(list[0].Sentence.Except) == 0 {
		return s, false
	}
	all := list[0].Sentence.Except
	return all[len(all)-1], true
}

// Bounds of proposals.
const (
	maxExceptions = 20  // of one rule: more are read by nobody
	maxSubject    = 250 // characters: no more are shown
	maxEffects    = 16
)

// Propose makes a proposal for a request that was refused; whole is that it is about all that
// is in a folder. There is none where anybody but the person refuses, for what nobody could
// read, and where it would not help.
func (e *Engine) Propose(d Decision, r Request, whole bool) (Proposal, bool) {
	if d.Effect != Deny || d.Fault != nil || d.Layer != Yours || d.Rule == "" || r.Agent == "" {
		return Proposal{}, false
	}
	r.Time = nil
	for _, s := range append([]string{r.Subject(), r.Agent}, r.Effects...) {
		if s == "" || sanitize.Name(s) != s || utf8.RuneCountInString(s) > maxSubject {
			return Proposal{}, false
		}
	}
	p := Proposal{Task: r.Task, Created: e.o.Now().UTC(), About: Refused{r}, Whole: whole || r.Action == Read, Rule: d.Rule}
	exception, ok := r.exception(p.Whole, term{})
	if !ok || len(r.Effects) > maxEffects {
		return Proposal{}, false
	}
	mine := e.Rules().layers[1]
	i := slices.IndexFunc(mine, func(c compiled) bool { return c.ID == d.Rule })
	if i < 0 || strings.Count(mine[i].strip(func(x RuleException) bool { return e.ended(x, nil) }), "unless") >= maxExceptions {
		return Proposal{}, false
	}
	p.Was = mine[i].Cedar
	p.Cedar = excepting(p.Was, exception)
	if _, ok := p.Exception(); !ok {
		return Proposal{}, false
	}
	text, err := e.Text()
	if err != nil {
		return Proposal{}, false
	}
	now, ok := p.in(text)
	if !ok {
		return Proposal{}, false
	}
	p.Then = e.With(now).Decide(r, e.o.Now()).Effect
	return p, p.Then != Deny
}

// Again is the proposal for the rules of now, which another one changed; ok is false where
// nothing is left of it.
func (e *Engine) Again(p Proposal) (Proposal, bool) {
	now, ok := e.Propose(e.Decide(p.About.Request), p.About.Request, p.Whole)
	now.ID, now.Task, now.Created = p.ID, p.Task, p.Created
	return now, ok && now.Rule == p.Rule
}

// excepting is the text of a rule with an exception more, in the same line: rules behind it
// are called after theirs.
func excepting(rule, exception string) string {
	return strings.TrimSuffix(rule, ";") + " unless { " + exception + " };"
}

// in is a text of rules with the proposal in it; ok is false where the rule is not there any
// more as it was, or any other would not stay as it is.
func (p Proposal) in(text string) (string, bool) {
	before, _, err := parse(Yours, plain(text))
	if err != nil || strings.Count(text, p.Was) != 1 {
		return "", false
	}
	text = strings.Replace(text, p.Was, p.Cedar, 1)
	after, _, err := parse(Yours, plain(text))
	if err != nil || len(after) != len(before) {
		return "", false
	}
	there := false
	for i, b := range before {
		a := after[i]
		want := b.Cedar
		if b.ID == p.Rule {
			want, there = p.Cedar, b.Cedar == p.Was
		}
		if a.ID != b.ID || a.Effect != b.Effect || a.Cedar != want {
			return "", false
		}
	}
	return text, there
}

// Accept writes a proposal into the person's file, for as long as the person says, and removes
// the exceptions there that have ended. ErrChanged says that the rules are others than it was
// made for: it would not do what it said.
func (e *Engine) Accept(p Proposal, h Hold, other Ended) error {
	text, err := e.Text()
	if err != nil {
		return err
	}
	at := e.o.Now()
	t, ok := termOf(h, p.Task, at)
	if !ok {
		return fmt.Errorf("%q is not for how long an exception holds", h)
	}
	plainly, _ := p.About.exception(p.Whole, term{})
	exception, ok := p.About.exception(p.Whole, t)
	if _, there := p.in(text); !ok || !there || p.Cedar != excepting(p.Was, plainly) {
		return ErrChanged
	}
	over := func(x RuleException) bool { return e.ended(x, other) }
	now, ok := without(text, over)
	if !ok {
		return ErrChanged
	}
	rule := WrittenRule{ID: p.Rule, Cedar: p.Was}
	p.Was = rule.strip(over)
	p.Cedar = excepting(p.Was, exception)
	now, ok = p.in(now)
	if !ok || e.Decide(p.About.Request).Effect != Deny || e.With(now).Decide(p.About.Request, at).Effect != p.Then {
		return ErrChanged
	}
	return e.Write(now, &text)
}

func quoted(s string) string { return string(types.String(s).MarshalCedar()) }

// exception is a condition that holds for a request, and for no other thing, place, AI program
// or program that asked, for a term. Paths are compared as texts, whole: a link that the AI
// makes later leads the exception nowhere else.
func (r *Request) exception(whole bool, t term) (string, bool) {
	all := []string{"principal in " + entity(typeAgent, r.Agent)}
	if r.Client == "" {
		all = append(all, "principal in "+entity(typePerson, you))
	} else {
		all = append(all, "principal in "+entity(typeClient, r.Client))
	}
	if t.task != "" {
		all = append(all, "principal == "+entity(typeTask, t.task))
	}
	all = append(all, "action == "+entity(typeAction, string(r.Action)))
	switch r.Action {
	case Read, Write, Delete:
		id := PathID(r.Path)
		if id == "" || id == "/" {
			return "", false
		}
		self := "resource.path == " + quoted(id)
		if whole {
			below := types.NewPattern(types.String(id+"/"), types.Wildcard{})
			self = "(" + self + " || resource.path like " + string(below.MarshalCedar()) + ")"
		}
		all = append(all, "resource is Path", self)
	case Connect:
		id := hostID(r.Host)
		if id == "" {
			return "", false
		}
		port := cmp.Or(r.Port, 443)
		all = append(all, "resource is Host", "resource == "+entity(typeHost, id), "resource.port == "+strconv.Itoa(port))
	case Run:
		kind := cmp.Or(r.RunKind, Program)
		all = append(all, "resource is Program", "resource == "+entity(typeProgram, r.Program), "resource.kind == "+quoted(kind))
		if kind == Command {
			all = append(all, effects(r.Effects))
		}
	case UseKey:
		all = append(all, "resource is Key", "resource == "+entity(typeKey, r.Key))
	case StartRuntime:
		return strings.Join(append(append(all, "resource is Runtime", "resource == "+entity(typeRuntime, r.runtime())), t.conditions()...), " && "), true
	default:
		return "", false
	}
	return strings.Join(append(append(all, "context.runtime == "+quoted(family(r.runtime()))), t.conditions()...), " && "), true
}

// effects is the condition that a command does nothing else.
func effects(list []string) string {
	out := make([]string, len(list))
	for i, s := range slices.Sorted(slices.Values(list)) {
		out[i] = quoted(s)
	}
	if len(out) == 0 {
		return "context.effects.isEmpty()"
	}
	return "[" + strings.Join(out, ", ") + "].containsAll(context.effects)"
}

func entity(t types.EntityType, id string) string {
	return string(types.NewEntityUID(t, types.String(id)).MarshalCedar())
}
