package keys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const authJSON = `{
  "anthropic": {"type": "oauth", "access": "sk-ant-oat-0123456789", "refresh": "sk-ant-ort-0123456789", "expires": 1900000000000},
  "openai": {"type": "api_key", "key": "sk-openai-0123456789"},
  "groq": {"type": "api_key", "key": "!pass show groq"},
  "xai": {"type": "api_key", "key": "$XAI_API_KEY"},
  "github-copilot": {"type": "oauth", "access": "gh-0123456789", "refresh": "gh-0123456789", "expires": 1}
}`

func anyBut(no string) func(string, Kind) bool {
	return func(p string, _ Kind) bool { return p != no }
}

func writeAuth(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "auth", "default", "auth.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// left is which providers a file still has; nil when it is gone.
func left(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if NoAuthFile(err) {
		return nil
	}
	var all map[string]any
	if err != nil || json.Unmarshal(data, &all) != nil {
		t.Fatalf("the file is damaged: %v %s", err, data)
	}
	var names []string
	for _, n := range []string{"anthropic", "github-copilot", "groq", "openai", "xai"} {
		if _, ok := all[n]; ok {
			names = append(names, n)
		}
	}
	return names
}

func TestImport(t *testing.T) {
	m := &Memory{}
	path := writeAuth(t, authJSON)
	got, err := Import(t.Context(), AuthFile{Path: path}, m, anyBut("github-copilot"))
	want := Imported{File: path, Moved: []string{"anthropic", "openai"},
		Left: []Left{{"github-copilot", LeftUnknown}, {"groq", LeftCommand}, {"xai", LeftVariable}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	if l := left(t, path); !reflect.DeepEqual(l, []string{"github-copilot", "groq", "xai"}) {
		t.Errorf("the file has %v", l)
	}
	c, err := m.Get(t.Context(), "anthropic")
	if err != nil || c.Kind != KindOAuth || c.Refresh.Reveal() != "sk-ant-ort-0123456789" || c.Expires.UnixMilli() != 1900000000000 {
		t.Errorf("%+v, %v", c, err)
	}
	// Moved wholly, the file goes; kept, it stays as it was.
	path = writeAuth(t, `{"openai":{"type":"api_key","key":"sk-openai-0123456789"}}`)
	if got, err = Import(t.Context(), AuthFile{Path: path, Keep: true}, &Memory{}, anyBut("")); err != nil || got.Deleted || len(got.Moved) != 1 || len(left(t, path)) != 1 {
		t.Errorf("copied: %+v, %v", got, err)
	}
	if got, err = Import(t.Context(), AuthFile{Path: path}, m, anyBut("")); err != nil || !got.Deleted || left(t, path) != nil {
		t.Errorf("moved: %+v, %v", got, err)
	}
	if _, err = Import(t.Context(), AuthFile{Path: path}, m, anyBut("")); !NoAuthFile(err) {
		t.Errorf("a file that is not there: %v", err)
	}
	// A key that a person set is not overwritten.
	path = writeAuth(t, `{"openai":{"type":"api_key","key":"sk-another-0123456789"}}`)
	if got, err = Import(t.Context(), AuthFile{Path: path}, m, anyBut("")); err != nil || len(got.Left) != 1 || got.Left[0].Reason != LeftNewer || len(left(t, path)) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "[]", `{"openai":`, `{"openai":{"type":"api_key","key":"sk-canary"}`} {
		path = writeAuth(t, bad)
		if _, err := Import(t.Context(), AuthFile{Path: path}, m, anyBut("")); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// flaky is a store whose nth call fails, or does not keep what it is given.
type flaky struct {
	Memory
	n    int
	lies bool
}

var errFlaky = errors.New("the store is gone")

func (f *flaky) step() error {
	f.n--
	if f.n == 0 {
		return errFlaky
	}
	return nil
}

func (f *flaky) Get(ctx context.Context, p string) (Credential, error) {
	if err := f.step(); err != nil {
		return Credential{}, err
	}
	return f.Memory.Get(ctx, p)
}

func (f *flaky) Set(ctx context.Context, c Credential) error {
	if err := f.step(); err != nil {
		return err
	}
	if f.lies {
		c.Key = NewSecret("something-else")
	}
	return f.Memory.Set(ctx, c)
}

// A failure at each step: every entry is in the store, in the file, or in both;
// and the next attempt makes it whole.
func TestImportFailsAtEachStep(t *testing.T) {
	for n := 1; n < 7; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			path := writeAuth(t, `{"anthropic":{"type":"api_key","key":"sk-a-0123456789"},"openai":{"type":"api_key","key":"sk-b-0123456789"}}`)
			s := &flaky{n: n}
			_, err := Import(t.Context(), AuthFile{Path: path}, s, anyBut(""))
			if !errors.Is(err, errFlaky) {
				t.Fatalf("err %v", err)
			}
			if l := left(t, path); len(l) != 2 {
				t.Errorf("taken out of the file before all was kept: %v", l)
			}
			s.n = 0
			if got, err := Import(t.Context(), AuthFile{Path: path}, s, anyBut("")); err != nil || !got.Deleted || len(got.Moved) != 2 {
				t.Errorf("the second time: %+v, %v", got, err)
			}
			for _, p := range []string{"anthropic", "openai"} {
				if _, err := s.Memory.Get(t.Context(), p); err != nil {
					t.Errorf("%s: %v", p, err)
				}
			}
		})
	}
	path := writeAuth(t, `{"openai":{"type":"api_key","key":"sk-b-0123456789"}}`)
	if _, err := Import(t.Context(), AuthFile{Path: path}, &flaky{lies: true}, anyBut("")); err == nil || len(left(t, path)) != 1 {
		t.Errorf("a store that gives back something else: %v", err)
	}
}

func TestAuthFiles(t *testing.T) {
	home, data := filepath.Join("/", "home", "ann"), filepath.Join("/", "data")
	own := func(profile string) AuthFile {
		return AuthFile{Path: filepath.Join(data, "auth", profile, "auth.json")}
	}
	pis := AuthFile{Path: filepath.Join(home, ".pi", "agent", "auth.json"), Keep: true}
	for _, tt := range []struct {
		env  map[string]string
		want []AuthFile
	}{
		{nil, []AuthFile{own("default")}},
		{map[string]string{VarProfile: "Work"}, []AuthFile{own("Work")}},
		{map[string]string{VarProfile: "../../x"}, []AuthFile{own("default")}},
		{map[string]string{VarProfile: ".."}, []AuthFile{own("default")}},
		{map[string]string{VarCopy: "1"}, []AuthFile{own("default"), pis}},
		{map[string]string{VarCopy: "0"}, []AuthFile{own("default")}},
		{map[string]string{VarPath: "~/x.json", VarCopy: "1"}, []AuthFile{own("default"), {Path: filepath.Join(home, "x.json"), Keep: true}}},
	} {
		if got := AuthFiles(func(n string) string { return tt.env[n] }, data, home); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%v:\n got %+v\nwant %+v", tt.env, got, tt.want)
		}
	}
}

