package approval

import (
	"net/netip"
	"slices"
	"strings"

	"piwork/vmhost"
	"piwork/vmhost/share/guard"
)

// Effect is what something does, from the least to the most.
type Effect uint8

// Effects. Leave sends something out of the machine.
const (
	EffectRead Effect = iota
	EffectWrite
	EffectChange
	EffectDelete
	EffectLeave
)

// Risk is how careful a person should be with a yes.
type Risk uint8

// Risks.
const (
	RiskNone Risk = iota // nothing of the person's is touched: nobody is asked
	RiskLow              // it can be put back, or stays on this computer
	RiskHigh             // it is lost, or out of the person's hands
)

// String is the risk as questions say it.
func (r Risk) String() string { return [...]string{"none", "low", "high"}[min(r, RiskHigh)] }

// RiskOf is the risk of an effect where it takes place: in the machine itself
// (vmhost.DomainVM), in a container beside others, on this computer, whose folders
// and services are the person's (vmhost.DomainHost), or on another one
// (vmhost.DomainRemote). What is not known is taken for the worst.
func RiskOf(e Effect, where vmhost.Domain) Risk {
	column := slices.Index([]vmhost.Domain{vmhost.DomainVM, vmhost.DomainContainer, vmhost.DomainHost, vmhost.DomainRemote}, where)
	if column < 0 || e > EffectLeave {
		return RiskHigh
	}
	return [...][4]Risk{ // in the machine, in a container, on this computer, on another one
		EffectRead:   {RiskNone, RiskNone, RiskNone, RiskLow},
		EffectWrite:  {RiskNone, RiskNone, RiskNone, RiskHigh},
		EffectChange: {RiskNone, RiskLow, RiskLow, RiskHigh},
		EffectDelete: {RiskNone, RiskLow, RiskHigh, RiskHigh},
		EffectLeave:  {RiskNone, RiskLow, RiskLow, RiskHigh},
	}[e][column]
}

// Rated is the question with its risk, and with how far a yes may reach. What its
// machine says in it is text that may be shown.
func Rated(q vmhost.Question) vmhost.Question {
	q.Risk, q.Scopes = Of(q).String(), Scopes(q)
	q = clean(q)
	return q
}

// Of is the risk of a yes to a question: that of the worst it is about.
func Of(q vmhost.Question) Risk {
	switch q.Kind {
	case vmhost.AskDelete:
		return RiskOf(EffectDelete, vmhost.DomainHost)
	case vmhost.AskMassChange:
		if q.Text.Params["topic"] == guard.TopicDelete {
			return RiskOf(EffectDelete, vmhost.DomainHost)
		}
		return RiskOf(EffectChange, vmhost.DomainHost)
	case vmhost.AskFolder: // the person chooses it, and its changes wait for a yes
		return RiskOf(EffectLeave, vmhost.DomainHost)
	case vmhost.AskOverwrite, vmhost.AskApply:
		return RiskOf(EffectChange, vmhost.DomainHost)
	case vmhost.AskUnpack:
		return RiskHigh // it may fill the disk, where others are at work, too
	case vmhost.AskUndoSpace: // what was changed cannot be put back then
		return RiskOf(EffectDelete, vmhost.DomainHost)
	case vmhost.AskNetwork:
		host, _ := q.Text.Params["host"].(string)
		return RiskOf(EffectLeave, domainOf(host))
	case vmhost.AskCommand:
		effects, ok := q.Text.Params["effects"].([]string)
		if !ok {
			return RiskLow // the program asks something, and does nothing by itself
		}
		worst := RiskNone
		for _, e := range effects {
			worst = max(worst, command(e))
		}
		return worst
	}
	return RiskHigh
}

// command is the risk of a command of an agent, by an effect of package
// app/approval/command: there what is only about the machine's own files is "write".
func command(effect string) Risk {
	switch effect {
	case "write":
		return RiskOf(EffectWrite, vmhost.DomainVM)
	case "system":
		return RiskOf(EffectChange, vmhost.DomainVM)
	case "change", "move", "overwrite":
		return RiskOf(EffectChange, vmhost.DomainHost)
	case "delete":
		return RiskOf(EffectDelete, vmhost.DomainHost)
	case "network", "install":
		return RiskOf(EffectLeave, vmhost.DomainRemote)
	}
	return RiskHigh // it cannot be seen through
}

// domainOf is where a name or an address of a network question leads: to a service
// on this computer, or away from it.
func domainOf(host string) vmhost.Domain {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return vmhost.DomainHost
	}
	if a, err := netip.ParseAddr(host); err == nil && a.Unmap().IsLoopback() {
		return vmhost.DomainHost
	}
	return vmhost.DomainRemote
}
