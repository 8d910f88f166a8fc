package policy

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"piwork/vmhost"
)

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"example.org": "example.org", "Example.ORG.": "example.org", "_dmarc.example.org": "_dmarc.example.org",
		"xn--bcher-kva.example": "xn--bcher-kva.example", "localhost": "localhost",
		strings.Repeat("a", 63) + ".org": strings.Repeat("a", 63) + ".org",
		// Refused:
		"": "", ".": "", "a..b": "", ".a": "", "a b.org": "", "a/b": "", "ex\x00ample.org": "", "bücher.example": "",
		"*.example.org": "", "-a.org": "", "a-.org": "", "[::1]": "", "user@example.org": "", "\u212a.example": "",
		strings.Repeat("a", 64) + ".org": "", strings.Repeat("a.", 127) + "aa": "",
		"127.0.0.1": "", "127.1": "", "2130706433": "", "0x7f.0x1": "", "a.0x": "", "017700000001": "",
	} {
		if got, err := Name(in); got != want || (err == nil) != (want != "") {
			t.Errorf("Name(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestPatternReads(t *testing.T) {
	for in, want := range map[string]string{
		"example.org": "example.org", " Example.org. ": "example.org", "*.Example.org": "*.example.org",
		"example.org:22": "example.org:22", "*.example.org:*": "*.example.org:*", "Bücher.example": "xn--bcher-kva.example",
		"192.0.2.7": "192.0.2.7", "192.0.2.7:8080": "192.0.2.7:8080", "192.168.1.9/24:*": "192.168.1.0/24:*",
		"2001:db8::1": "2001:db8::1", "[2001:DB8::1]": "2001:db8::1", "[2001:db8::1]:22": "[2001:db8::1]:22",
		"2001:db8::/32": "2001:db8::/32", "[2001:db8::/32]:*": "[2001:db8::/32]:*", "::ffff:10.0.0.1": "10.0.0.1",
		"my_host.example.org": "my_host.example.org", "localhost:8080": "localhost:8080",
		// Refused:
		"": "", "*": "", "*.": "", "*.org": "", "a.*.org": "", "*example.org": "", "**.example.org": "", "example.org:": "",
		"example.org:0": "", "example.org:65536": "", "example.org:-1": "", "example.org:http": "", "http://example.org": "",
		"example.org/path": "", "10.0.0.0/33": "", "fe80::1%eth0": "", "[fe80::1%25eth0]:80": "", "::ffff:10.0.0.0/104": "",
		"[2001:db8::1": "", "[2001:db8::1]x": "", "127.1": "", "user@example.org": "", "*.*.example.org": "",
	} {
		p, err := ParsePattern(in)
		if got := p.String(); got != want || (err == nil) != (want != "") {
			t.Errorf("ParsePattern(%q) = %q, %v; want %q", in, got, err, want)
		}
		if err == nil {
			if again, err := ParsePattern(p.String()); err != nil || again != p {
				t.Errorf("%q is read again as %q, %v", p, again, err)
			}
		}
	}
}

// What everybody can have a name below is denied, and not allowed.
func TestPublicSuffixes(t *testing.T) {
	for pattern, wide := range map[string]bool{
		"*.co.uk": true, "*.github.io": true, "*.s3.amazonaws.com": true, "*.CO.UK:*": true, "*.compute.amazonaws.com": true,
		"*.example.co.uk": false, "*.me.github.io": false, "*.example.org": false, "me.github.io": false, "github.io": false, "co.uk": false, "192.0.2.0/24": false,
	} {
		p, err := ParsePattern(pattern)
		if err != nil || p.Wide() != wide {
			t.Errorf("%s: wide %v, %v", pattern, p.Wide(), err)
		}
		if _, err := ParseRules([]string{pattern}, nil); errors.Is(err, ErrWide) != wide {
			t.Errorf("allow %s: %v", pattern, err)
		}
		if _, err := ParseRules(nil, []string{pattern}); err != nil {
			t.Errorf("deny %s: %v", pattern, err)
		}
	}
}

// A wildcard is about what a person thinks it is about: names that end in a dot
// and the name, and no other.
func TestWildcardsByTheirMeaning(t *testing.T) {
	label := rapid.StringMatching(`[a-z]([a-z0-9-]{0,4}[a-z0-9])?`)
	rapid.Check(t, func(t *rapid.T) {
		base := label.Draw(t, "base") + "." + label.Draw(t, "top")
		var name string
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			name = base
		case 1:
			name = label.Draw(t, "below") + "." + base
		case 2:
			name = label.Draw(t, "glued") + base
		default:
			name = base + "." + label.Draw(t, "after")
		}
		name, err := Name(name)
		if err != nil {
			t.Skip("what was drawn is no name; another is drawn: ", err)
		}
		wild, err := ParsePattern("*." + base)
		if err != nil {
			t.Skip("what was drawn is no name; another is drawn: ", err)
		}
		plain, err := ParsePattern(base)
		if err != nil {
			t.Fatal(err)
		}
		labels, of := strings.Split(name, "."), strings.Split(base, ".")
		ends := len(labels) >= len(of) && strings.Join(labels[len(labels)-len(of):], ".") == base
		if got, want := wild.names(name), ends && len(labels) > len(of); got != want {
			t.Errorf("*.%s about %s: %v", base, name, got)
		}
		if got, want := plain.names(name), ends && len(labels) == len(of); got != want {
			t.Errorf("%s about %s: %v", base, name, got)
		}
	})
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{"example.org", "*.example.org:22", "[2001:db8::/32]:*", "10.0.0.0/8", "bücher.example", "*", "a:b:c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePattern(s)
		if err != nil {
			return
		}
		if again, err := ParsePattern(p.String()); err != nil || again != p {
			t.Errorf("%q → %q → %q, %v", s, p, again, err)
		}
	})
}

