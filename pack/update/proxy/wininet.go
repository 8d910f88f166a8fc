package proxy

import "strings"

// parseWindows reads a list of proxies and one of exceptions as Windows keeps
// them: "host:8080", or "http=host:80;https=host:443;socks=host:1080"; exceptions
// have wild cards, and "<local>" for names without a dot
// (learn.microsoft.com, WINHTTP_PROXY_INFO).
func parseWindows(proxies, bypass string) Settings {
	s := Settings{}
	socks := ""
	for _, p := range list(proxies, "; \t\r\n") {
		kind, address, ok := strings.Cut(p, "=")
		if !ok {
			s.HTTP, s.HTTPS = p, p
			continue
		}
		switch strings.ToLower(kind) {
		case "http":
			s.HTTP = address
		case "https":
			s.HTTPS = address
		case "socks":
			socks = address
			if !strings.Contains(socks, "://") {
				socks = "socks5://" + socks
			}
		}
	}
	if s.HTTP == "" {
		s.HTTP = socks
	}
	if s.HTTPS == "" {
		s.HTTPS = socks
	}
	if s.Any() {
		s.Bypass = list(bypass, "; \t\r\n")
	}
	return s
}
