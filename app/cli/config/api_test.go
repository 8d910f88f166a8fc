package config

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// samples are values of settings; some of them are one of any setting, and not its default.
var samples = []string{"2G", "3", "https://a.example", "sandbox", "sandbox=ask", "true", "false", "9p", "file", "background", "own/m1", "dark", "de", "less", "off"}

// typed applies what is typed as NAME=VALUE.
func (v *Values) typed(args ...string) error {
	changes, err := parseChanges(args)
	if err != nil {
		return err
	}
	return v.Set(changes...)
}

// vary gives a setting another value than it has by default. What it is about is in no
// list here: a value of each kind is tried.
func vary(t *testing.T, s setting, v *Values) {
	t.Helper()
	for _, sample := range samples {
		to := *v
		if to.typed(s.key+"="+sample) == nil && !s.same(to, Defaults()) {
			*v = to
			return
		}
	}
	t.Errorf("%s: none of %v changes it", s.key, samples)
}

// members are the names that a request has in JSON.
func members(request reflect.Type) (out []string) {
	for field := range request.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Every operation of the API that chooses a setting has its place in the document, and every
// member of its request a setting. They are enumerated from the document of the API.
func TestEverySettingOfTheAPI(t *testing.T) {
	text, err := os.ReadFile("../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Ref        string               `yaml:"$ref"`
		Properties map[string]yaml.Node `yaml:"properties"`
	}
	var doc struct {
		Paths      map[string]map[string]yaml.Node `yaml:"paths"`
		Components struct {
			Schemas map[string]schema `yaml:"schemas"`
		} `yaml:"components"`
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	chosen := map[string]bool{} // Field.member, of Values
	for _, s := range settings {
		v, defaults := Defaults(), Defaults()
		vary(t, s, &v)
		now, before := reflect.ValueOf(v), reflect.ValueOf(defaults)
		for group := range now.Type().Fields() {
			for member := range group.Type.Fields() {
				at := append(slices.Clone(group.Index), member.Index...)
				if !reflect.DeepEqual(now.FieldByIndex(at).Interface(), before.FieldByIndex(at).Interface()) {
					chosen[group.Name+"."+member.Name] = true
				}
			}
		}
	}
	routes := 0
	for path, item := range doc.Paths {
		setting, is := strings.CutPrefix(path, "/v1/settings/")
		if is = is && !strings.Contains(setting, "/") || path == "/v1/models/default"; !is {
			continue
		}
		for method, node := range item {
			if method == "get" {
				continue
			}
			routes++
			var op struct {
				RequestBody struct {
					Content map[string]struct{ Schema schema }
				} `yaml:"requestBody"`
			}
			if err := node.Decode(&op); err != nil {
				t.Fatal(err)
			}
			request := doc.Components.Schemas[strings.TrimPrefix(op.RequestBody.Content["application/json"].Schema.Ref, "#/components/schemas/")]
			wants := slices.Sorted(maps.Keys(request.Properties))
			found := false
			for group := range reflect.TypeFor[Values]().Fields() {
				if !slices.Equal(members(group.Type), wants) {
					continue
				}
				found = true
				for member := range group.Type.Fields() {
					secret := member.Name == "Passphrase" // which is in no document
					if name := group.Name + "." + member.Name; !chosen[name] && !secret {
						t.Errorf("%s %s: no setting changes %s", method, path, name)
					}
				}
			}
			if !found {
				t.Errorf("%s %s: %v are no settings of piwork config", method, path, wants)
			}
		}
	}
	if groups := reflect.TypeFor[Values]().NumField(); routes != groups { // requests of two may have the same members
		t.Errorf("%d operations choose settings, and piwork config has %d groups of them", routes, groups)
	}
}
