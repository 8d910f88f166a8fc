package proxy

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// clear empties the environment of everything that names a proxy.
func clear(t *testing.T) {
	t.Helper()
	for _, n := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD", "XDG_CURRENT_DESKTOP"} {
		t.Setenv(n, "")
		if n != "REQUEST_METHOD" {
			t.Setenv(strings.ToLower(n), "")
		}
	}
}

const gnomeManual = `org.gnome.system.proxy autoconfig-url ''
org.gnome.system.proxy ignore-hosts ['localhost', '127.0.0.0/8', '::1', '*.corp.example']
org.gnome.system.proxy mode 'manual'
org.gnome.system.proxy use-same-proxy true
org.gnome.system.proxy.http authentication-password 'p\'w'
org.gnome.system.proxy.http authentication-user 'ann'
org.gnome.system.proxy.http enabled false
org.gnome.system.proxy.http host 'proxy.example'
org.gnome.system.proxy.http port 8080
org.gnome.system.proxy.http use-authentication true
org.gnome.system.proxy.https host ''
org.gnome.system.proxy.https port 0
org.gnome.system.proxy.socks host ''
org.gnome.system.proxy.socks port 0
`

const macOS = `<dictionary> {
  ExceptionsList : <array> {
    0 : *.local
    1 : 169.254/16
  }
  ExcludeSimpleHostnames : 1
  FTPPassive : 1
  HTTPEnable : 1
  HTTPPort : 8080
  HTTPProxy : proxy.example
  HTTPSEnable : 1
  HTTPSPort : 8443
  HTTPSProxy : proxy.example
  ProxyAutoConfigEnable : 1
  ProxyAutoConfigURLString : http://wpad.example/proxy.pac
  ProxyAutoDiscoveryEnable : 0
  SOCKSEnable : 0
}
`

// What each system says, in its own words.
func TestParse(t *testing.T) {
	tests := []struct {
		name string
		got  Settings
		want Settings
	}{
		{"gnome manual", parseGNOME(gnomeManual), Settings{Source: SourceGNOME,
			HTTP: "http://ann:p%27w@proxy.example:8080", HTTPS: "http://ann:p%27w@proxy.example:8080",
			Bypass: []string{"localhost", "127.0.0.0/8", "::1", "*.corp.example"}}},
		{"gnome none", parseGNOME(strings.Replace(gnomeManual, "'manual'", "'none'", 1)), Settings{Source: SourceGNOME}},
		{"gnome script", parseGNOME("org.gnome.system.proxy mode 'auto'\norg.gnome.system.proxy autoconfig-url 'http://wpad/x.pac'\n"),
			Settings{Source: SourceGNOME, PAC: "http://wpad/x.pac"}},
		{"gnome script of the network", parseGNOME("org.gnome.system.proxy mode 'auto'\norg.gnome.system.proxy autoconfig-url ''\n"),
			Settings{Source: SourceGNOME, Auto: true}},
		{"gnome socks", parseGNOME("org.gnome.system.proxy mode 'manual'\norg.gnome.system.proxy ignore-hosts @as []\norg.gnome.system.proxy.socks host 's'\norg.gnome.system.proxy.socks port 1080\n"),
			Settings{Source: SourceGNOME, HTTP: "socks5://s:1080", HTTPS: "socks5://s:1080"}},
		{"gnome nonsense", parseGNOME("\x00\n[[[\norg.gnome.system.proxy mode 'manual\n"), Settings{Source: SourceGNOME}},
		{"kde", parseKDE("[Other]\nProxyType=2\n[Proxy Settings]\nNoProxyFor=localhost,.corp.example\nProxyType=1\nhttpProxy[$e]=http://proxy.example 3128\nhttpsProxy=http://proxy.example:3129\n"),
			Settings{Source: SourceKDE, HTTP: "http://proxy.example:3128", HTTPS: "http://proxy.example:3129", Bypass: []string{"localhost", ".corp.example"}}},
		{"kde script", parseKDE("[Proxy Settings]\nProxy Config Script=file:///p.pac\nProxyType=2\n"), Settings{Source: SourceKDE, PAC: "file:///p.pac"}},
		{"kde script of the network", parseKDE("[Proxy Settings]\nProxyType=3\n"), Settings{Source: SourceKDE, Auto: true}},
		{"kde off", parseKDE("[Proxy Settings]\nhttpProxy=http://proxy.example 3128\nProxyType=0\n"), Settings{Source: SourceKDE}},
		{"macos", parseScutil(macOS), Settings{Source: SourceMacOS, HTTP: "http://proxy.example:8080", HTTPS: "http://proxy.example:8443",
			Bypass: []string{"*.local", "169.254/16"}, Simple: true, PAC: "http://wpad.example/proxy.pac"}},
		{"macos off", parseScutil("<dictionary> {\n  HTTPEnable : 0\n  HTTPProxy : old.example\n}\n"), Settings{Source: SourceMacOS}},
		{"windows one for all", parseWindows("proxy.example:8080", "<local>;*.corp.example 10.*"),
			Settings{HTTP: "proxy.example:8080", HTTPS: "proxy.example:8080", Bypass: []string{"<local>", "*.corp.example", "10.*"}}},
		{"windows each", parseWindows("http=a:80;https=b:443;ftp=c:21;socks=d:1080", ""), Settings{HTTP: "a:80", HTTPS: "b:443"}},
		{"windows socks", parseWindows("socks=d:1080", ""), Settings{HTTP: "socks5://d:1080", HTTPS: "socks5://d:1080"}},
		{"windows none", parseWindows("", "<local>"), Settings{}},
	}
	for _, tt := range tests {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.name, tt.got, tt.want)
		}
	}
}