func TestKind(t *testing.T) {
	for in, want := range map[string]string{
		"93.184.215.14": KindPublic, "2606:4700::1111": KindPublic, "1.1.1.1": KindPublic, "172.32.0.1": KindPublic, "100.128.0.1": KindPublic,
		"64:ff9b::1.1.1.1": KindPublic, "::ffff:1.1.1.1": KindPublic,
		"127.0.0.1": KindLoopback, "127.255.255.255": KindLoopback, "::1": KindLoopback, "::ffff:127.0.0.1": KindLoopback, "64:ff9b::127.0.0.1": KindLoopback,
		"10.1.2.3": KindPrivate, "172.16.0.1": KindPrivate, "172.31.255.255": KindPrivate, "192.168.0.1": KindPrivate, "100.64.0.1": KindPrivate,
		"100.127.255.255": KindPrivate, "fc00::1": KindPrivate, "fdff::1": KindPrivate, "::ffff:10.0.0.1": KindPrivate, "64:ff9b::10.0.0.1": KindPrivate, "fec0::1": KindPrivate,
		"169.254.1.1": KindLinkLocal, "fe80::1": KindLinkLocal, "febf::1": KindLinkLocal,
		"169.254.169.254": KindMetadata, "fd00:ec2::254": KindMetadata, "100.100.100.200": KindMetadata, "168.63.129.16": KindMetadata, "::ffff:169.254.169.254": KindMetadata,
		"224.0.0.1": KindMulticast, "239.255.255.250": KindMulticast, "ff02::fb": KindMulticast,
		"0.0.0.0": KindReserved, "0.1.2.3": KindReserved, "255.255.255.255": KindReserved, "240.0.0.1": KindReserved, "198.18.0.1": KindReserved, "192.0.2.1": KindReserved,
		"::": KindReserved, "2001::1": KindReserved, "2002:a00:1::1": KindReserved, "2001:db8::1": KindReserved, "::10.0.0.1": KindReserved,
		"64:ff9b:1::1": KindReserved, "100::1": KindReserved, "5f00::1": KindReserved, "fe80::1%eth0": KindReserved, "3fff::1": KindReserved,
	} {
		if got := Kind(netip.MustParseAddr(in)); got != want {
			t.Errorf("Kind(%s) = %q; want %q", in, got, want)
		}
	}
	if Kind(netip.Addr{}) != KindReserved {
		t.Error("no address is public")
	}
}

