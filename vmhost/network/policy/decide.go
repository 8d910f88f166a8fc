package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"piwork/vmhost"
)

// Answer is what a Set says about a connection.
type Answer int

// Answers. The zero Answer refuses.
const (
	Refuse Answer = iota
	Ask
	Allow
)

// String is the answer for a log.
func (a Answer) String() string {
	switch a {
	case Ask:
		return "ask"
	case Allow:
		return "allow"
	}
	return "refuse"
}

// Reasons of a Verdict, beside the kinds of addresses.
const (
	ReasonOff     = "network-off" // the policy is deny
	ReasonRule    = "rule"        // a rule decides
	ReasonPolicy  = "policy"      // no rule; the policy is allow
	ReasonUnknown = "unknown"     // no rule; a person may be asked
	ReasonMail    = "mail-port"
)

// Verdict is an answer and, as a code, why.
type Verdict struct {
	Answer Answer
	Reason string
}

// Target is where a connection is to go: a name as [Name] returns it, or an
// address that the guest used as such.
type Target struct {
	Name string
	Addr netip.Addr // when Name is ""
	Port uint16
}

// Host is the name or the address.
func (t Target) Host() string {
	if t.Name != "" {
		return t.Name
	}
	return t.Addr.String()
}

// Pattern is the narrowest pattern for t: what a person who is asked about it
// decides.
func (t Target) Pattern() Pattern {
	p := Pattern{name: t.Name, port: int(t.Port)}
	if t.Port == portHTTP || t.Port == portHTTPS {
		p.port = webPorts
	}
	if t.Name == "" {
		a := t.Addr.Unmap()
		p.prefix = netip.PrefixFrom(a, a.BitLen())
	}
	return p
}

// String is the host and the port.
func (t Target) String() string {
	if t.Name != "" {
		return fmt.Sprintf("%s:%d", t.Name, t.Port)
	}
	return netip.AddrPortFrom(t.Addr, t.Port).String()
}

// Rule allows or denies what its pattern names.
type Rule struct {
	Allow   bool
	Pattern Pattern
	Task    bool // it was decided in this task, and for it
}

// ErrWide says that a pattern is too wide to be allowed; see Pattern.Wide.
var ErrWide = errors.New("too wide: anybody can have a name there; allow single names")

// ParseRules makes rules of patterns that allow and patterns that deny.
func ParseRules(allow, deny []string) ([]Rule, error) {
	rules := make([]Rule, 0, len(allow)+len(deny))
	for i, s := range slices.Concat(allow, deny) {
		p, err := ParsePattern(s)
		if err != nil {
			return nil, err
		}
		if i < len(allow) && p.Wide() {
			return nil, fmt.Errorf("allow %q: %w", s, ErrWide)
		}
		rules = append(rules, Rule{Allow: i < len(allow), Pattern: p})
	}
	return rules, nil
}

// Set is a policy and its rules. It is not changed by its methods.
type Set struct {
	Policy vmhost.NetworkPolicy // "" is deny
	Rules  []Rule

	// Over is what stands over the rules, and whether it has an opinion; nil has none. It
	// refuses what they allow, has asked what they allow unless that was decided in this
	// task, and allows what they would ask about: never what is refused anyway.
	Over func(Target) (Answer, bool)
}

// Decide judges what the guest asked for, before the name is looked up.
func (s Set) Decide(t Target) Verdict {
	v := s.byRules(t)
	if v.Answer == Refuse || s.Over == nil {
		return v
	}
	switch over, ok := s.over(t); {
	case !ok:
	case over == Refuse:
		return Verdict{Refuse, ReasonRule}
	case over == Ask && v.Answer == Allow && !s.decided(t):
		return Verdict{Ask, ReasonRule}
	case over == Allow:
		return Verdict{Allow, ReasonRule}
	}
	return v
}

// over is what stands over the rules, which there is, says to t: what it takes away from the IPv4
// address inside, it takes away from t.
func (s Set) over(t Target) (Answer, bool) {
	answer, ok := s.Over(t)
	if in, is := t.inside(); is {
		if a, said := s.Over(in); said && a != Allow && (!ok || a < answer) {
			return a, true
		}
	}
	return answer, ok
}