// Which proxy a request goes through.
func TestFunc(t *testing.T) {
	s := Settings{HTTP: "plain.example:80", HTTPS: "http://ann:pw@secure.example:3128", Simple: true,
		Bypass: []string{"*.corp.example", "10.*", "169.254/16", "exact.example", " "}}
	tests := map[string]string{
		"http://files.example/x":      "http://plain.example:80",
		"https://files.example/x":     "http://ann:pw@secure.example:3128",
		"https://a.corp.example/":     "",
		"https://10.1.2.3/":           "",
		"https://169.254.7.7/":        "",
		"https://exact.example/":      "",
		"https://not-exact.example./": "http://ann:pw@secure.example:3128",
		"https://intranet/":           "",
		"https://localhost:1/":        "",
		"https://127.0.0.1:1/":        "",
		"https://[::1]:1/":            "",
		"https://[2001:db8::1]/":      "http://ann:pw@secure.example:3128",
	}
	choose := s.Func()
	for in, want := range tests {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		p, err := choose(u)
		got := ""
		if p != nil {
			got = p.String()
		}
		if got != want || err != nil {
			t.Errorf("%s: through %q, %v; want %q", in, got, err, want)
		}
	}
	if p, err := (Settings{}).Func()(&url.URL{Scheme: "https", Host: "files.example"}); p != nil || err != nil {
		t.Errorf("no settings: %v, %v", p, err)
	}
}

// Who decides, and what is refused instead of gone past in silence.
func TestFind(t *testing.T) {
	tests := []struct {
		name    string
		setting string
		env     map[string]string
		want    Settings
		bad     bool
	}{
		{name: "nothing"},
		{name: "setting", setting: " http://ann:pw@p:1 ", env: map[string]string{"HTTPS_PROXY": "q:2", "NO_PROXY": "a, b"},
			want: Settings{Source: SourceSetting, HTTP: "http://ann:pw@p:1", HTTPS: "http://ann:pw@p:1", Bypass: []string{"a", "b"}}},
		{name: "direct", setting: "Direct", env: map[string]string{"HTTPS_PROXY": "q:2"}, want: Settings{Source: SourceSetting}},
		{name: "environment", env: map[string]string{"https_proxy": "q:2"}, want: Settings{Source: SourceEnvironment, HTTPS: "q:2"}},
		{name: "all", env: map[string]string{"ALL_PROXY": "socks5://q:2"}, want: Settings{Source: SourceEnvironment, HTTP: "socks5://q:2", HTTPS: "socks5://q:2"}},
		{name: "in a CGI program", env: map[string]string{"HTTP_PROXY": "evil:1", "REQUEST_METHOD": "GET"}},
		{name: "setting of an unknown kind", setting: "ftp://p:1", bad: true},
		{name: "setting without a host", setting: "http://:80", bad: true},
		{name: "setting that is no address", setting: "http://p:secret@%zz", bad: true},
		{name: "environment that is no address", env: map[string]string{"HTTPS_PROXY": "http://u:secret@%zz"}, bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clear(t)
			for k, v := range tt.env {
				t.Setenv(k, v)
			}
			got, err := Find(t.Context(), tt.setting)
			if !reflect.DeepEqual(got, tt.want) || (err != nil) != tt.bad {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
}

// A password is never part of what is logged.
func TestString(t *testing.T) {
	for _, s := range []Settings{
		{Source: SourceSetting, HTTP: "http://ann:secret@p:1", HTTPS: "http://ann:secret@p:1"},
		{Source: SourceSetting, HTTP: "ann:secret@p:1"},
		{Source: SourceSetting, HTTP: "http://ann:secret@%zz"},
		{Source: SourceGNOME, PAC: "http://ann:secret@p/x.pac"},
	} {
		if out := s.String(); strings.Contains(out, "secret") {
			t.Errorf("%s", out)
		}
	}
}

// FuzzParse: no text of any of the tools does harm, and nothing in it can become
// an address that is not a proxy's.
func FuzzParse(f *testing.F) {
	for _, s := range []string{gnomeManual, macOS, "[Proxy Settings]\nProxyType=1\nhttpProxy=http://p 1\n", "http=a:1;socks=b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, s := range []Settings{parseGNOME(in), parseKDE(in), parseScutil(in), parseWindows(in, in)} {
			_ = s.String()
			p, err := s.Func()(&url.URL{Scheme: "https", Host: "files.example"})
			if err == nil && p != nil && p.Host == "" {
				t.Errorf("a proxy without a host: %v", p)
			}
		}
	})
}
