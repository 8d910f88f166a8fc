package wording

import (
	"sort"
	"strings"
	"time"

	"piwork/app/cli/terminal"
	"piwork/app/consent"
	"piwork/app/machines"
	"piwork/app/models"
	"piwork/app/setup"
	"piwork/app/words"
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
			return terminal.Text("boot-within", "time", time.Duration(ms)*time.Millisecond)
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
		return line + "  " + terminal.Text("key-found", "provider", k.Provider, "url", k.BaseURL)
	case !k.Has:
		return line + "  " + terminal.Text("key-none")
	case k.Kind == "none":
		line += "  " + terminal.Text("key-unneeded")
	case k.Kind == "login":
		line += "  " + terminal.Text("key-login")
	default:
		line += "  " + terminal.Text("key-ending", "ending", k.Ending)
	}
	if k.Place != "" && k.Place != "list" { // there is no secret to keep
		line += ", " + Name("key-place", k.Place)
	}
	if k.BaseURL != "" {
		line += ", " + terminal.Text("key-at", "url", k.BaseURL)
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
		parts = append(parts, terminal.Text("can-see"))
	default:
		parts = append(parts, terminal.Text("cannot-see"))
	}
	if m.Thinks != nil && *m.Thinks {
		parts = append(parts, terminal.Text("can-think"))
	}
	if m.Context > 0 {
		parts = append(parts, terminal.Texts().Count(int(m.Context), "token"))
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
		return terminal.Text("store-locked")
	case k.Store == models.StoreFile:
		return terminal.Text("store-file")
	case !k.Keychain:
		return terminal.Text("store-no-keychain")
	}
	return terminal.Text("store-keychain")
}

// PresetLine says what a group of hosts is, and whether it is allowed.
func PresetLine(p consent.NetworkPreset) string {
	line := "preset:" + words.Printable(p.Code)
	if p.On {
		line += " (" + terminal.Text("preset-on") + ")"
	}
	return line + "  " + words.Printable(strings.Join(p.Hosts, ", "))
}

// InstantLine says whether workrooms open at once, and if not, why.
func InstantLine(i machines.WarmStart) string {
	text := terminal.Texts().Because("instant", string(i.State), string(i.Reason))
	switch {
	case i.State == machines.WarmReady && i.Mode == machines.WarmSpare:
		return terminal.Text("one-open", "state", text)
	case i.State == machines.WarmReady && i.Bytes > 0:
		return terminal.Text("bytes-on-disk", "state", text, "bytes", i.Bytes)
	case i.Problem != nil:
		what, _ := Told(*i.Problem)
		text += ": " + what
	}
	return text
}

// ShareLine says how folders reach a workroom, and why in that way.
func ShareLine(s machines.Share) string {
	return terminal.Texts().Because("share", string(s.Kind), string(s.Reason))
}