// decided reports whether a rule of this task allows t.
func (s Set) decided(t Target) bool {
	return slices.ContainsFunc(s.Rules, func(r Rule) bool {
		return r.Allow && r.Task && r.Pattern.about(t) && r.Pattern.opens(t.Port)
	})
}

// byRules is Decide without what stands over the rules.
func (s Set) byRules(t Target) Verdict {
	if s.Policy != vmhost.NetworkRestricted && s.Policy != vmhost.NetworkAllow {
		return Verdict{Refuse, ReasonOff}
	}
	if s.denied(t) {
		return Verdict{Refuse, ReasonRule}
	}
	allowed, exact := s.allowed(t)
	if t.Port == portSMTP && !exact {
		return Verdict{Refuse, ReasonMail}
	}
	if t.Name == "" {
		if never(t.Addr) {
			return Verdict{Refuse, Kind(t.Addr)}
		}
		if kind := Kind(t.Addr); kind != KindPublic && !allowed {
			return Verdict{Refuse, kind}
		}
	}
	switch {
	case allowed:
		return Verdict{Allow, ReasonRule}
	case s.Policy == vmhost.NetworkAllow:
		return Verdict{Allow, ReasonPolicy}
	}
	return Verdict{Ask, ReasonUnknown}
}

// Address judges the address that a connection would really go to, on the host, which
// is at own.
func (s Set) Address(a netip.Addr, port uint16, own Own) Verdict {
	a = a.Unmap()
	t := Target{Addr: a, Port: port}
	if never(a) {
		return Verdict{Refuse, Kind(a)}
	}
	if s.denied(t) {
		return Verdict{Refuse, ReasonRule}
	}
	if s.Over != nil { // a name leads where its owner says
		if over, ok := s.over(t); ok && over == Refuse {
			return Verdict{Refuse, ReasonRule}
		}
	}
	kind := own.kind(a)
	if kind == KindPublic {
		return Verdict{Allow, ReasonPolicy}
	}
	if allowed, _ := s.allowed(t); allowed {
		return Verdict{Allow, ReasonRule}
	}
	return Verdict{Refuse, kind}
}

// Denied reports whether a rule denies every port of a name: then it is not even
// answered.
func (s Set) Denied(name string) bool {
	return slices.ContainsFunc(s.Rules, func(r Rule) bool {
		return !r.Allow && r.Pattern.names(name) && (r.Pattern.port == webPorts || r.Pattern.port == anyPort)
	})
}

// Known reports whether a rule, or the policy, allows some port of a name.
func (s Set) Known(name string) bool {
	return s.Policy == vmhost.NetworkAllow || slices.ContainsFunc(s.Rules, func(r Rule) bool {
		return r.Allow && r.Pattern.names(name)
	})
}

// denied is also for what reaches a denied IPv4 address by way of IPv6. Rules that allow have no such
// way: what is behind a translator of addresses is not what the person named.
func (s Set) denied(t Target) bool {
	in, is := t.inside()
	return slices.ContainsFunc(s.Rules, func(r Rule) bool {
		return !r.Allow && (r.Pattern.about(t) || is && r.Pattern.about(in)) && r.Pattern.closes(t.Port)
	})
}

// inside is the IPv4 address that t reaches by NAT64, if it is such a one.
func (t Target) inside() (Target, bool) {
	if t.Name != "" || !nat64.Contains(t.Addr) {
		return Target{}, false
	}
	return Target{Addr: plain(t.Addr), Port: t.Port}, true
}

// allowed also says whether the port itself was named.
func (s Set) allowed(t Target) (allowed, exact bool) {
	for _, r := range s.Rules {
		if r.Allow && r.Pattern.about(t) && r.Pattern.opens(t.Port) {
			allowed = true
			exact = exact || r.Pattern.port == int(t.Port)
		}
	}
	return allowed, exact
}

func (p Pattern) about(t Target) bool {
	if t.Name != "" {
		return p.names(t.Name)
	}
	return p.holds(t.Addr)
}