func mustSet(t testing.TB, policy vmhost.NetworkPolicy, allow, deny string) Set {
	t.Helper()
	rules, err := ParseRules(strings.Fields(allow), strings.Fields(deny))
	if err != nil {
		t.Fatal(err)
	}
	return Set{Policy: policy, Rules: rules}
}

func target(s string, port uint16) Target {
	if a, err := netip.ParseAddr(s); err == nil {
		return Target{Addr: a, Port: port}
	}
	return Target{Name: s, Port: port}
}

func TestDecide(t *testing.T) {
	const restricted, on, off = vmhost.NetworkRestricted, vmhost.NetworkAllow, vmhost.NetworkDeny
	for name, c := range map[string]struct {
		policy      vmhost.NetworkPolicy
		allow, deny string
		host        string
		port        uint16
		want        Verdict
	}{
		"off":                                {off, "example.org", "", "example.org", 443, Verdict{Refuse, ReasonOff}},
		"no policy is off":                   {"", "example.org", "", "example.org", 443, Verdict{Refuse, ReasonOff}},
		"an unknown policy is off":           {"open", "example.org", "", "example.org", 443, Verdict{Refuse, ReasonOff}},
		"allowed":                            {restricted, "example.org", "", "example.org", 443, Verdict{Allow, ReasonRule}},
		"allowed, http":                      {restricted, "example.org", "", "example.org", 80, Verdict{Allow, ReasonRule}},
		"another port is asked about":        {restricted, "example.org", "", "example.org", 22, Verdict{Ask, ReasonUnknown}},
		"a named port":                       {restricted, "example.org:22", "", "example.org", 22, Verdict{Allow, ReasonRule}},
		"a named port is no other":           {restricted, "example.org:22", "", "example.org", 443, Verdict{Ask, ReasonUnknown}},
		"every port":                         {restricted, "example.org:*", "", "example.org", 8443, Verdict{Allow, ReasonRule}},
		"not asked yet":                      {restricted, "example.org", "", "example.net", 443, Verdict{Ask, ReasonUnknown}},
		"a look-alike":                       {restricted, "example.org *.example.org", "", "evilexample.org", 443, Verdict{Ask, ReasonUnknown}},
		"a look-alike at the end":            {restricted, "*.example.org", "", "example.org.evil.example", 443, Verdict{Ask, ReasonUnknown}},
		"below":                              {restricted, "*.example.org", "", "a.b.example.org", 443, Verdict{Allow, ReasonRule}},
		"not itself":                         {restricted, "*.example.org", "", "example.org", 443, Verdict{Ask, ReasonUnknown}},
		"denied wins":                        {restricted, "example.org", "example.org", "example.org", 443, Verdict{Refuse, ReasonRule}},
		"denied below wins":                  {restricted, "a.example.org", "*.example.org", "a.example.org", 443, Verdict{Refuse, ReasonRule}},
		"denied closes every port":           {on, "", "example.org", "example.org", 8443, Verdict{Refuse, ReasonRule}},
		"denied at one port":                 {on, "", "example.org:22", "example.org", 443, Verdict{Allow, ReasonPolicy}},
		"on":                                 {on, "", "", "example.org", 8443, Verdict{Allow, ReasonPolicy}},
		"mail":                               {on, "", "", "mail.example.org", 25, Verdict{Refuse, ReasonMail}},
		"mail in restricted is not asked":    {restricted, "", "", "mail.example.org", 25, Verdict{Refuse, ReasonMail}},
		"mail by every port":                 {on, "mail.example.org:*", "", "mail.example.org", 25, Verdict{Refuse, ReasonMail}},
		"mail by its port":                   {restricted, "mail.example.org:25", "", "mail.example.org", 25, Verdict{Allow, ReasonRule}},
		"a public address is asked about":    {restricted, "", "", "1.1.1.1", 443, Verdict{Ask, ReasonUnknown}},
		"a public address when on":           {on, "", "", "1.1.1.1", 53, Verdict{Allow, ReasonPolicy}},
		"a private address":                  {restricted, "", "", "10.0.0.1", 443, Verdict{Refuse, KindPrivate}},
		"a private address when on":          {on, "", "", "192.168.1.1", 80, Verdict{Refuse, KindPrivate}},
		"a private address, named":           {restricted, "192.168.1.1:8080", "", "192.168.1.1", 8080, Verdict{Allow, ReasonRule}},
		"a private address, another port":    {restricted, "192.168.1.1:8080", "", "192.168.1.1", 22, Verdict{Refuse, KindPrivate}},
		"a public address by NAT64, denied":  {on, "", "203.5.0.0/16", "64:ff9b::cb05:1", 443, Verdict{Refuse, ReasonRule}},
		"a public address by NAT64":          {on, "", "203.6.0.0/16", "64:ff9b::cb05:1", 443, Verdict{Allow, ReasonPolicy}},
		"a private range, denied":            {restricted, "192.168.1.0/24:*", "192.168.1.1", "192.168.1.1", 80, Verdict{Refuse, ReasonRule}},
		"metadata":                           {on, "", "", "169.254.169.254", 80, Verdict{Refuse, KindMetadata}},
		"metadata as mapped IPv6":            {on, "", "", "::ffff:169.254.169.254", 80, Verdict{Refuse, KindMetadata}},
		"mapped IPv6 by a rule for IPv4":     {restricted, "10.0.0.1", "", "::ffff:10.0.0.1", 80, Verdict{Allow, ReasonRule}},
		"this host by its other name":        {on, "0.0.0.0/8:*", "", "0.0.0.0", 80, Verdict{Refuse, KindReserved}},
		"multicast is no host":               {on, "224.0.0.0/4:*", "", "224.0.0.251", 5353, Verdict{Refuse, KindMulticast}},
		"a name is not opened by an address": {restricted, "0.0.0.0/0:*", "", "example.org", 443, Verdict{Ask, ReasonUnknown}},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustSet(t, c.policy, c.allow, c.deny)
			if got := s.Decide(target(c.host, c.port)); got != c.want {
				t.Errorf("got %v, %s", got.Answer, got.Reason)
			}
		})
	}
}

