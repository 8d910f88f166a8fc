package config

import (
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
	chosen.Undo.SpaceMB, chosen.Window.Close = 1500, "stop"
	chosen.Window.Theme, chosen.Window.Language, chosen.Window.Signs = "dark", "de", "off"
	chosen.Updates.URLs, chosen.Updates.Proxy = []string{"https://a.example", "https://b.example"}, "http://proxy.example:3128"
	for name, v := range map[string]Values{"defaults": Defaults(), "chosen": chosen} {
		text, err := Document(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse([]byte(text))
		if err != nil || !reflect.DeepEqual(Tree(got), Tree(v)) {
			t.Errorf("%s: %v\n%v, want\n%v\n%s", name, err, Tree(got), Tree(v), text)
		}
	}
	if got, err := Parse([]byte("# nothing\n")); err != nil || !reflect.DeepEqual(got, Defaults()) {
		t.Errorf("%+v %v", got, err)
	}
}

// A mistake is said with its line, and every one of them.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"machines:\n  memroy: 2G\n":                                "Line 2, machines.memroy: there is no such setting. Did you mean machines.memory?",
		"machine:\n  memory: 2G\n":                                 "Line 1, machine: there is no such setting",
		"machines:\n  memory: lots\n":                              "Line 2, machines.memory: machines.memory must be an amount such as 512M or 20G, not “lots”",
		"machines:\n  cpus: 0\n":                                   "Line 2, machines.cpus: machines.cpus must be a number from 1",
		"machines:\n  cpus: [1]\n":                                 "Line 2, machines.cpus: it must be one value",
		"machines: 2G\n":                                           "Line 1, machines: it must be a group",
		"- a\n":                                                    "it must be a group",
		"undo:\n  days: 3\n  days: 4\n":                            "Line 3, undo.days: it is there twice",
		"undo:\n  days: 3\nundo:\n  days: 4\n":                     "it is there twice",
		"updates:\n  urls: [ftp://x]\n":                            "Line 2, updates.urls: “ftp://x” is not an address",
		"updates:\n  auto: perhaps\n":                              "Line 2, updates.auto: updates.auto: “perhaps” is not one of true, false",
		"window:\n  close: never\nmachines:\n  cpus: x\n":          "Line 4",
		"machines:\n  memory: 2G\n bad\n":                          "Line",
		"machines:\n\tmemory: 2G\n":                                "is not YAML",
		"search:\n  url: nowhere\n":                                "Line 2, search.url",
		strings.Repeat("[", 20_000):                                "",
		"a: &a [x]\nb: [*a, *a]\nmachines: *a\n":                   "Line",
		"machines:\n  memory: \"\"\n":                              "Line 2, machines.memory",
		"undo:\n  space: auto\n":                                   "Line 2, undo.space",
		"models: {default: [a]}\n":                                 "Line 1, models.default",
		"machines: {cpus: 99999999999999999999}\n":                 "Line 1, machines.cpus",
		"updates:\n  urls:\n    - https://a.example\n    - \"\"\n": "Line 3, updates.urls",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
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
