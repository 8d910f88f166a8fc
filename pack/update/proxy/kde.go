package proxy

import (
	"cmp"
	"strings"
)

// parseKDE reads KDE's kioslaverc, an INI file (KConfig). Types of proxy: 0 none,
// 1 named here, 2 a script, 3 a script looked for in the network, 4 the
// environment, which is asked before this file.
func parseKDE(file string) Settings {
	v := map[string]string{}
	group := ""
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			group = line
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || group != "[Proxy Settings]" {
			continue
		}
		key, _, _ = strings.Cut(strings.TrimSpace(key), "[$") // flags such as [$e]
		v[key] = strings.TrimSpace(value)
	}
	s := Settings{Source: SourceKDE}
	switch v["ProxyType"] {
	case "1":
		s.HTTP, s.HTTPS = kdeAddress(v["httpProxy"]), kdeAddress(v["httpsProxy"])
		if socks := kdeAddress(v["socksProxy"]); socks != "" {
			s.HTTP = cmp.Or(s.HTTP, socks)
			s.HTTPS = cmp.Or(s.HTTPS, socks)
		}
		if s.Any() {
			s.Bypass = list(v["NoProxyFor"], ", ")
		}
	case "2":
		s.PAC = v["Proxy Config Script"]
	case "3":
		s.Auto = true
	}
	return s
}

// kdeAddress reads "http://host 8080", with a space before the port, and what
// others write: "http://host:8080".
func kdeAddress(s string) string {
	host, port, ok := strings.Cut(strings.TrimSpace(s), " ")
	if host = strings.TrimSuffix(host, "/"); host == "" {
		return ""
	}
	if rest, found := strings.CutPrefix(host, "socks://"); found {
		host = "socks5://" + rest
	}
	if port = strings.TrimSpace(port); !ok || port == "" || port == "0" {
		return host
	}
	return host + ":" + port
}
