package consent

import (
	"path/filepath"
	"slices"

	"piwork/app/policy"
	netpolicy "piwork/vmhost/network/policy"
	"piwork/vmhost/share/guard"
)

// over is what written rules say to the connections of the task; about is what of them.
func (w *Ruling) over(about string) func(netpolicy.Target) (netpolicy.Answer, bool) {
	g := w.g
	return func(t netpolicy.Target) (netpolicy.Answer, bool) {
		r := g.request(policy.Connect)
		r.Host, r.Port, r.About = t.Host(), int(t.Port), about
		d := g.rulesSay(r)
		switch {
		case d.Effect == policy.Deny:
			g.noteDenied(d, r)
			return netpolicy.Refuse, true
		case !d.Written():
			return netpolicy.Refuse, false
		case d.Effect == policy.Allow:
			return netpolicy.Allow, true
		}
		return netpolicy.Ask, true
	}
}

// refuses is over for whoever asks about each page before: only what is refused counts.
func (w *Ruling) refuses(t netpolicy.Target) (netpolicy.Answer, bool) {
	g := w.g
	a, ok := g.over(policy.AboutWeb)(t)
	return a, ok && a == netpolicy.Refuse
}

// asksAnew reports whether a written rule has a person asked about a host, whatever was
// decided for longer than the task.
func (w *Ruling) asksAnew(t netpolicy.Target) bool {
	g := w.g
	a, ok := g.over(policy.AboutWeb)(t)
	return ok && a == netpolicy.Ask
}

// Over is what written rules say to the connections of the task's machine.
func (w *Ruling) Over() func(netpolicy.Target) (netpolicy.Answer, bool) {
	g := w.g
	return g.over("")
}

// changes is what written rules say to changes in the task's folders.
type changes struct{ g *Gate }

// Concerned implements guard.Written.
func (c changes) Concerned() bool { return c.g.c.written.Known().Alters() }

// Decide implements guard.Written.
func (c changes) Decide(i guard.Intent) (guard.Verdict, []string) {
	g := c.g
	root := ""
	for _, f := range g.last().Shared() {
		if f.ID == i.Folder {
			root = f.Path
		}
	}
	if root == "" {
		return guard.Deny, nil
	}
	rules := g.c.written.Known()
	at := func(rel string) string { return filepath.Join(root, filepath.FromSlash(rel)) }
	var list []policy.Request
	add := func(a policy.Action, p string, whole bool) {
		r := g.request(a)
		r.Path, r.Size = p, i.Size
		list = append(list, r)
		if whole { // all that is in it goes with it
			for _, below := range rules.Below(p) {
				r.Path = below
				list = append(list, r)
			}
		}
	}
	if i.Effect&guard.Delete == 0 {
		add(policy.Write, at(i.Path), i.Effect&guard.Move != 0)
	}
	if i.To != "" {
		add(policy.Write, at(i.To), false)
	}
	if i.Effect&guard.Delete != 0 || i.Effect&guard.Move != 0 && i.Original {
		if i.Original || i.Effect&guard.Delete == 0 {
			add(policy.Delete, at(i.Path), true)
		}
	}
	verdict, ask := guard.Allow, []string(nil)
	for _, r := range list {
		d := rules.Decide(r, g.c.o.Now())
		switch {
		case d.Effect == policy.Deny:
			g.noteDenied(d, r)
			return guard.Deny, nil
		case d.Effect == policy.Ask && d.Written() && !g.agreedTo(d, r):
			if name := topicRule + d.Topic(); !slices.Contains(ask, name) {
				verdict, ask = guard.Ask, append(ask, name)
			}
		}
	}
	return verdict, ask
}
