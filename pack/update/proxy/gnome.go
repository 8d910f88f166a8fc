package proxy

import (
	"cmp"
	"net"
	"net/url"
	"strings"
)

// parseGNOME reads the output of `gsettings list-recursively
// org.gnome.system.proxy`: lines of schema, key and a value in GVariant text
// form. Cinnamon, MATE, Budgie and others keep the same settings.
func parseGNOME(out string) Settings {
	v := map[string]string{}
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(f) == 3 {
			v[strings.TrimPrefix(f[0], "org.gnome.system.")+" "+f[1]] = f[2]
		}
	}
	s := Settings{Source: SourceGNOME}
	switch text(v["proxy mode"]) {
	case "auto":
		s.PAC = text(v["proxy autoconfig-url"])
		s.Auto = s.PAC == ""
		return s
	case "manual":
	default:
		return s
	}
	address := func(scheme, kind string) string {
		host, port := text(v["proxy."+kind+" host"]), v["proxy."+kind+" port"]
		if host == "" || port == "" || port == "0" {
			return ""
		}
		u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)}
		if kind == "http" && v["proxy.http use-authentication"] == "true" {
			u.User = url.UserPassword(text(v["proxy.http authentication-user"]), text(v["proxy.http authentication-password"]))
		}
		return u.String()
	}
	s.HTTP, s.HTTPS = address("http", "http"), address("http", "https")
	if s.HTTPS == "" && v["proxy use-same-proxy"] == "true" {
		s.HTTPS = s.HTTP
	}
	if socks := address("socks5", "socks"); socks != "" {
		s.HTTP = cmp.Or(s.HTTP, socks)
		s.HTTPS = cmp.Or(s.HTTPS, socks)
	}
	if s.Any() {
		s.Bypass = texts(v["proxy ignore-hosts"])
	}
	return s
}

// text reads a string in GVariant text form: 'like this'.
func text(s string) string {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != s[len(s)-1] || s[0] != '\'' && s[0] != '"' {
		return ""
	}
	var b strings.Builder
	for i := 1; i < len(s)-1; i++ {
		if s[i] == '\\' && i+1 < len(s)-1 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// texts reads a list of strings: ['a', 'b'], or @as [] for none.
func texts(s string) []string {
	s = strings.TrimPrefix(strings.TrimSpace(s), "@as ")
	var l []string
	for _, p := range list(strings.Trim(s, "[]"), ",") {
		if t := text(p); t != "" {
			l = append(l, t)
		}
	}
	return l
}