// What stands over the rules takes away by NAT64 what it takes away from the IPv4 address.
func TestOverByNAT64(t *testing.T) {
	carried, plain := netip.MustParseAddr("64:ff9b::cb05:1"), netip.MustParseAddr("203.5.0.1")
	for name, c := range map[string]struct {
		over map[netip.Addr]Answer
		want Answer
	}{
		"refused":                      {map[netip.Addr]Answer{plain: Refuse}, Refuse},
		"refused, and allowed as IPv6": {map[netip.Addr]Answer{plain: Refuse, carried: Allow}, Refuse},
		"asked about":                  {map[netip.Addr]Answer{plain: Ask}, Ask},
		"allowed opens nothing":        {map[netip.Addr]Answer{plain: Allow, carried: Refuse}, Refuse},
		"nothing":                      {nil, Allow},
	} {
		s := Set{Policy: vmhost.NetworkAllow, Over: func(t Target) (Answer, bool) { a, ok := c.over[t.Addr]; return a, ok }}
		if got := s.Decide(Target{Addr: carried, Port: 443}); got.Answer != c.want {
			t.Errorf("%s: %v", name, got.Answer)
		}
		if got := s.Address(carried, 443, Own{}); (got.Answer == Refuse) != (c.want == Refuse) {
			t.Errorf("%s, as what a name leads to: %v", name, got.Answer)
		}
	}
}

