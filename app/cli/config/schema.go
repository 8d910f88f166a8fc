package config

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"piwork/app/api"
	"piwork/app/audit"
	"piwork/app/cli/flags"
	"piwork/app/consent"
	"piwork/app/health"
	"piwork/app/history"
	"piwork/app/machines"
	"piwork/app/models"
	"piwork/app/runtimepack/updater"
	"piwork/app/runtimes"
	"piwork/app/telemetry"
	"piwork/app/upkeep"
	"piwork/pack/lazyregexp"
)

// Values are what the settings are now: the choices that the controller has, each as a
// request to the API takes it. No passphrase is in them, but while keys are moved.
type Values struct {
	Machines machines.Settings
	Runtimes runtimes.Settings
	Undo     history.UndoSettings
	Audit    upkeep.AuditSettings
	Updates  updater.Settings
	Search   consent.WebSearch
	Window   upkeep.WindowSettings
	Model    models.ChoiceRequest // "" is chosen by piwork
	Keys     models.KeyStoreChoice
	SlowMode health.SlowMode
	AtLogin  api.AtLoginChoice
	Sent     telemetry.Settings
}

// Defaults are the values of who chose nothing.
func Defaults() Values {
	return Values{
		Machines: machines.Settings{Instant: true}, Undo: history.UndoSettings{Days: history.DefaultUndoDays, SpaceMB: history.DefaultUndoMB, WriteMB: history.DefaultWriteMB},
		Audit: upkeep.AuditSettings{Days: audit.DefaultDays}, Updates: updater.Settings{Auto: true}, Search: consent.WebSearch{Kind: consent.SearchNone},
		Window: upkeep.WindowSettings{Close: upkeep.CloseAsk, Notify: true}, Keys: models.KeyStoreChoice{Store: models.StoreKeychain},
	}
}

const (
	automatic = "auto"
	forever   = "forever"
)

// setting is one that is read and written. Its words are config.KEY.
type setting struct {
	key   string
	words []string          // that are its values, where these are few
	get   func(*Values) any // a string, a number, a truth or a list, as in the document
	read  func(*Values, *yaml.Node) error
}

// settings are all, in the order of the document; what stands before the point is a group.
var settings = []setting{
	size("machines.memory", 1<<10, automatic, func(v *Values) *int { return &v.Machines.MemoryMB }),
	count("machines.cpus", automatic, func(v *Values) *int { return &v.Machines.CPUs }),
	size("machines.total-memory", 1<<10, automatic, func(v *Values) *int { return &v.Machines.TotalMB }),
	count("machines.at-once", automatic, func(v *Values) *int { return &v.Machines.AtOnce }),
	truth("machines.instant", func(v *Values) *bool { return &v.Machines.Instant }),
	size("machines.cache", 1<<10, automatic, func(v *Values) *int { return &v.Machines.CacheMB }),
	share(),
	truth("machines.slow-mode", func(v *Values) *bool { return &v.SlowMode.On }),
	list("runtimes.prefer", func(v *Values) *[]string { return &v.Runtimes.Prefer }, kindName),
	allowances(),
	list("runtimes.files", func(v *Values) *[]string { return &v.Runtimes.Files }, kindName),
	list("runtimes.rootless", func(v *Values) *[]string { return &v.Runtimes.Rootless }, kindName),
	bounded(count("undo.days", forever, undoDays), undoDays, 1, history.MaxUndoDays),
	bounded(size("undo.space", 1000, "", undoSpace), undoSpace, history.MinUndoMB, history.MaxUndoMB),
	bounded(size("undo.writes", 1000, "", undoWrites), undoWrites, history.MinUndoMB, history.MaxUndoMB),
	bounded(count("audit.days", forever, auditDays), auditDays, 1, audit.MaxDays),
	truth("updates.auto", func(v *Values) *bool { return &v.Updates.Auto }),
	list("updates.urls", func(v *Values) *[]string { return &v.Updates.URLs }, webAddress),
	text("updates.proxy", func(v *Values) *string { return &v.Updates.Proxy }, proxyAddress),
	text("updates.ca-file", func(v *Values) *string { return &v.Updates.CAFile }, flags.FilePath), // the controller is elsewhere
	search(),
	oneOf("window.close", []string{upkeep.CloseAsk, upkeep.CloseBackground, upkeep.CloseStop}, func(v *Values) *string { return &v.Window.Close }),
	truth("window.notify", func(v *Values) *bool { return &v.Window.Notify }),
	look("window.theme", []string{"system", "light", "dark"}, func(v *Values) *string { return &v.Window.Theme }),
	look("window.language", []string{"system", "en", "de"}, func(v *Values) *string { return &v.Window.Language }),
	look("window.motion", []string{"system", "less"}, func(v *Values) *string { return &v.Window.Motion }),
	look("window.signs", []string{"on", "off"}, func(v *Values) *string { return &v.Window.Signs }),
	truth("background.at-login", func(v *Values) *bool { return &v.AtLogin.On }),
	model(),
	text("telemetry.endpoint", func(v *Values) *string { return &v.Sent.Endpoint }, telemetryAddress),
	oneOf("keys.store", []string{models.StoreKeychain, models.StoreFile}, func(v *Values) *string { return &v.Keys.Store }),
}

