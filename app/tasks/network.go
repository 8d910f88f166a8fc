package tasks

import (
	"piwork/app/audit"
	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/network"
	"piwork/vmhost/vm"
)

// openNetwork makes the network of a machine that has one.
func (env *environment) openNetwork(spec *vm.Config) error {
	if policies[env.network] == vmhost.NetworkDeny {
		return nil
	}
	n, err := env.makeNetwork()
	if err != nil {
		return err
	}
	g := n.Guest()
	spec.NIC = &vm.NIC{Serve: n.Serve, MAC: g.MAC, Address: g.Address, Gateway: g.Gateway, DNS: g.DNS, MTU: g.MTU, Authority: g.Authority}
	spec.OnLink = env.linkEnded
	return nil
}

// openDoor makes the network of a place on this computer that has none of its own; nil where
// the task has none. What it reaches is judged as what a machine does.
func (env *environment) openDoor() (*hosted.Door, error) {
	if policies[env.network] == vmhost.NetworkDeny {
		return nil, nil
	}
	n, err := env.makeNetwork()
	if err != nil {
		return nil, err
	}
	return &hosted.Door{Serve: n.ServeDoor, Authority: n.Guest().Authority, OnEnd: func(err error) { env.linkEnded("network", err) }}, nil
}

// makeNetwork makes the network of an environment.
func (env *environment) makeNetwork() (*network.Network, error) {
	l := env.l
	if err := l.gate.AllowPresets(); err != nil {
		return nil, err
	}
	loan, err := l.c.o.Kinds.Services.Lend(l.ctx, l.id, l.last.Load().Services, l.gate.AllowHosts, audit.Record{Task: l.id, Request: l.req.by.Request, Client: l.req.by.Client, Door: l.req.by.Door})
	if env.loan = loan; err != nil {
		return nil, err
	}
	l.gate.NoteLoosened()
	n, err := l.c.o.Kinds.Network(network.Config{
		Task: l.id, Policy: policies[env.network], Rules: l.gate.NetworkRules(), Over: l.gate.Over(), Ask: l.gate.AskNetwork, Program: l.gate.Program, Inspect: env.loan.Inspect(), Log: l.log,
		OnEvent: func(e network.Event) {
			l.Record(task.EventNotice, task.NoticeData{Code: "network-" + string(e.Kind),
				Params: map[string]any{"host": e.Host, "port": int(e.Port), "reason": e.Reason}})
		},
	})
	if err != nil {
		return nil, err
	}
	env.net = n
	env.follow(audit.PurposeNetwork, n.Traffic)
	l.gate.SetNetwork(n)
	return n, nil
}

// linkEnded says that the way to models or to the network is not there any more.
func (env *environment) linkEnded(link string, err error) {
	env.l.log.Warn("a link of a machine is not served", "link", link, "error", err)
	env.l.Record(task.EventNotice, task.NoticeData{Code: "link-ended", Params: map[string]any{"link": link}})
}