func TestAddress(t *testing.T) {
	var own Own
	for _, card := range []string{"93.184.215.1/32", "192.168.1.2/24", "141.20.5.7/22", "2a02:908:1:2::5/64", "2a02:909:1:2::5/128", "2a02:90a::5/48", "fe80::5/64"} {
		own.Add(netip.MustParsePrefix(card))
	}
	own.Near = append(own.Near, netip.MustParsePrefix("198.47.0.254/32")) // a gateway
	for name, c := range map[string]struct {
		allow, deny string
		addr        string
		port        uint16
		want        Verdict
	}{
		"public":                          {"", "", "93.184.215.14", 443, Verdict{Allow, ReasonPolicy}},
		"rebound to private":              {"evil.example:*", "", "10.0.0.1", 443, Verdict{Refuse, KindPrivate}},
		"rebound to loopback":             {"evil.example:*", "", "127.0.0.1", 443, Verdict{Refuse, KindLoopback}},
		"the host's public address":       {"", "", "93.184.215.1", 443, Verdict{Refuse, KindHost}},
		"the router at home":              {"", "", "2a02:908:1:2::1", 80, Verdict{Refuse, KindNear}},
		"the printer at home":             {"", "", "2a02:908:1:2:21b:63ff:fe84:45e6", 9100, Verdict{Refuse, KindNear}},
		"beside a host with one address":  {"", "", "2a02:909:1:2::9", 443, Verdict{Refuse, KindNear}},
		"a wide network":                  {"", "", "2a02:90a:0:7::1", 443, Verdict{Refuse, KindNear}},
		"on the campus":                   {"", "", "141.20.7.200", 443, Verdict{Refuse, KindNear}},
		"on the campus, mapped":           {"", "", "::ffff:141.20.5.1", 443, Verdict{Refuse, KindNear}},
		"on the campus, by NAT64":         {"", "", "64:ff9b::141.20.5.1", 443, Verdict{Refuse, KindNear}},
		"a gateway elsewhere":             {"", "", "198.47.0.254", 443, Verdict{Refuse, KindNear}},
		"a neighbour, named":              {"[2a02:908:1:2::1]:80", "", "2a02:908:1:2::1", 80, Verdict{Allow, ReasonRule}},
		"the next campus":                 {"", "", "141.20.8.1", 443, Verdict{Allow, ReasonPolicy}},
		"the next home":                   {"", "", "2a02:908:1:3::1", 443, Verdict{Allow, ReasonPolicy}},
		"the host's own IPv6":             {"", "", "2a02:908:1:2::5", 443, Verdict{Refuse, KindHost}},
		"the host's private address":      {"", "", "192.168.1.2", 443, Verdict{Refuse, KindPrivate}},
		"the host, named":                 {"93.184.215.1:8080", "", "93.184.215.1", 8080, Verdict{Allow, ReasonRule}},
		"private, named":                  {"192.168.1.0/24", "", "192.168.1.9", 80, Verdict{Allow, ReasonRule}},
		"private, named for the web":      {"192.168.1.0/24", "", "192.168.1.9", 22, Verdict{Refuse, KindPrivate}},
		"named and denied":                {"192.168.1.0/24", "192.168.1.9", "192.168.1.9", 80, Verdict{Refuse, ReasonRule}},
		"a public address that is denied": {"", "93.184.215.0/24", "93.184.215.14", 443, Verdict{Refuse, ReasonRule}},
		"denied, by NAT64":                {"", "93.184.215.0/24", "64:ff9b::93.184.215.14", 443, Verdict{Refuse, ReasonRule}},
		"NAT64 denied":                    {"", "64:ff9b::/96", "64:ff9b::93.184.215.14", 443, Verdict{Refuse, ReasonRule}},
		"allowed, and not by NAT64":       {"192.168.1.0/24", "", "64:ff9b::192.168.1.9", 80, Verdict{Refuse, KindPrivate}},
		"another by NAT64":                {"", "93.184.215.0/24", "64:ff9b::93.184.216.14", 443, Verdict{Allow, ReasonPolicy}},
		"mapped":                          {"", "", "::ffff:127.0.0.1", 443, Verdict{Refuse, KindLoopback}},
		"unspecified, though named":       {"0.0.0.0/0:* [::/0]:*", "", "::", 443, Verdict{Refuse, KindReserved}},
		"loopback, named":                 {"127.0.0.1:11434", "", "127.0.0.1", 11434, Verdict{Allow, ReasonRule}},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustSet(t, vmhost.NetworkAllow, c.allow, c.deny)
			if got := s.Address(netip.MustParseAddr(c.addr), c.port, own); got != c.want {
				t.Errorf("got %v, %s", got.Answer, got.Reason)
			}
		})
	}
}

