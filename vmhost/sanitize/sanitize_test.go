package sanitize

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain ä\n\tx":                       "plain ä\n\tx",
		"\x1b[1;31mred\x1b[0m":               "red",
		"\x1b]0;title\x07after":              "after",
		"\x1b]8;;http://x\x1b\\link":         "link",
		"a\r\nb\rc":                          "a\nb\nc",
		"nul\x00bell\x07 \u0085\u009b":       "nulbell ",
		"bad \xff utf8":                      "bad \uFFFD utf8",
		"turn \u202eabc\u2066 around\u200f":  "turn abc around",
		"\x1b":                               "",
		"\x1b[" + strings.Repeat("1", 1000):  strings.Repeat("1", 1000),
		"open \x1b]0;" + "never ends":        "open 0;never ends",
		"\x1b(B\x1b)0done\x1b=":              "done",
		"mixed \x1b[31\u00e4":                "mixed \u00e4",
		"family \U0001F468\u200d\U0001F469 ": "family \U0001F468\u200d\U0001F469 ",
	} {
		if got := Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		"ä b.txt": "ä b.txt", "a\nb": "a\uFFFDb", "cv\u202etxt.exe": "cv\uFFFDtxt.exe", "\x1b[2J": "\uFFFD[2J", "\xff": "\uFFFD", "a\u2028b": "a\uFFFDb",
	} {
		if got := Name(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("\x1b[31mred\x1b]0;x\x07 \xff ä")
	f.Fuzz(func(t *testing.T, s string) {
		if got := Text(s); Text(got) != got {
			t.Errorf("%q is not clean", got)
		}
		if got := Name(s); Name(got) != got || Text(got) != got {
			t.Errorf("%q is not clean", got)
		}
	})
}
