package proxy

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// Source says who named a proxy. The values are stable.
type Source string

// Sources of settings.
const (
	SourceNone        Source = ""
	SourceSetting     Source = "setting"     // the person, in piwork
	SourceEnvironment Source = "environment" // HTTP_PROXY and its like
	SourceGNOME       Source = "gnome"
	SourceKDE         Source = "kde"
	SourceWindows     Source = "windows" // the user's internet options
	SourceWinHTTP     Source = "winhttp" // netsh winhttp
	SourceMacOS       Source = "macos"
)

// Direct is the setting that asks for no proxy, whatever others say.
const Direct = "direct"

// Settings say which requests go through which proxy. The zero value is none.
// They may hold a password: never log them, see [Settings.String].
type Settings struct {
	Source Source
	HTTP   string   // URL or host:port of the proxy for http; "" is none
	HTTPS  string   // the same for https
	Bypass []string // hosts that are reached directly: names, .domains, addresses, CIDR, * as a wild card
	Simple bool     // names without a dot are reached directly
	PAC    string   // address of a proxy script, which is not supported
	Auto   bool     // a script is looked for in the network (WPAD), which is not supported either
}

// Any reports whether there is a proxy.
func (s Settings) Any() bool { return s.HTTP != "" || s.HTTPS != "" }

// String names source and proxies, without passwords.
func (s Settings) String() string {
	if !s.Any() {
		if s.PAC != "" {
			return fmt.Sprintf("%s: proxy script %s", s.Source, redact(s.PAC))
		}
		return "none"
	}
	if s.HTTP == s.HTTPS {
		return fmt.Sprintf("%s: %s", s.Source, redact(s.HTTP))
	}
	return fmt.Sprintf("%s: http %s, https %s", s.Source, redact(s.HTTP), redact(s.HTTPS))
}

func redact(proxy string) string {
	if proxy == "" {
		return "none"
	}
	u, err := parse(proxy)
	if err != nil {
		return "not a proxy address"
	}
	return u.Redacted()
}

// FromSetting reads what a person set: "" (ok is false: others decide), [Direct],
// or the address of one proxy, http://user:password@host:port.
func FromSetting(setting string) (s Settings, ok bool, err error) {
	switch setting = strings.TrimSpace(setting); {
	case setting == "":
		return Settings{}, false, nil
	case strings.EqualFold(setting, Direct):
		return Settings{Source: SourceSetting}, true, nil
	}
	if _, err := parse(setting); err != nil {
		return Settings{}, false, err
	}
	s = Settings{Source: SourceSetting, HTTP: setting, HTTPS: setting}
	return s.withEnvironment(), true, nil
}

// FromEnvironment reads the environment of this process; ok is false when it
// names no proxy.
func FromEnvironment() (s Settings, ok bool) {
	env := httpproxy.FromEnvironment()
	s = Settings{HTTP: env.HTTPProxy, HTTPS: env.HTTPSProxy}
	if env.CGI {
		s.HTTP = "" // in a CGI program HTTP_PROXY is the header of a stranger
	}
	for _, name := range []string{"ALL_PROXY", "all_proxy"} {
		if v := os.Getenv(name); v != "" && !s.Any() {
			s.HTTP, s.HTTPS = v, v
		}
	}
	if !s.Any() {
		return Settings{}, false
	}
	s.Source = SourceEnvironment
	return s.withEnvironment(), true
}

// withEnvironment adds NO_PROXY.
func (s Settings) withEnvironment() Settings {
	s.Bypass = append(slices.Clip(s.Bypass), list(httpproxy.FromEnvironment().NoProxy, ",")...)
	return s
}

// parse reads the address of a proxy. Without a scheme it is http.
func parse(proxy string) (*url.URL, error) {
	if !strings.Contains(proxy, "://") {
		proxy = "http://" + proxy
	}
	u, err := url.Parse(proxy)
	if err != nil {
		// The text of err may hold a password.
		return nil, fmt.Errorf("the proxy's address cannot be read: %w", errBadAddress)
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
	default:
		return nil, fmt.Errorf("a proxy of kind %q: %w", u.Scheme, errBadAddress)
	}
	if u.Hostname() == "" {
		return nil, fmt.Errorf("the proxy's address names no host: %w", errBadAddress)
	}
	return u, nil
}

var errBadAddress = fmt.Errorf("want http://host:port, https://host:port or socks5://host:port")

// Func returns the function that names the proxy for a request's address, nil
// for none. It may be called from several goroutines.
func (s Settings) Func() func(*url.URL) (*url.URL, error) {
	if !s.Any() {
		return func(*url.URL) (*url.URL, error) { return nil, nil }
	}
	if _, err := s.checked(); err != nil {
		return func(*url.URL) (*url.URL, error) { return nil, err }
	}
	c := httpproxy.Config{HTTPProxy: normal(s.HTTP), HTTPSProxy: normal(s.HTTPS)}
	var wild, plain []string
	for _, b := range s.Bypass {
		b = strings.ToLower(strings.TrimSpace(b))
		if _, rest, ok := strings.Cut(b, "://"); ok {
			b = rest
		}
		switch {
		case b == "":
		case b == "<local>":
			s.Simple = true
		case strings.ContainsAny(b, "*?") && b != "*" && !isSubdomain(b):
			wild = append(wild, b)
		default:
			plain = append(plain, fullCIDR(b))
		}
	}
	c.NoProxy = strings.Join(plain, ",")
	choose := c.ProxyFunc()
	return func(u *url.URL) (*url.URL, error) {
		host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
		if s.Simple && !strings.ContainsAny(host, ".:") {
			return nil, nil
		}
		for _, w := range wild {
			if ok, err := path.Match(w, host); ok && err == nil {
				return nil, nil
			}
		}
		return choose(u)
	}
}

// normal gives a proxy's address a scheme.
func normal(proxy string) string {
	if proxy == "" {
		return ""
	}
	u, err := parse(proxy)
	if err != nil {
		return ""
	}
	return u.String()
}

// isSubdomain reports the one use of a star that httpproxy knows.
func isSubdomain(pattern string) bool {
	rest, ok := strings.CutPrefix(pattern, "*.")
	return ok && !strings.ContainsAny(rest, "*?")
}

// fullCIDR writes 169.254/16, as macOS has it, as 169.254.0.0/16.
func fullCIDR(s string) string {
	addr, bits, ok := strings.Cut(s, "/")
	if !ok || strings.Contains(addr, ":") {
		return s
	}
	for strings.Count(addr, ".") < 3 {
		addr += ".0"
	}
	if _, _, err := net.ParseCIDR(addr + "/" + bits); err != nil {
		return s
	}
	return addr + "/" + bits
}

// list splits s at any of the separators, without empty parts.
func list(s, separators string) []string {
	var parts []string
	for _, p := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	return parts
}