// What is in the public blocks is of the public kind, and nothing else is.
func TestPublic(t *testing.T) {
	in := func(a netip.Addr) bool {
		return slices.ContainsFunc(Public(), func(b Block) bool {
			return b.Prefix.Contains(a) && !slices.ContainsFunc(b.Except, func(p netip.Prefix) bool { return p.Contains(a) })
		})
	}
	check := func(a netip.Addr) {
		t.Helper()
		if want := Kind(a) == KindPublic; in(a) != want {
			t.Errorf("%s: %v, its kind is %q", a, in(a), Kind(a))
		}
	}
	for _, s := range special {
		last := s.prefix.Addr().AsSlice()
		for i := s.prefix.Bits(); i < len(last)*8; i++ {
			last[i/8] |= 0x80 >> (i % 8)
		}
		end, _ := netip.AddrFromSlice(last)
		for _, a := range []netip.Addr{s.prefix.Addr().Prev(), s.prefix.Addr(), end, end.Next()} {
			if !a.IsValid() {
				continue
			}
			check(a)
			if a.Is4() {
				b := nat64.Addr().As16()
				copy(b[12:], a.AsSlice())
				check(netip.AddrFrom16(b))
			}
		}
	}
	for _, text := range []string{"93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::", "4000::", "1::", "64:ff9b:1::1"} {
		check(netip.MustParseAddr(text))
	}
	for _, b := range Public() {
		for _, p := range b.Except {
			if !b.Prefix.Contains(p.Addr()) || p.Bits() <= b.Prefix.Bits() || p != p.Masked() {
				t.Errorf("%s is not in %s", p, b.Prefix)
			}
		}
	}
}

func TestPatternOfATarget(t *testing.T) {
	for _, c := range []struct {
		host string
		port uint16
		want string
	}{
		{"example.org", 443, "example.org"}, {"example.org", 80, "example.org"}, {"example.org", 22, "example.org:22"},
		{"1.1.1.1", 443, "1.1.1.1"}, {"1.1.1.1", 53, "1.1.1.1:53"},
	} {
		tg := target(c.host, c.port)
		if got := tg.Pattern().String(); got != c.want {
			t.Errorf("%s: %s; want %s", tg, got, c.want)
		}
		s := Set{Policy: vmhost.NetworkRestricted, Rules: []Rule{{Allow: true, Pattern: tg.Pattern()}}}
		if v := s.Decide(tg); v.Answer != Allow {
			t.Errorf("%s is not allowed by its own pattern: %s", tg, v.Reason)
		}
	}
}

func TestPresets(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Presets() {
		rules, err := ParseRules(p.Hosts, nil)
		if err != nil || len(rules) == 0 || seen[p.Code] {
			t.Errorf("preset %s: %d rules, %v", p.Code, len(rules), err)
		}
		seen[p.Code] = true
		for i, r := range rules {
			if r.Pattern.String() != p.Hosts[i] || r.Pattern.name == "" {
				t.Errorf("preset %s: %s is not the canonical form of a name", p.Code, p.Hosts[i])
			}
		}
		if got, ok := FindPreset(p.Code); !ok || got.Code != p.Code {
			t.Errorf("preset %s is not found", p.Code)
		}
	}
	if _, ok := FindPreset("everything"); ok {
		t.Error("an unknown code has a preset")
	}
}
