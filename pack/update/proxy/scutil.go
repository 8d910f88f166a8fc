package proxy

import (
	"cmp"
	"net"
	"strings"
)

// parseScutil reads the output of `scutil --proxy` on macOS: a dictionary, one
// "Key : value" a line, with an array of exceptions.
func parseScutil(out string) Settings {
	v := map[string]string{}
	var exceptions []string
	array := ""
	for line := range strings.Lines(out) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), " : ")
		switch {
		case !ok:
			if strings.TrimSpace(line) == "}" {
				array = ""
			}
		case strings.HasPrefix(value, "<array>"):
			array = key
		case array == "ExceptionsList":
			exceptions = append(exceptions, value)
		case array == "":
			v[key] = value
		}
	}
	s := Settings{Source: SourceMacOS, Simple: v["ExcludeSimpleHostnames"] == "1", Auto: v["ProxyAutoDiscoveryEnable"] == "1"}
	if v["ProxyAutoConfigEnable"] == "1" {
		s.PAC = v["ProxyAutoConfigURLString"]
	}
	address := func(kind, scheme string) string {
		if v[kind+"Enable"] != "1" || v[kind+"Proxy"] == "" {
			return ""
		}
		if v[kind+"Port"] == "" {
			return scheme + v[kind+"Proxy"]
		}
		return scheme + net.JoinHostPort(v[kind+"Proxy"], v[kind+"Port"])
	}
	s.HTTP, s.HTTPS = address("HTTP", "http://"), address("HTTPS", "http://")
	if socks := address("SOCKS", "socks5://"); socks != "" {
		s.HTTP = cmp.Or(s.HTTP, socks)
		s.HTTPS = cmp.Or(s.HTTPS, socks)
	}
	if s.Any() {
		s.Bypass = exceptions
	}
	return s
}
