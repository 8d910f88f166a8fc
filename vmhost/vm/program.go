package vm

import (
	"context"
	"net/netip"
	"path"
	"slices"
	"strings"
	"unicode"

	"piwork/vmhost/wire"
)

// maxProgram is how long the name of a program may be, in runes.
const maxProgram = 64

// Program is what the guest says is the program that has a TCP connection, from its
// own address to another: a word for a person, such as "curl", "npm" or
// "backup.py"; "" when it is not known. The guest may lie, so that nothing is
// decided by it. It is asked until ctx ends; no answer, and one that makes no sense,
// is none.
func (v *VM) Program(ctx context.Context, from, to netip.AddrPort) string {
	m := v.machine()
	if m == nil || !slices.Contains(v.Hello().Capabilities, wire.CanOwner) {
		return ""
	}
	var o wire.Owner
	if err := m.conv.Call(ctx, wire.MethodOwner, wire.Connection{Local: from.String(), Remote: to.String()}, &o); err != nil {
		v.log.Debug("the guest does not say whose a connection is", "err", err)
		return ""
	}
	if err := o.Validate(); err != nil {
		v.log.Debug("the guest does not say rightly whose a connection is", "err", err)
		return ""
	}
	return programName(o)
}

// interpreters run a script that a person knows better than them.
var interpreters = []string{"node", "nodejs", "python", "sh", "dash", "bash", "perl", "ruby"}

// programName is how a person knows a process.
func programName(o wire.Owner) string {
	exe := path.Base(strings.TrimSuffix(o.Exe, " (deleted)"))
	if o.Exe == "" {
		return plainName(o.Name)
	}
	if slices.Contains(interpreters, strings.TrimRight(exe, "0123456789.")) {
		if s := plainName(scriptName(o.Args)); s != "" {
			return s
		}
	}
	return plainName(exe)
}

// scriptName is what an interpreter runs, by its command line; "" for code that
// stands in it. A program that gave itself a title (npm) has nothing else there.
func scriptName(args []string) string {
	if len(args) == 1 {
		if title, _, found := strings.Cut(args[0], " "); found {
			return path.Base(title)
		}
		return ""
	}
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-m" && i+1 < len(args): // Python's module
			return args[i+1]
		case arg == "-c", arg == "-e", arg == "-p", arg == "-", arg == "--eval", arg == "--print", arg == "":
			return ""
		case arg == "-r", arg == "--require", arg == "--import", arg == "-W", arg == "-X":
			i++ // its value
		case !strings.HasPrefix(arg, "-"):
			return fileName(arg)
		}
	}
	return ""
}

// fileName is how a script is called: without the end that packages of npm give
// theirs, and by its package where every package has one of that name.
func fileName(file string) string {
	name := path.Base(file)
	bare := name
	for _, end := range []string{".js", ".cjs", ".mjs", ".py"} {
		bare = strings.TrimSuffix(bare, end)
	}
	switch bare {
	case "cli", "index", "main", "__main__":
		for dir := path.Dir(file); strings.Contains(dir, "/") && dir != "/"; dir = path.Dir(dir) {
			switch base := path.Base(dir); base {
			case "bin", "dist", "lib", "src", "build":
			default:
				return base
			}
		}
		return name
	}
	if short, found := strings.CutSuffix(bare, "-cli"); found && short != "" {
		return short
	}
	return name
}

// plainName is what of a name can stand in a sentence of somebody else's: no
// controls, nothing that turns the direction of writing or cannot be seen, no
// quotation marks that would end those around it, no marks piled up on a letter, and
// no more than fits.
func plainName(s string) string {
	var b strings.Builder
	n, marks, space := 0, 0, false
	for _, r := range strings.ToValidUTF8(s, "") {
		switch {
		case unicode.IsSpace(r):
			space = n > 0
			continue
		case !unicode.IsPrint(r), unicode.Is(unicode.Quotation_Mark, r):
			continue
		case unicode.IsMark(r):
			if marks++; marks > 2 || n == 0 {
				continue
			}
		default:
			marks = 0
		}
		if space {
			b.WriteByte(' ')
			space = false
			n++
		}
		if n++; n > maxProgram {
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}
