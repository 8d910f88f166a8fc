package services

import (
	"piwork/app/problem"
	"piwork/app/task"
)

// NetworkFor is the network of a task that is asked for with services: one that asks for each
// other host, where no other one is named. asked is what was.
func (c *Catalogue) NetworkFor(t task.Task, asked task.Network, names []string) (task.Network, error) {
	switch {
	case len(names) == 0:
		return t.Network, nil
	case t.Kind != task.KindExec && t.Kind != task.KindAI:
		return t.Network, problem.BadRequest("services", "only programs and an AI use them").By("service-network")
	case asked == task.NetworkOff:
		return t.Network, problem.BadRequest("network", "services are reached over one").By("service-network")
	}
	if t.Network == task.NetworkOff {
		t.Network = task.NetworkRestricted
	}
	return t.Network, c.CheckServices(names)
}

// Needed is the network that a task needs of its place: with services, one that names hosts,
// whatever else it may reach.
func Needed(t task.Task) task.Network {
	if len(t.Services) > 0 {
		return task.NetworkRestricted
	}
	return t.Network
}