// pi's logins of GitHub Copilot are taken over, but for those of an organisation's
// own computers: their tokens are made elsewhere.
func TestImportCopilot(t *testing.T) {
	const entry = `{"github-copilot":{"type":"oauth","refresh":"ghu_0123456789","access":"tid=1;proxy-ep=proxy.individual.githubcopilot.com","expires":1900000000000,"availableModelIds":["gpt-5.6-sol"]%s}}`
	m := &Memory{}
	got, err := Import(t.Context(), AuthFile{Path: writeAuth(t, fmt.Sprintf(entry, ""))}, m, anyBut(""))
	if err != nil || !got.Deleted {
		t.Errorf("%+v, %v", got, err)
	}
	if c, err := m.Get(t.Context(), "github-copilot"); err != nil || c.Refresh.Reveal() != "ghu_0123456789" || c.Expires.UnixMilli() != 1900000000000 {
		t.Errorf("%+v, %v", c, err)
	}
	got, err = Import(t.Context(), AuthFile{Path: writeAuth(t, fmt.Sprintf(entry, `,"enterpriseUrl":"github.company.example"`))}, &Memory{}, anyBut(""))
	if want := []Left{{"github-copilot", LeftUnknown}}; err != nil || !reflect.DeepEqual(got.Left, want) {
		t.Errorf("%+v, %v", got, err)
	}
	m = &Memory{}
	if _, err = Import(t.Context(), AuthFile{Path: writeAuth(t, fmt.Sprintf(entry, `,"enterpriseUrl":"https://company.ghe.com"`))}, m, anyBut("")); err != nil {
		t.Error(err)
	}
	if c, err := m.Get(t.Context(), "github-copilot"); err != nil || c.Domain != "company.ghe.com" {
		t.Errorf("of a company: %+v, %v", c, err)
	}
	// What ChatGPT gave is renewed with the client that it was given to.
	for client, want := range map[string]int{`,"clientId":"client-1"`: 1, "": 0, `,"clientId":"a b"`: 0} {
		got, err := Import(t.Context(), AuthFile{Path: writeAuth(t, strings.Replace(fmt.Sprintf(entry, client), "github-copilot", "openai", 1))}, &Memory{}, anyBut(""))
		if err != nil || len(got.Moved) != want {
			t.Errorf("%s: %+v, %v", client, got, err)
		}
	}
}
