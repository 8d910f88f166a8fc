package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"piwork/app/cli/terminal"
	"piwork/app/consent"
	"piwork/app/machines"
	"piwork/app/models"
	"piwork/app/words"
)

// What is shown can be read, and says the same.
func TestDocumentIsRead(t *testing.T) {
	chosen := Values{
		Machines: machines.Settings{MemoryMB: 1536, CPUs: 3, TotalMB: 8 << 10, AtOnce: 2, Share: machines.Share9P},
		Search:   consent.WebSearch{Kind: consent.SearchSearXNG, URL: "https://search.example"}, Model: models.ChoiceRequest{Model: "own/yes"}, Keys: models.KeyStoreChoice{Store: models.StoreFile},
	}
	chosen.SlowMode.On, chosen.AtLogin.On = true, true
	chosen.Undo.SpaceMB, chosen.Undo.WriteMB, chosen.Window.Close = 1500, 4000, "stop"
	chosen.Window.Theme, chosen.Window.Language, chosen.Window.Signs = "dark", "de", "off"
	chosen.Updates.URLs, chosen.Updates.Proxy = []string{"https://a.example", "https://b.example"}, "http://proxy.example:3128"
	for name, v := range map[string]Values{"defaults": Defaults(), "chosen": chosen} {
		text, err := Document(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse([]byte(text), Defaults())
		if err != nil || !reflect.DeepEqual(Tree(got), Tree(v)) {
			t.Errorf("%s: %v\n%v, want\n%v\n%s", name, err, Tree(got), Tree(v), text)
		}
	}
	if got, err := Parse([]byte("# nothing\n"), Defaults()); err != nil || !reflect.DeepEqual(got, Defaults()) {
		t.Errorf("%+v %v", got, err)
	}
}

// A mistake is said with its line, and every one of them.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"machines:\n  memroy: 2G\n":                                "Line 2, machines.memroy: there is no such setting. Did you mean machines.memory?",
		"machine:\n  memory: 2G\n":                                 "Line 1, machine: there is no such setting",
		"machines:\n  memory: lots\n":                              "Line 2, machines.memory: “lots” is neither a size such as 512M or 20G nor auto",
		"machines:\n  cpus: 0\n":                                   "Line 2, machines.cpus: “0” is neither a number from 1 nor auto",
		"machines:\n  cpus: [1]\n":                                 "Line 2, machines.cpus: write one value",
		"machines: 2G\n":                                           "Line 1, machines: write its settings below it",
		"- a\n":                                                    "Line 1: there are no settings here",
		"undo:\n  days: 3\n  days: 4\n":                            "Line 3, undo.days: set twice",
		"undo:\n  days: 3\nundo:\n  days: 4\n":                     "set twice",
		"updates:\n  urls: [ftp://x]\n":                            "Line 2, updates.urls: “ftp://x” is not an address",
		"updates:\n  auto: perhaps\n":                              "Line 2, updates.auto: “perhaps” is not one of true, false",
		"window:\n  close: never\nmachines:\n  cpus: x\n":          "Line 4",
		"machines:\n  memory: 2G\n bad\n":                          "Line",
		"machines:\n\tmemory: 2G\n":                                "is not YAML",
		"search:\n  url: nowhere\n":                                "Line 2, search.url: “nowhere” is neither an address such as https://search.example nor off",
		strings.Repeat("[", 20_000):                                "",
		"a: &a [x]\nb: [*a, *a]\nmachines: *a\n":                   "Line",
		"machines:\n  memory: \"\"\n":                              "Line 2, machines.memory",
		"undo:\n  space: auto\n":                                   "Line 2, undo.space: “auto” is not a size such as 512M or 20G",
		"Dear piwork, please use less memory.\n":                   "Line 1: there are no settings here",
		"updates:\n  proxy: nowhere\n":                             "Line 2, updates.proxy: write an address such as",
		"models: {default: [a]}\n":                                 "Line 1, models.default",
		"machines: {cpus: 99999999999999999999}\n":                 "Line 1, machines.cpus",
		"updates:\n  urls:\n    - https://a.example\n    - \"\"\n": "Line 3, updates.urls",
	} {
		if _, err := Parse([]byte(text), Defaults()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}

// Every setting has words in every language, and there are none of others.
func TestWords(t *testing.T) {
	for _, lang := range words.Languages {
		texts := words.For(lang)
		for _, key := range Keys() {
			if !texts.Has("config." + key) {
				t.Errorf("%s: no words for %s", lang, key)
			}
		}
	}
	if said("machines.memory") == "" || terminal.Texts() == nil {
		t.Error("nothing is said")
	}
}

// What is wrong with a change names the setting once, as the person wrote it.
func TestChangeIsNamedAsTyped(t *testing.T) {
	for _, tt := range []struct {
		change Change
		want   string
	}{
		{Change{"machines.memory", "machines.memory", "lots"}, "machines.memory: “lots” is neither a size such as 512M or 20G nor auto"},
		{Change{"memory", "machines.memory", "512"}, "memory: “512” is neither a size such as 512M or 20G nor auto"},
		{Change{"undo-space", "undo.space", "auto"}, "undo-space: “auto” is not a size such as 512M or 20G"},
		{Change{"undo-space", "undo.space", "1M"}, "undo-space: “1M” is not between 64M and 1000000G"},
		{Change{"undo.days", "undo.days", "99999"}, "undo.days: “99999” is not between 1 and 36500"},
		{Change{"undo-days", "undo.days", "never"}, "undo-days: “never” is neither a number from 1 nor forever"},
		{Change{"updates.proxy", "updates.proxy", "nowhere"}, "updates.proxy: write an address such as http://proxy.example:3128, or nothing for the proxy of the system"},
		{Change{"--proxy", "updates.proxy", "nowhere"}, "--proxy: write an address such as http://proxy.example:3128, or nothing for the proxy of the system"},
		{Change{"--url", "updates.urls", []string{"https://a.example", "b"}}, "--url: “b” is not an address such as https://updates.example/piwork"},
		{Change{"updates.auto", "updates.auto", "maybe"}, "updates.auto: “maybe” is not one of true, false"},
	} {
		if err := Check([]Change{tt.change}); err == nil || err.Error() != tt.want {
			t.Errorf("%+v: %v", tt.change, err)
		}
	}
}

// A list is typed in brackets; an address may have commas. Nothing is the channel that is
// built in.
func TestAddressesAsTyped(t *testing.T) {
	for typed, want := range map[string]string{
		"[]": "[]", "": "[]", "[ ]": "[]", "https://a.example/x,y": "[https://a.example/x,y]", "[https://a.example]": "[https://a.example]",
		"[https://a.example, https://b.example]":     "[https://a.example https://b.example]",
		`["https://a.example/x,y",http://b.example]`: "[https://a.example/x,y http://b.example]",
	} {
		v := Defaults()
		v.Updates.URLs = []string{"https://before.example"}
		if err := v.typed("updates.urls=" + typed); err != nil || fmt.Sprint(v.Updates.URLs) != want {
			t.Errorf("%q: %v %v, want %s", typed, v.Updates.URLs, err, want)
		}
	}
	for _, typed := range []string{"https://a.example,https://b.example", "[https://a.example", "[https://a.example, b]", "[[]]", "[{}]", "[a: b]"} {
		v := Defaults()
		if err := v.typed("updates.urls=" + typed); err == nil {
			t.Errorf("%q: %v", typed, v.Updates.URLs)
		}
	}
}

// A place is a kind, or one of another computer or cluster.
func TestKindNames(t *testing.T) {
	for typed, want := range map[string]string{
		"[vm]": "[vm]", "[remote:lab2,vm]": "[remote:lab2 vm]", "[kubernetes:my-cluster]": "[kubernetes:my-cluster]",
		"[remote:]": "", "[:lab]": "", "[VM]": "", "[remote:a:b]": "", "[remote:../x]": "",
	} {
		v := Defaults()
		err := v.typed("runtimes.prefer=" + typed)
		if got := fmt.Sprint(v.Runtimes.Prefer); (err == nil) != (want != "") || want != "" && got != want {
			t.Errorf("%s: %s %v", typed, got, err)
		}
	}
}

// A setting that is mistyped, or has no group, is found.
func TestSimilar(t *testing.T) {
	for typed, want := range map[string]string{
		"machines.memroy": "[machines.memory]", "machines/memory": "[machines.memory]", "memory": "[machines.memory]", "dasy": "[undo.days audit.days]",
		"undo": "[undo.days undo.space undo.writes]", "colour": "[]", "": "[]", "machines.nothing": "[]",
	} {
		if got := fmt.Sprint(similar(typed)); got != want {
			t.Errorf("%q: %s, want %s", typed, got, want)
		}
	}
}

// A group stands for all of its settings, and what is none for nothing.
func TestInGroup(t *testing.T) {
	if got := strings.Join(inGroup("runtimes"), " "); got != "runtimes.prefer runtimes.weaker runtimes.files runtimes.rootless" {
		t.Errorf("%s", got)
	}
	for _, name := range []string{"", "runtime", "runtimes.prefer", "."} {
		if got := inGroup(name); len(got) > 0 {
			t.Errorf("%q: %v", name, got)
		}
	}
}
