package consent

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"piwork/app/approval"
	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/vmhost"
	netpolicy "piwork/vmhost/network/policy"
	"piwork/vmhost/share/guard"
)

// What was decided for longer than once: when it ends, and that it holds for less.

// RuleEnd is when a decision ends.
type RuleEnd struct {
	Expires *time.Time `json:"expires,omitempty" doc:"never where it is not said"`
}

// SetRuleEnd says when a decision ends.
func (w *Written) SetRuleEnd(ctx context.Context, id string, r RuleEnd) (approval.Rule, error) {
	if r.Expires != nil && !r.Expires.After(w.c.o.Now()) {
		return approval.Rule{}, problem.BadRequest("expires", "%s is over", r.Expires.Format(time.RFC3339))
	}
	_, done, err := w.c.o.Registry.Use(ctx)
	if err != nil {
		return approval.Rule{}, err
	}
	defer done()
	all := w.c.rules.All()
	i := slices.IndexFunc(all, func(o approval.Rule) bool { return o.ID == id })
	if i < 0 {
		return approval.Rule{}, problem.New(problem.CodeNotFound).With("rule", id)
	}
	about := w.c.about(all[i])
	if r.Expires != nil {
		about.Mode = "until " + r.Expires.UTC().Format(time.RFC3339)
	}
	if err := w.c.o.Audit.Append(Record(WhoOf(ctx), all[i].Task, about)); err != nil {
		return approval.Rule{}, problem.NotRecorded(err)
	}
	rule, err := w.c.rules.Expire(id, r.Expires)
	if errors.Is(err, approval.ErrNoRule) {
		return rule, problem.New(problem.CodeNotFound).With("rule", id).Because(err)
	}
	if err != nil {
		return rule, problem.From(err)
	}
	return rule, nil
}

// RuleScope is for what alone a decision is to hold: one of these.
type RuleScope struct {
	Task   string `json:"task,omitempty" maxLength:"64" doc:"only in this task, and while it runs"`
	Folder string `json:"folder,omitempty" maxLength:"4096" doc:"only in this folder of this computer; of decisions about changes of files"`
	Host   string `json:"host,omitempty" maxLength:"253" doc:"only this address; of decisions about several"`
}

// NarrowRule has a decision that allows hold for less. It never widens one: what it would hold
// for then, it holds for already.
func (w *Written) NarrowRule(ctx context.Context, id string, to RuleScope) (approval.Rule, error) {
	c := w.c
	_, done, err := c.o.Registry.Use(ctx)
	if err != nil {
		return approval.Rule{}, err
	}
	defer done()
	all := c.rules.All()
	i := slices.IndexFunc(all, func(o approval.Rule) bool { return o.ID == id })
	if i < 0 {
		return approval.Rule{}, problem.New(problem.CodeNotFound).With("rule", id)
	}
	was := all[i]
	next, err := c.narrowed(was, to)
	if err != nil {
		return approval.Rule{}, err
	}
	about := c.about(next)
	about.Mode = "narrowed"
	if err := c.o.Audit.Append(Record(WhoOf(ctx), next.Task, about)); err != nil {
		return approval.Rule{}, problem.NotRecorded(err)
	}
	next, err = c.rules.Narrow(was, next)
	switch {
	case errors.Is(err, approval.ErrNoRule):
		return next, problem.New(problem.CodeNotFound).With("rule", id).Because(err)
	case errors.Is(err, approval.ErrChanged):
		return next, problem.New(problem.CodeChanged).With("rule", id).Because(err)
	case errors.Is(err, approval.ErrDecided):
		return next, problem.BadRequest("scope", "%w", err).By("decided")
	case err != nil:
		return next, problem.From(err)
	}
	c.applyRules(func(gate *Gate, g *guard.Guard) { g.Forget(was.Topic, gate.folderID(was.Folder)) })
	return next, nil
}

// What a rule can be narrowed to, besides to a task.
const (
	toFolder = "folder"
	toHost   = "host"
)

// narrows is what a rule can be narrowed to, "" for nothing.
func narrows(r approval.Rule) string {
	if r.Answer != vmhost.AnswerAllow || r.Task != "" {
		return ""
	}
	if r.Folder == "" && guard.OfFolders(r.Topic) {
		return toFolder
	}
	for _, p := range wideHosts(r) {
		if host := p.String(); strings.HasPrefix(host, "*.") || strings.Contains(host, "/") || strings.HasPrefix(r.Topic, TopicPreset) {
			return toHost
		}
	}
	return ""
}

// wideHosts are the addresses that a rule is about, none for one that is about no network.
func wideHosts(r approval.Rule) (out []netpolicy.Pattern) {
	host, ok := strings.CutPrefix(r.Topic, topicNetwork)
	if !ok {
		return nil
	}
	list := []string{host}
	if code, ok := strings.CutPrefix(r.Topic, TopicPreset); ok {
		preset, _ := netpolicy.FindPreset(code)
		list = preset.Hosts
	}
	for _, s := range list {
		if p, err := netpolicy.ParsePattern(s); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// narrowed is a rule that holds for less.
func (c *Consent) narrowed(r approval.Rule, to RuleScope) (approval.Rule, error) {
	given := 0
	for _, s := range []string{to.Task, to.Folder, to.Host} {
		if s != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return r, problem.BadRequest("scope", "it is a task, a folder or an address")
	case r.Answer != vmhost.AnswerAllow:
		return r, problem.BadRequest("rule", "what is refused for less is allowed for more: remove it")
	case r.Task != "":
		return r, problem.BadRequest("rule", "it is for one task already")
	case to.Task != "":
		l := c.o.Registry.Live(to.Task)
		if l == nil || l.Ending() {
			if _, err := c.o.Store.Get(to.Task); err != nil {
				return r, registry.Problem(to.Task, err)
			}
			return r, problem.BadRequest("task", "it does not run")
		}
		r.Task = to.Task
	case to.Folder != "":
		to.Folder = filepath.Clean(to.Folder)
		if !guard.OfFolders(r.Topic) || r.Folder != "" || !filepath.IsAbs(to.Folder) {
			return r, problem.BadRequest("folder", "only a decision about changes of files everywhere can be for one folder, by its whole path")
		}
		r.Folder = to.Folder
	default:
		p, err := netpolicy.ParsePattern(to.Host)
		if err != nil {
			return r, problem.BadRequest("host", "%w", err)
		}
		wide := wideHosts(r)
		if !slices.ContainsFunc(wide, func(o netpolicy.Pattern) bool { return p.Within(o) && (p != o || len(wide) > 1) }) {
			return r, problem.BadRequest("host", "%q is none of the addresses that it is about, or all of them", to.Host)
		}
		r.Topic = topicNetwork + p.String()
	}
	return r, nil
}
