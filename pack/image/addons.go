package image

import (
	"path"
	"slices"
	"strings"

	"piwork/pack/guest/agentkit"
	"piwork/pack/image/npm"
)

// opencode is another AI program (app/agent/program). It is a program of Bun with its scripts
// appended: whoever cuts off what stands behind its segments (trimELF) leaves Bun alone. Its makers
// have a package for each processor; that for arm64 is not to be had from every registry.
var opencode = addOn{
	name: "opencode", only: "amd64",
	npm: []npmProgram{
		{Want: npm.Want{Name: openCodePackage, Version: openCodeVersion, Licence: "MIT"}, at: agentkit.OpenCodeDir, files: []string{"bin/opencode"}, terms: "opencode-ai"},
		{Want: npm.Want{Name: "opencode-ai", Version: openCodeVersion}}, // starts the other, and has its terms
	},
	adds:  openCodeShell(),
	tools: map[string]string{"opencode": openCodePackage},
	holds: []held{
		{"bun", "1.3.14", "MIT AND LGPL-2.0-or-later AND LGPL-2.1-or-later", "pkg:github/oven-sh/bun@bun-v1.3.14"},
		{"WebKit (JavaScriptCore)", "5488984d20e0dbfe4be2c3ba8fb18eb81a5e0e8b", "LGPL-2.0-or-later", "pkg:github/oven-sh/WebKit@5488984d20e0dbfe4be2c3ba8fb18eb81a5e0e8b"},
		{"tinycc", "12882eee073cfe5c7621bcfadf679e1372d4537b", "LGPL-2.1-or-later", "pkg:github/oven-sh/tinycc@12882eee073cfe5c7621bcfadf679e1372d4537b"},
	},
}

const (
	openCodePackage = "opencode-linux-x64-baseline"
	openCodeVersion = "1.18.33"
)

// openCodeShell is what opencode starts for a shell, beside it.
func openCodeShell() map[string]string {
	adds := map[string]string{}
	for _, f := range agentkit.Programs() {
		adds[strings.TrimPrefix(path.Join(agentkit.OpenCodeDir, f.Name), "/")] = string(f.Data)
	}
	return adds
}

// An addOn is an image over the base that has what not everybody needs.
type addOn struct {
	name    string
	want    []string          // packages
	without []string          // packages that others depend on and that nothing here uses
	with    []string          // packages that the base leaves out and that are used here
	adds    map[string]string // programs of ours, by their paths: scripts
	drop    []string          // files that are left out, as patterns (path.Match); of directories with all in them
	tools   map[string]string // as guestTools, of packages of Debian or npm
	npm     []npmProgram      // from the npm registry
	holds   []held            // what their makers compiled into them
	only    string            // the one architecture that it is made for, as Debian names it; "" is every
}

// screens are drivers of displays, graphics cards and keyboards, what only they
// need, and the list of kinds of files for desktops: the guest has none of them.
var screens = []string{
	"libgl1-mesa-dri", "libglx-mesa0", "libegl-mesa0", "mesa-libgallium", "mesa-vulkan-drivers", "mesa-va-drivers",
	"mesa-vdpau-drivers", "libllvm19", "libz3-4", "va-driver-all", "vdpau-driver-all",
	"xkb-data", "shared-mime-info",
}

// addOns in the order of their size, but for the last: what is not of Debian comes behind what is.
var addOns = []addOn{
	{
		name: "music", want: []string{"csound", "lilypond"}, without: screens,
		tools: map[string]string{"csound": "csound", "lilypond": "lilypond"},
	},
	{
		name: "media", want: []string{"ffmpeg"}, without: screens, with: []string{"librsvg2-2"},
		tools: map[string]string{"ffmpeg": "ffmpeg", "ffprobe": "ffmpeg"},
	},
	{
		name: "browser", want: []string{"chromium-headless-shell", "fonts-liberation"},
		without: slices.Concat(screens, []string{"x11-utils", "xdg-utils", "at-spi2-common"}),
		drop: []string{
			// For who develops drivers, and reports of crashes to nobody.
			"usr/lib/chromium/libVkLayer_khronos_validation.so", "usr/lib/chromium/libVkICD_mock_icd.so", "usr/lib/chromium/*.TOC",
			"usr/lib/chromium/chrome_crashpad_handler",
			// Of the browser with a window.
			"usr/lib/chromium/resources.pak", "usr/lib/chromium/chrome_100_percent.pak", "usr/lib/chromium/chrome_200_percent.pak",
			"usr/lib/chromium/locales",
		},
		// Its own walls are namespaces of a user, which the guest has none of: a page stands
		// behind those that every program has (package execution), those of the machine, and in a
		// visit of piwork's (package act) behind Landlock, which leaves it no folder.
		adds:  map[string]string{"usr/bin/chromium-headless-shell": "#!/bin/sh\nexec /usr/lib/chromium/chromium-headless-shell --no-sandbox \"$@\"\n"},
		tools: map[string]string{"chromium": "chromium-headless-shell"},
	},
	{
		name: "office",
		want: []string{
			"pandoc", "weasyprint", "libreoffice-writer-nogui", "libreoffice-calc-nogui", "libreoffice-impress-nogui",
			"fonts-liberation",
		},
		without: slices.Concat(screens, []string{
			"python3-scipy", "python3-sympy", "unicode-data", "dictionaries-common", // what the library of fonts could also do
			"coinor-libcoinmp0", // optimisation problems in tables
		}),
		drop: []string{
			// For who clicks: icons, clip art, templates, assistants, smileys, tips. The
			// package of the icons itself stays: for one whose dependency is missing dpkg
			// does not wait for others that it needs either, as libreoffice-common ucf.
			"usr/share/libreoffice/share/config/images_*", "usr/lib/libreoffice/share/config/images_*",
			"usr/lib/libreoffice/share/gallery", "usr/lib/libreoffice/share/template", "usr/lib/libreoffice/share/wizards",
			"usr/lib/libreoffice/program/wizards", "usr/lib/libreoffice/share/emojiconfig", "usr/lib/libreoffice/share/tipoftheday",
			"usr/lib/libreoffice/share/toolbarmode",
			"var/lib/ucf", "usr/lib/python3/dist-packages/fontTools/*/*.c", // what nobody reads again once it is installed or compiled
		},
		tools: map[string]string{"pandoc": "pandoc", "weasyprint": "weasyprint", "soffice": "libreoffice-core-nogui"},
	},
	opencode,
}

// leavesOut reports whether a file is none that the add-on is to have.
func (a addOn) leavesOut(name string) bool {
	for ; name != "." && name != "/"; name = path.Dir(name) {
		if slices.ContainsFunc(a.drop, func(pattern string) bool { ok, err := path.Match(pattern, name); return ok && err == nil }) {
			return true
		}
	}
	return false
}