func undoDays(v *Values) *int  { return &v.Undo.Days }
func auditDays(v *Values) *int { return &v.Audit.Days }
func undoSpace(v *Values) *int { return &v.Undo.SpaceMB }

func undoWrites(v *Values) *int { return &v.Undo.WriteMB }

// Keys are the names of all settings.
func Keys() (out []string) {
	for _, s := range settings {
		out = append(out, s.key)
	}
	return out
}

func find(key string) (setting, bool) {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.key == key })
	if i < 0 {
		return setting{}, false
	}
	return settings[i], true
}

// inGroup are the keys of the settings of a group, such as runtimes.
func inGroup(name string) (keys []string) {
	for _, s := range settings {
		if strings.HasPrefix(s.key, name+".") {
			keys = append(keys, s.key)
		}
	}
	return keys
}

// scalar is the text of a node that is one value.
func scalar(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", flags.Usage("config-one")
	}
	if n.Tag == "!!null" {
		return "", nil
	}
	return n.Value, nil
}

// size is an amount; none is the word for 0, "" where that is no choice.
func size(key string, giga int, none string, at func(*Values) *int) setting {
	return setting{key, nil, func(v *Values) any {
		mb := *at(v)
		switch {
		case mb == 0 && none != "":
			return none
		case mb > 0 && mb%giga == 0:
			return fmt.Sprintf("%dG", mb/giga)
		}
		return fmt.Sprintf("%dM", mb)
	}, func(v *Values, n *yaml.Node) error {
		s, err := scalar(n)
		if err != nil {
			return err
		}
		if none != "" && s == none {
			*at(v) = 0
			return nil
		}
		mb, err := flags.ParseAmount(s, float64(giga))
		if err != nil {
			return flags.Usage("setting-size", "word", none, "value", s)
		}
		*at(v) = mb
		return nil
	}}
}

// count is a number from 1, or a word for 0.
func count(key, none string, at func(*Values) *int) setting {
	return setting{key, nil, func(v *Values) any {
		if n := *at(v); n != 0 {
			return n
		}
		return none
	}, func(v *Values, n *yaml.Node) error {
		s, err := scalar(n)
		if err != nil {
			return err
		}
		number := 0
		if s != none {
			if number, err = strconv.Atoi(s); err != nil || number < 1 || number > 1_000_000 {
				return flags.Usage("setting-number", "word", none, "value", s)
			}
		}
		*at(v) = number
		return nil
	}}
}

// bounded is a number that is 0, or in bounds.
func bounded(s setting, at func(*Values) *int, least, most int) setting {
	read := s.read
	shown := func(v Values, number int) any {
		*at(&v) = number
		return s.get(&v)
	}
	s.read = func(v *Values, n *yaml.Node) error {
		to := *v
		if err := read(&to, n); err != nil {
			return err
		}
		if number := *at(&to); number != 0 && (number < least || number > most) {
			return flags.Usage("setting-bounds", "value", n.Value, "min", shown(to, least), "max", shown(to, most))
		}
		*v = to
		return nil
	}
	return s
}

var truths = map[string]bool{"true": true, "yes": true, "on": true, "false": false, "no": false, "off": false}

func truth(key string, at func(*Values) *bool) setting {
	return setting{key, []string{"true", "false"}, func(v *Values) any { return *at(v) }, func(v *Values, n *yaml.Node) error {
		s, err := scalar(n)
		if err != nil {
			return err
		}
		on, ok := truths[s]
		if !ok {
			return flags.Usage("setting-choice", "value", s, "choices", []string{"true", "false"})
		}
		*at(v) = on
		return nil
	}}
}

func oneOf(key string, choices []string, at func(*Values) *string) setting {
	return setting{key, choices, func(v *Values) any { return *at(v) }, func(v *Values, n *yaml.Node) error {
		s, err := scalar(n)
		if err == nil && !slices.Contains(choices, s) {
			err = flags.Usage("setting-choice", "value", s, "choices", choices)
		}
		if err == nil {
			*at(v) = s
		}
		return err
	}}
}

// look is one of words, the first where nothing was chosen.
func look(key string, choices []string, at func(*Values) *string) setting {
	s := oneOf(key, choices, at)
	s.get = func(v *Values) any { return cmp.Or(*at(v), choices[0]) }
	return s
}

