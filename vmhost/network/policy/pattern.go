package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Ports of the web: what a pattern without a port is about.
const (
	portHTTP  = 80
	portHTTPS = 443
	portSMTP  = 25
)

const (
	webPorts = 0
	anyPort  = -1
)

// Pattern names hosts and ports. The zero Pattern matches nothing.
type Pattern struct {
	name   string       // "" for addresses
	below  bool         // names below name, not itself
	prefix netip.Prefix // for addresses
	port   int          // webPorts, anyPort or a port
}

// ParsePattern reads a pattern as the package comment has it. The error says what
// is wrong with it.
func ParsePattern(s string) (Pattern, error) {
	p, err := parsePattern(strings.TrimSpace(s))
	if err != nil {
		return Pattern{}, fmt.Errorf("read %q as hosts: %w", s, err)
	}
	return p, nil
}

func parsePattern(s string) (p Pattern, err error) {
	host, port := split(s)
	switch port {
	case "":
	case "*":
		p.port = anyPort
	default:
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return p, fmt.Errorf("no port: %q", port)
		}
		p.port = int(n)
	}
	if prefix, ok, err := parsePrefix(host); ok || err != nil {
		p.prefix = prefix
		return p, err
	}
	host, p.below = strings.CutPrefix(host, "*.")
	if strings.Contains(host, "*") {
		return p, errors.New("a star stands for all names below one: *.example.org")
	}
	if p.name, err = typed(host); err != nil {
		return p, err
	}
	if p.below && !strings.Contains(p.name, ".") {
		return p, errors.New("too wide: all names of a whole top-level domain")
	}
	return p, nil
}

// split finds the port of host, host:port, v6 and [v6]:port.
func split(s string) (host, port string) {
	if rest, ok := strings.CutPrefix(s, "["); ok {
		host, after, ok := strings.Cut(rest, "]")
		if port, has := strings.CutPrefix(after, ":"); ok && has {
			return host, port
		}
		if ok && after == "" {
			return host, ""
		}
		return s, ""
	}
	if strings.Count(s, ":") == 1 {
		host, port, _ = strings.Cut(s, ":")
		if port == "" {
			port = "0" // a colon and nothing: no port
		}
		return host, port
	}
	return s, ""
}

func parsePrefix(s string) (netip.Prefix, bool, error) {
	if a, err := netip.ParseAddr(s); err == nil {
		if a.Zone() != "" {
			return netip.Prefix{}, true, errors.New("an address with a zone")
		}
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), true, nil
	}
	if !strings.Contains(s, "/") {
		return netip.Prefix{}, false, nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return p, true, errors.New("no range of addresses")
	}
	if p.Addr().Is4In6() {
		return p, true, errors.New("write IPv4 ranges as such")
	}
	return p.Masked(), true, nil
}

// String is the pattern in its one canonical form, which ParsePattern reads.
func (p Pattern) String() string {
	var host string
	switch {
	case p.name != "" && p.below:
		host = "*." + p.name
	case p.name != "":
		host = p.name
	case p.prefix.IsSingleIP():
		host = p.prefix.Addr().String()
	case p.prefix.IsValid():
		host = p.prefix.String()
	default:
		return ""
	}
	if p.port == webPorts {
		return host
	}
	if p.name == "" && p.prefix.Addr().Is6() {
		host = "[" + host + "]"
	}
	if p.port == anyPort {
		return host + ":*"
	}
	return host + ":" + strconv.Itoa(p.port)
}

// Wide reports whether anybody can have a name that the pattern is about: those below
// what registries and hosters give names away under (the Public Suffix List). Such a
// pattern can deny, but a person who allows it cannot know whom.
func (p Pattern) Wide() bool {
	if !p.below {
		return false
	}
	given := func(name string) bool {
		suffix, _ := publicsuffix.PublicSuffix(name)
		return suffix == name
	}
	return given(p.name) || given("x."+p.name) // the list has *.compute.amazonaws.com, too
}

// Within reports whether all that the pattern is about, another one is about, too: what o
// allows, p allows no more of.
func (p Pattern) Within(o Pattern) bool {
	if p.port != o.port && o.port != anyPort && (o.port != webPorts || p.port != portHTTP && p.port != portHTTPS) {
		return false
	}
	if p.name == "" || o.name == "" {
		return p.name == "" && o.name == "" && p.prefix.IsValid() && o.prefix.Overlaps(p.prefix) && o.prefix.Bits() <= p.prefix.Bits()
	}
	return o.names(p.name) && (!p.below || o.below) || p.below && o.below && p.name == o.name
}

// names reports whether the pattern is about a name.
func (p Pattern) names(name string) bool {
	if p.name == "" || name == "" {
		return false
	}
	if !p.below {
		return name == p.name
	}
	rest, ok := strings.CutSuffix(name, p.name)
	return ok && len(rest) > 1 && rest[len(rest)-1] == '.'
}

// holds reports whether the pattern is about an address.
func (p Pattern) holds(a netip.Addr) bool {
	return p.name == "" && p.prefix.IsValid() && p.prefix.Contains(a.Unmap())
}

func (p Pattern) opens(port uint16) bool {
	switch p.port {
	case anyPort:
		return true
	case webPorts:
		return port == portHTTP || port == portHTTPS
	}
	return int(port) == p.port
}

func (p Pattern) closes(port uint16) bool {
	return p.port == webPorts || p.opens(port)
}
