package consent

import (
	"context"
	"maps"
	"slices"
	"strings"

	"piwork/app/approval"
	"piwork/app/audit"
	"piwork/app/problem"
	"piwork/app/runtimes"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/vmhost"
)

// TopicRuntime is what a decision is about that allows a kind of place; the kind follows, and
// rootless where what runs it has no administrator rights.
const (
	TopicRuntime = "runtime/"
	rootless     = ":rootless"
)

// runtimeTopic is what a yes to a place is about: what was shown.
func runtimeTopic(v runtimes.Verdict) string {
	topic := TopicRuntime + v.Kind
	if v.Engine != nil && v.Engine.Rootless {
		topic += rootless
	}
	return topic
}

// PlaceChoices are what a person said about kinds of places: the settings, and the rules of
// questions that were answered for always. What was said last counts: a rule over an older ask,
// and a setting takes a rule back that says something else.
type PlaceChoices struct {
	settings.Value[runtimes.Settings]
	Consent *Consent
}

// Get returns the settings with what the rules allow.
func (p PlaceChoices) Get() runtimes.Settings {
	s := p.Value.Get()
	s.Weaker = maps.Clone(s.Weaker)
	for kind, r := range p.ruled() {
		if s.Weaker == nil {
			s.Weaker = map[string]runtimes.Allowance{}
		}
		own := s.Weaker[kind]
		if own == runtimes.AllowNever {
			continue
		}
		bound := r.rootless && (own != runtimes.AllowAlways || slices.Contains(s.Rootless, kind))
		s.Weaker[kind], s.Rootless = runtimes.AllowAlways, slices.DeleteFunc(slices.Clone(s.Rootless), func(k string) bool { return k == kind })
		if bound {
			s.Rootless = append(s.Rootless, kind)
		}
	}
	return s
}

// Set saves settings, which the audit log has first. What only a rule allows stays with the rule,
// to be taken back there.
func (p PlaceChoices) Set(ctx context.Context, s runtimes.Settings) error {
	ctx, done, err := p.Consent.o.Registry.Use(ctx)
	if err != nil {
		return err
	}
	defer done()
	s.Weaker = maps.Clone(s.Weaker)
	for _, d := range p.said(s) {
		if err := p.Consent.o.Audit.Decide(ctx, "", d); err != nil {
			return err
		}
	}
	before := p.Value.Get().Weaker
	for kind, r := range p.ruled() {
		switch was, ok := before[kind]; {
		case s.Weaker[kind] != runtimes.AllowAlways:
			for _, rule := range r.ids {
				if err := p.Consent.RemoveRule(ctx, rule); err != nil && problem.From(err).Code != problem.CodeNotFound { // else it is gone already
					return err
				}
			}
		case was == runtimes.AllowNever, r.rootless && !slices.Contains(s.Rootless, kind): // the rule no longer is what allows it
		case ok:
			s.Weaker[kind] = was
		default:
			delete(s.Weaker, kind)
		}
	}
	return p.Value.Set(s)
}

// said are the decisions by which settings differ from those that hold.
func (p PlaceChoices) said(s runtimes.Settings) (out []audit.Decision) {
	was, ruled := p.Get(), p.ruled()
	kinds := maps.Clone(was.Weaker)
	if kinds == nil {
		kinds = map[string]runtimes.Allowance{}
	}
	maps.Copy(kinds, s.Weaker)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		d := audit.Decision{Topic: TopicRuntime + kind, Scope: vmhost.ScopeAlways}
		bound := slices.Contains(s.Rootless, kind)
		switch now := s.Weaker[kind]; {
		case now == was.Weaker[kind] && (now != runtimes.AllowAlways || bound == slices.Contains(was.Rootless, kind)):
			continue
		case now == runtimes.AllowAlways:
			d.Answer = vmhost.AnswerAllow
			if bound {
				d.Topic += rootless
			}
		case now == runtimes.AllowNever:
			d.Answer = vmhost.AnswerDeny
		case now == runtimes.AllowAsk:
			d.Answer = string(now)
		case ruled[kind].ids != nil: // its end says so
			continue
		default:
			d.Answer = "revoked"
		}
		out = append(out, d)
	}
	if prefer := preferred(s); prefer != preferred(was) {
		out = append(out, audit.Decision{Topic: "runtimes/prefer", Answer: "written", Mode: prefer})
	}
	if !slices.Equal(was.Files, s.Files) {
		out = append(out, audit.Decision{Topic: "runtimes/files", Answer: "written", Mode: strings.Join(s.Files, ",")})
	}
	return out
}

// preferred are the kinds that settings prefer, each with its bound, for the audit log.
func preferred(s runtimes.Settings) string {
	kinds := slices.Clone(s.Prefer)
	for i, kind := range kinds {
		if slices.Contains(s.Rootless, kind) {
			kinds[i] += rootless
		}
	}
	return strings.Join(kinds, ",")
}

// ruledKind is a kind that rules allow.
type ruledKind struct {
	ids      []string // of the rules
	rootless bool     // only without administrator rights
}

// ruled are the kinds that rules allow.
func (p PlaceChoices) ruled() map[string]ruledKind {
	out := map[string]ruledKind{}
	for _, r := range p.Consent.rules.All() {
		kind, ok := strings.CutPrefix(r.Topic, TopicRuntime)
		if !ok || r.Task != "" || r.Answer != vmhost.AnswerAllow {
			continue
		}
		bound := false
		if base, is := strings.CutSuffix(kind, rootless); is && base != vmhost.KindRemote && base != vmhost.KindKubernetes { // which have a name there
			kind, bound = base, true
		}
		k, other := out[kind]
		out[kind] = ruledKind{append(k.ids, r.ID), bound && (k.rootless || !other)}
	}
	return out
}

// auditPlace has the audit log say who or what decided that something works in a place that is no
// machine, where nobody was asked.
func (c *Consent) auditPlace(by approval.Who, id string, v runtimes.Verdict) error {
	if v.Reason != runtimes.ReasonNamed {
		by.By = "rule" // the person's, for longer, or one that is written
	}
	mode := string(v.Reason)
	if e := v.Engine; e != nil {
		rights := "root"
		if e.Rootless {
			rights = "rootless"
		}
		mode += ", " + e.Name + " " + e.Version + ", " + rights
	}
	err := c.o.Audit.Append(Record(by, id, audit.Decision{
		Topic: TopicRuntime + v.Kind, Answer: vmhost.AnswerAllow, Scope: vmhost.ScopeOnce, Mode: mode, Rule: v.Rule,
	}))
	if err != nil {
		return problem.NotRecorded(err)
	}
	return nil
}

// notePlace records why the task works in a place that is no machine, and why not in one.
func (w *Ruling) notePlace(c runtimes.Choice) error {
	g := w.g
	v := c.Taken()
	if err := g.c.auditPlace(g.by, g.id, v); err != nil {
		return err
	}
	params := map[string]any{"runtime": v.Kind, "reason": string(v.Reason)}
	if v.Rule != "" {
		params["rule"] = v.Rule
	}
	if e := v.Engine; e != nil {
		params["engine"], params["version"], params["rootless"] = e.Name, e.Version, e.Rootless
	}
	if p := c.Verdicts[0].Problem; p != nil {
		params["problem"], params["cause"] = p.Code, p.Cause
	}
	g.task.Record(task.EventNotice, task.NoticeData{Code: "place", Params: params})
	return nil
}
