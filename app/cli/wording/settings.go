package wording

import (
	"fmt"
	"piwork/app/cli/terminal"
	"piwork/app/consent"
	"piwork/app/machines"
	"piwork/app/models"
	"piwork/app/setup"
	"piwork/app/words"
	"sort"
	"strings"
	"time"
)

// CheckExtra is what a check found out, in the order of the names.
func CheckExtra(c setup.Check) string {
	switch c.Code {
	case setup.CheckPackInstalled, setup.CheckPackVerified:
		return Shown(c.Params["version"])
	case setup.CheckAccelCPU:
		return Shown(c.Params["cpu"])
	case setup.CheckAccelDevice:
		return Shown(c.Params["device"])
	case setup.CheckAccelFirmware, setup.CheckAccelSystem:
		return ""
	case setup.CheckAccelBoot:
		if ms, ok := number(c.Params["bootMs"]); ok {
			return fmt.Sprintf("within %s", time.Duration(ms)*time.Millisecond)
		}
		return Shown(c.Params["accel"])
	case setup.CheckSlowMode:
		by, _ := c.Params["by"].(string)
		return Name("check-slow", by)
	}
	var names []string
	for name := range c.Params {
		names = append(names, name)
	}
	sort.Strings(names)
	out := ""
	for _, name := range names {
		out += words.Printable(name) + " " + Shown(c.Params[name]) + " "
	}
	return out
}

// number reads a parameter that JSON made a float of.
func number(v any) (int64, bool) {
	switch n := v.(type) {
	case float64:
		return int64(n), true
	case int64:
		return n, true
	case int:
		return int64(n), true
	}
	return 0, false
}

// KeyLine says what is known of a service.
func KeyLine(k models.KeyInfo) string {
	line := words.Printable(k.Provider)
	if k.Name != "" && !strings.EqualFold(k.Name, k.Provider) {
		line += " (" + words.Printable(k.Name) + ")"
	}
	switch {
	case !k.Has && k.Local:
		return line + "  found on this computer: piwork key set " + words.Printable(k.Provider) + " --no-key --base-url " + words.Printable(k.BaseURL)
	case !k.Has:
		return line + "  no key"
	case k.Kind == "none":
		line += "  needs no key"
	case k.Kind == "login":
		line += "  signed in"
	default:
		line += "  key"
		if k.Ending != "" {
			line += " …" + words.Printable(k.Ending)
		}
	}
	if where := Word(keyPlaceWords, k.Place); k.Place != "" && where != "" {
		line += ", " + where
	}
	if k.BaseURL != "" {
		line += ", at " + words.Printable(k.BaseURL)
	}
	return line
}

// AbleLine says what is known of what a model can do, behind its name; of what is not
// known it says nothing.
func AbleLine(m models.Model) string {
	var parts []string
	switch {
	case m.Images == nil:
	case *m.Images:
		parts = append(parts, "pictures")
	default:
		parts = append(parts, "no pictures")
	}
	if m.Thinks != nil && *m.Thinks {
		parts = append(parts, "thinking")
	}
	if m.Context > 0 {
		parts = append(parts, terminal.Count(int(m.Context), "token"))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  (" + strings.Join(parts, ", ") + ")"
}

// StoreLine says where keys are kept.
func StoreLine(k models.KeyStore) string {
	switch {
	case k.Locked:
		return "Keys are kept in an encrypted file, which is locked: piwork key unlock"
	case k.Store == models.StoreFile:
		return "Keys are kept in an encrypted file, which is open until piwork ends."
	case !k.Keychain:
		return "Keys are kept in the keychain of this computer, which cannot be used now. To keep\nthem in an encrypted file: piwork key store file"
	}
	return "Keys are kept in the keychain of this computer."
}

// PresetLine says what a group of hosts is, and whether it is allowed.
func PresetLine(p consent.NetworkPreset) string {
	line := "preset:" + words.Printable(p.Code)
	if p.On {
		line += " (allowed)"
	}
	return line + "  " + words.Printable(strings.Join(p.Hosts, ", "))
}

// InstantLine says whether workrooms open at once, and if not, why.
func InstantLine(i machines.WarmStart) string {
	text := Texts().Because("instant", string(i.State), string(i.Reason))
	switch {
	case i.State == machines.WarmReady && i.Mode == machines.WarmSpare:
		text += ": one waits open"
	case i.State == machines.WarmReady && i.Bytes > 0:
		text += fmt.Sprintf(" (%s on the disk)", terminal.Size(i.Bytes))
	case i.Problem != nil:
		what, _ := Told(*i.Problem)
		text += ": " + what
	}
	return text
}

// ShareLine says how folders reach a workroom, and why in that way.
func ShareLine(s machines.Share) string {
	return Texts().Because("share", string(s.Kind), string(s.Reason))
}
