package licence

import (
	"strings"
	"testing"

	"github.com/github/go-spdx/v2/spdxexp"
)

// valid holds an expression to the grammar and to the list of SPDX.
func valid(t *testing.T, e string) {
	t.Helper()
	if ok, bad := spdxexp.ValidateLicenses([]string{e}); e != "" && !ok {
		t.Errorf("%q is not of SPDX: %q", e, bad)
	}
}

func TestNamesAreOfSPDX(t *testing.T) {
	for _, id := range spdx {
		valid(t, id)
	}
	for _, e := range exceptions {
		valid(t, "GPL-3.0-or-later WITH "+e.id)
	}
	for name := range gnuVersions {
		family, version, _ := strings.Cut(name, "-")
		valid(t, gnuIdentifier(family, version, "+"))
		valid(t, gnuIdentifier(family, version, ""))
	}
}

func TestShortNames(t *testing.T) {
	for short, want := range map[string]string{
		"GPL-1+ or Artistic":             "Artistic-1.0-Perl OR GPL-1.0-or-later",
		"Artistic or GPL-1+":             "Artistic-1.0-Perl OR GPL-1.0-or-later",
		"GPL-2":                          "GPL-2.0-only",
		"GPL-2.0+":                       "GPL-2.0-or-later",
		"GPL-3.0-or-later":               "GPL-3.0-or-later",
		"GPL":                            "GPL-1.0-or-later",
		"LGPL-2.1+":                      "LGPL-2.1-or-later",
		"LGPL-2.1-or-later":              "LGPL-2.1-or-later",
		"GFDL-NIV-1.3+":                  "GFDL-1.3-no-invariants-or-later",
		"AGPL-3+ and FTL":                "AGPL-3.0-or-later AND FTL",
		"Expat":                          "MIT",
		"BSD-3-Clause":                   "BSD-3-Clause",
		"GPL-3+ with Bison exception":    "GPL-3.0-or-later WITH Bison-exception-2.2",
		"GPL-3+ with Autoconf exception": "GPL-3.0-or-later WITH Autoconf-exception-3.0",
		"GPL-2+ with Libtool exception and GPL-3+":       "GPL-2.0-or-later WITH Libtool-exception AND GPL-3.0-or-later",
		"GPL-2 with Linux-syscall-note exception or MIT": "GPL-2.0-only WITH Linux-syscall-note OR MIT",
		"libpng OR Apache-2.0":                           "Apache-2.0 OR Libpng",
		"GPL-1+ or Artistic, and Expat":                  "Artistic-1.0-Perl OR GPL-1.0-or-later; MIT",
		"GPL-2+ or AFL-2.1, and Expat and Tcl-BSDish":    "AFL-2.1 OR GPL-2.0-or-later; MIT AND LicenseRef-debian-Tcl-BSDish",
		"public-domain":                                  "LicenseRef-debian-public-domain",
		"BSD-3-Clause~Adobe":                             "LicenseRef-debian-BSD-3-Clause-Adobe",
		"BSD-3-clause-with-weird-numbering":              "LicenseRef-debian-BSD-3-clause-with-weird-numbering",
		"AGPL-3+ with font exception":                    "AGPL-3.0-or-later WITH Font-exception-2.0",
		"GPL-9":                                          "LicenseRef-debian-GPL-9",
		"none":                                           "",
	} {
		want := strings.ReplaceAll(want, "; ", "\n")
		var got []string
		for _, p := range parse(short) {
			got = append(got, p)
			valid(t, p)
		}
		text := strings.Join(got, "\n")
		if !strings.Contains(want, "\n") {
			text = strings.Join(got, " AND ")
		} else {
			want = strings.ReplaceAll(want, " AND ", "\n")
		}
		if text != want {
			t.Errorf("%s: %q, want %q", short, text, want)
		}
	}
}

func TestFromCopyright(t *testing.T) {
	const head = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: x\n"
	for name, c := range map[string]struct{ text, want string }{
		"several": {head + `
Files: *
Copyright: 2020 A
License: GPL-2+

Files: lib/*
 more/*
Copyright: B
License: LGPL-2.1+ or MPL-1.1
 with some text
 .
 License: no field

Files: debian/*
License: GPL-3+

License: GPL-2+
 On Debian systems…
`, "GPL-2.0-or-later AND (LGPL-2.1-or-later OR MPL-1.1)"},
		"packaging beside": {head + "\nFiles: debian/* src/*\nLicense: ISC\n", "ISC"},
		"twice the same":   {head + "\nFiles: a\nLicense: ISC\n\nFiles: b\nLicense: ISC\n", "ISC"},
		"header only":      {head + "License: Expat\n", "MIT"},
		"free text":        {"This is GPL software, see\n/usr/share/common-licenses/GPL\n", ""},
		"empty":            {"", ""},
		"no licence":       {head + "\nFiles: *\nCopyright: x\n", ""},
		"too long":         {head + many(), ""},
		"a form feed":      {head + "License: Expat\n page one\n \f\n page two\n\f\nFiles: *\n", "MIT"},
		"lines of blanks":  {head + "\nFiles: *\nLicense: ISC\n \t \nLicense: Expat\n", "ISC"},
		"ends in returns":  {strings.ReplaceAll(head+"\nFiles: *\nLicense: ISC\n", "\n", "\r\n"), "ISC"},
		"not UTF-8":        {head + "\nFiles: *\nLicense: Exp\xcat or ISC\n", "ISC OR LicenseRef-debian-Exp-t"},
	} {
		got := FromCopyright(c.text)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		valid(t, got)
	}
}

func many() string {
	var b strings.Builder
	for i := range 100 {
		b.WriteString("\nFiles: x\nLicense: Licence-number-" + strings.Repeat("x", i) + "\n")
	}
	return b.String()
}

func TestFromText(t *testing.T) {
	mit := "Copyright (c) 2020 Someone\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the \"Software\"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:\n\nThe above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.\n\nTHE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.\n"
	if got := FromText([]byte(mit)); got != "MIT" {
		t.Errorf("%q", got)
	}
	for _, text := range []string{"", "All rights reserved.", strings.Repeat("my own terms, and nothing else. ", 200) + mit} {
		if got := FromText([]byte(text)); got != "" {
			t.Errorf("%q", got)
		}
	}
}

func FuzzFromCopyright(f *testing.F) {
	f.Add("Format: copyright-format/1.0\n\nFiles: *\nLicense: GPL-2+ or (MIT), and x with y exception\n")
	f.Add("Format: copyright-format/1.0\nLicense:\xca or 0")
	f.Fuzz(func(t *testing.T, text string) {
		e := FromCopyright(text)
		if len(e) > maxExpression || strings.ContainsAny(e, "\n\r\t,~/") {
			t.Errorf("%q", e)
		}
	})
}