func share() setting {
	s := oneOf("machines.share", []string{string(machines.ShareAuto), string(machines.Share9P), string(machines.ShareVirtioFS)},
		func(v *Values) *string { return (*string)(&v.Machines.Share) })
	s.get = func(v *Values) any { return string(cmp.Or(v.Machines.Share, machines.ShareAuto)) }
	return s
}

// text is one that is as it is typed, but for what read makes of it; it can be "".
func text(key string, at func(*Values) *string, read func(string) (string, error)) setting {
	return setting{key, nil, func(v *Values) any { return *at(v) }, func(v *Values, n *yaml.Node) error {
		s, err := scalar(n)
		if err == nil && s != "" {
			s, err = read(s)
		}
		if err == nil {
			*at(v) = s
		}
		return err
	}}
}

func proxyAddress(s string) (string, error) {
	if u, err := url.Parse(s); err != nil || u.Host == "" {
		return "", flags.Usage("proxy")
	}
	return s, nil
}

// telemetryAddress is as the controller takes it.
func telemetryAddress(s string) (string, error) {
	if telemetry.Check(s) != nil {
		return "", flags.Usage("telemetry-address", "value", s)
	}
	return s, nil
}

func webAddress(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || strings.Contains(u.Host, ",") || u.Scheme != "https" && u.Scheme != "http" {
		return flags.Usage("channel-address", "value", s)
	}
	return nil
}

// list is several words that pass a check; one alone needs no list. Typed in a shell,
// several are "[one, two]".
func list(key string, at func(*Values) *[]string, check func(string) error) setting {
	return setting{key, nil, func(v *Values) any { return append([]string{}, *at(v)...) }, func(v *Values, n *yaml.Node) error {
		out, err := readList(n, check)
		if err == nil {
			*at(v) = out
		}
		return err
	}}
}

func readList(n *yaml.Node, check func(string) error) ([]string, error) {
	var typed yaml.Node
	if n.Kind == yaml.ScalarNode && strings.HasPrefix(n.Value, "[") && yaml.Unmarshal([]byte(n.Value), &typed) == nil {
		n = typed.Content[0]
	}
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	out := []string{}
	for _, c := range list {
		s, err := scalar(c)
		if err != nil {
			return nil, err
		}
		if s == "" && len(list) == 1 {
			break
		}
		if err := check(s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// kindForm is a kind of place, with the name of one where there are several.
var kindForm = lazyregexp.New(`^[a-z-]+(:[a-z0-9][a-z0-9-]{0,30})?$`)

// kindName checks the form; the controller knows which kinds and names there are.
func kindName(s string) error {
	if !kindForm().MatchString(s) {
		return flags.Usage("setting-kind", "value", s)
	}
	return nil
}

// allowances are what is said to kinds of places, as sandbox=always.
func allowances() setting {
	said := []runtimes.Allowance{runtimes.AllowAsk, runtimes.AllowAlways, runtimes.AllowNever}
	return setting{"runtimes.weaker", nil, func(v *Values) any {
		out := []string{}
		for _, kind := range slices.Sorted(maps.Keys(v.Runtimes.Weaker)) {
			out = append(out, kind+"="+string(v.Runtimes.Weaker[kind]))
		}
		return out
	}, func(v *Values, n *yaml.Node) error {
		weaker := map[string]runtimes.Allowance{}
		_, err := readList(n, func(s string) error {
			kind, word, _ := strings.Cut(s, "=")
			if weaker[kind] = runtimes.Allowance(word); kind == "" || !slices.Contains(said, weaker[kind]) {
				return flags.Usage("setting-allowance", "value", s, "choices", flags.Names(said))
			}
			return nil
		})
		if err == nil {
			v.Runtimes.Weaker = weaker
		}
		return err
	}}
}

// search is the address of what searches the web, "off" for nothing.
func search() setting {
	const off = "off"
	return setting{"search.url", nil, func(v *Values) any {
		if v.Search.Kind == consent.SearchNone {
			return off
		}
		return v.Search.URL
	}, func(v *Values, n *yaml.Node) error {
		s, err := scalar(n)
		switch {
		case err != nil:
			return err
		case s == off || s == "" || s == "false": // off is a truth to YAML 1.1
			v.Search = consent.WebSearch{Kind: consent.SearchNone}
			return nil
		}
		v.Search = consent.WebSearch{Kind: consent.SearchSearXNG, URL: s}
		if webAddress(s) != nil {
			return flags.Usage("search-address", "value", s, "word", off)
		}
		return nil
	}}
}

// model is the model that is taken when none is named.
func model() setting {
	return setting{"models.default", nil, func(v *Values) any {
		return cmp.Or(v.Model.Model, automatic)
	}, func(v *Values, n *yaml.Node) error {
		s, err := scalar(n)
		if s == automatic {
			s = ""
		}
		if err == nil {
			v.Model.Model = s
		}
		return err
	}}
}
