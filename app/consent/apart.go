package consent

import (
	"cmp"
	"strings"

	"piwork/app/approval"
	"piwork/app/policy"
	"piwork/app/runtimes"
	"piwork/app/task"
	"piwork/vmhost"
	netpolicy "piwork/vmhost/network/policy"
)

// Apart is what the rules that are written say to a program beside a task, in a place of its
// own: an MCP server. There is nobody to be asked while it runs, so that a rule that asks
// refuses; each call of it is asked about before (Gate.Unasked).
type Apart struct {
	c       *Consent
	who     policy.Who
	by      approval.Who
	server  string
	network task.Network
	folders []task.Folder

	Services []string // of the person, whose secrets it uses; set before Place

	kinds map[string]vmhost.Capabilities // that were asked about
	place vmhost.Capabilities            // that it got
}

// Apart makes that of a server for a task, in which an AI program works; "" for none.
func (c *Consent) Apart(server, forTask, agent string, by approval.Who, network task.Network, folders []task.Folder) *Apart {
	a := &Apart{c: c, server: server, by: by, network: network, folders: folders}
	a.who = policy.Who{Task: forTask, Kind: task.KindExec}
	if forTask != "" {
		a.who.Kind, a.who.Agent = task.KindAI, cmp.Or(agent, agentName)
	}
	a.who.Client, _, _ = strings.Cut(by.Client, "@")
	a.who.Door = by.Door
	return a
}

func (a *Apart) request(action policy.Action) policy.Request {
	r := policy.Request{Action: action, Who: a.who}
	r.Network = a.network
	return in(r, a.place)
}

// Place is what the rules say to the server's work in a kind of place, with all that it gets.
func (a *Apart) Place(k vmhost.Capabilities) policy.Decision {
	if a.kinds == nil {
		a.kinds = map[string]vmhost.Capabilities{}
	}
	a.kinds[k.Name] = k
	run := in(a.request(policy.Run), k)
	run.Program, run.RunKind = a.server, policy.Server
	all := []policy.Request{in(a.request(policy.StartRuntime), k), run}
	for _, f := range a.folders {
		r := in(a.request(policy.Read), k)
		for _, p := range append([]string{f.Path}, a.c.written.Rules().Below(f.Path)...) {
			r.Path = p
			all = append(all, r)
		}
	}
	for _, name := range a.Services {
		r := in(a.request(policy.UseKey), k)
		r.Key = policy.ServiceKey + name
		all = append(all, r)
	}
	var start policy.Decision
	for i, r := range all {
		d := a.c.written.Decide(r)
		if d.Effect == policy.Deny || d.Effect == policy.Ask && d.Written() && r.Action != policy.Run {
			d.Effect = policy.Deny
			return d
		}
		if i == 0 {
			start = d
		}
	}
	return start
}

// Reached is what the rules say to a server that is reached at an address. It works in no place
// of ours; and as each call of it is asked about, they refuse it here or say nothing.
func (a *Apart) Reached() (d policy.Decision, refused bool) {
	r := a.request(policy.Run)
	r.Program, r.RunKind = a.server, policy.Server
	d = a.c.written.Decide(r)
	return d, d.Effect == policy.Deny
}

// Takes says in which of the places that were asked about the server works, and has the audit log
// say who or what decided on one that is no machine.
func (a *Apart) Takes(c runtimes.Choice) error {
	a.place = a.kinds[c.Kind]
	if c.Kind == vmhost.KindVM {
		return nil
	}
	return a.c.auditPlace(a.by, a.who.Task, c.Taken())
}

// in is a request in a place.
func in(r policy.Request, k vmhost.Capabilities) policy.Request {
	r.Runtime, r.Isolation, r.Domain = k.Name, k.Isolation, k.Domain
	return r
}

// Over is what the rules say to its connections, whatever is named for it.
func (a *Apart) Over(t netpolicy.Target) (netpolicy.Answer, bool) {
	r := a.request(policy.Connect)
	r.Host, r.Port = t.Host(), int(t.Port)
	d := a.c.written.Decide(r)
	return netpolicy.Refuse, d.Effect == policy.Deny || d.Effect == policy.Ask && d.Written()
}

// Refused has the audit log say that a rule let the server have no place.
func (a *Apart) Refused(d string) error {
	r := a.request(policy.Run)
	r.Program, r.RunKind = a.server, policy.Server
	return a.c.o.Audit.Append(a.c.ruled(a.by, a.who.Task, d, r, vmhost.AnswerDeny))
}
