package output

import (
	"errors"
	"strings"
	"testing"
	"time"
)

type inner struct {
	State string `json:"state"`
}

type answer struct {
	ID      string     `json:"id"`
	Size    int64      `json:"size"`
	Ended   *time.Time `json:"ended,omitempty"`
	Folders []inner    `json:"folders"`
	Hidden  string     `json:"-"`
	inner
}

func TestFormats(t *testing.T) {
	list := []answer{{ID: "yes", Size: 12345678901, Folders: []inner{{"a: b"}}, inner: inner{"done"}}, {ID: "007", inner: inner{"failed"}}}
	for name, tt := range map[string]struct {
		format, template string
		v                any
		want             string
	}{
		"json":       {"json", "", list[1], "{\n  \"id\": \"007\",\n  \"size\": 0,\n  \"folders\": null,\n  \"state\": \"failed\"\n}\n"},
		"yaml":       {"yaml", "", list, "- id: \"yes\"\n  size: 12345678901\n  folders:\n    - state: 'a: b'\n  state: done\n- id: \"007\"\n  size: 0\n  folders: null\n  state: failed\n"},
		"template":   {"", "{{.id}}\\t{{.state}}", list, "yes\tdone\n007\tfailed\n"},
		"one":        {"", "{{.size}}{{if gt .size 5}} large{{end}}", list[0], "12345678901 large\n"},
		"absent":     {"", "[{{.ended}}]", list[0], "[]\n"},
		"nested":     {"", "{{range .folders}}{{.state}}{{end}}|{{json .folders}}", &list[0], "a: b|[{\"state\":\"a: b\"}]\n"},
		"empty list": {"", "{{.id}}", []answer{}, ""},
		"words":      {"", "{{.}}", []string{"a", "b"}, "a\nb\n"},
	} {
		f := Format{Kind: Kind(tt.format)}
		if tt.template != "" {
			var err error
			if f, err = OfTemplate(tt.template); err != nil {
				t.Fatal(err)
			}
		}
		var b strings.Builder
		if err := f.Document(&b, tt.v); err != nil || b.String() != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, b.String(), tt.want)
		}
	}
}

// A name that the answers do not have is a mistake, also where there is no answer.
func TestUnknownMember(t *testing.T) {
	for _, text := range []string{"{{.stat}}", "{{if .stat}}x{{end}}", "{{json .stat}}", "{{range .stat}}{{.id}}{{end}}", "{{if .id}}{{.stat}}{{end}}"} {
		f, err := OfTemplate(text)
		if err != nil {
			t.Fatal(err)
		}
		var unknown *UnknownError
		if err := f.Document(&strings.Builder{}, []answer{}); !errors.As(err, &unknown) || unknown.Name != "stat" || !strings.Contains(err.Error(), "id, size, ended, folders, state") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"{{", "{{.id", "{{nope .id}}"} {
		if _, err := OfTemplate(text); err == nil {
			t.Errorf("%s is a template", text)
		}
	}
}

func TestStream(t *testing.T) {
	var b strings.Builder
	for _, v := range []inner{{"a"}, {"b"}} {
		if err := (Format{Kind: YAML}).Line(&b, v); err != nil {
			t.Fatal(err)
		}
	}
	if b.String() != "---\nstate: a\n---\nstate: b\n" {
		t.Error(b.String())
	}
}
