package mcpservers

import (
	"errors"
	"strings"
	"testing"

	"piwork/app/problem"
)

// What other programs write is read; anything else is refused, whole.
func TestImport(t *testing.T) {
	w := newWorld(t, nil)
	got, err := w.ImportMCPServers(t.Context(), Import{Folders: []string{"/mcp"}, Config: `{"theme": "dark", "mcpServers": {
		"My Notes!": {"command": "node", "args": ["/mcp/notes.js"], "env": {"TOKEN": "s3cr3t-s3cr3t"}, "disabled": true},
		"git": {"command": "python3", "args": ["-m", "git_server"]}}}`})
	if err != nil || len(got) != 2 || got[0].Name != "my-notes" || got[0].Env[0] != "TOKEN" || got[0].Folders[0] != "/mcp" || got[1].Command != "python3" || len(got[0].Hosts) > 0 {
		t.Fatalf("%+v %v", got, err)
	}
	if kept, _ := w.secrets.List(t.Context()); len(kept) != 1 {
		t.Errorf("%+v", kept)
	}
	many := strings.Repeat(`"s%":{"command":"x"},`, 1)
	for name, text := range map[string]string{
		"nothing":                  "",
		"no JSON":                  "x",
		"no servers":               `{"a": 1}`,
		"something behind":         `{"mcpServers": {"a": {"command": "x"}}} x`,
		"a list":                   `{"mcpServers": [{"command": "x"}]}`,
		"no command":               `{"mcpServers": {"a": {}}}`,
		"an argument that is none": `{"mcpServers": {"a": {"command": "x", "args": [{}]}}}`,
		"a variable that is none":  `{"mcpServers": {"a": {"command": "x", "env": {"A B": "x"}}}}`,
		"a name of nothing":        `{"mcpServers": {"…": {"command": "x"}}}`,
		"two of one name":          `{"mcpServers": {"A b": {"command": "x"}, "a-b": {"command": "x"}}}`,
		"one that is there":        `{"mcpServers": {"new": {"command": "x"}, "git": {"command": "x"}}}`,
		"too long":                 `{"mcpServers": {"a": {"command": "` + strings.Repeat("x", maxImport) + `"}}}`,
		"too many": `{"mcpServers": {` + strings.TrimSuffix(func() (all string) {
			for _, n := range numbered("%d", maxServers+1) {
				all += strings.ReplaceAll(many, "%", n)
			}
			return all
		}(), ",") + `}}`,
	} {
		var p *problem.Problem
		if _, err := w.ImportMCPServers(t.Context(), Import{Config: text}); !errors.As(err, &p) || p.Code != problem.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, _ := w.MCPServers(t.Context()); len(all) != 2 {
		t.Errorf("%+v", all)
	}
	if kept, _ := w.secrets.List(t.Context()); len(kept) != 1 {
		t.Errorf("secrets of servers that were refused: %+v", kept)
	}
}

// What may be added.
func TestAdditions(t *testing.T) {
	w := newWorld(t, nil)
	for name, a := range map[string]Addition{
		"no name":              {Command: "x"},
		"capitals":             {Name: "Weather", Command: "x"},
		"the separator":        {Name: "a__b", Command: "x"},
		"too long":             {Name: strings.Repeat("a", maxName+1), Command: "x"},
		"a path":               {Name: "../a", Command: "x"},
		"no program":           {Name: "a"},
		"a zero":               {Name: "a", Command: "x\x00"},
		"a zero in a word":     {Name: "a", Command: "x", Args: []string{"\x00"}},
		"too many words":       {Name: "a", Command: "x", Args: numbered("%d", maxArgs+1)},
		"a long value":         {Name: "a", Command: "x", Env: map[string]string{"A": strings.Repeat("x", maxValue+1)}},
		"long values together": {Name: "a", Command: "x", Env: map[string]string{"A": strings.Repeat("x", maxValue), "B": strings.Repeat("x", maxValue)}},
		"all of the internet":  {Name: "a", Command: "x", Hosts: []string{"*.com"}},
		"an address of a page": {Name: "a", Command: "x", Hosts: []string{"https://example.org/x"}},
		"too many hosts":       {Name: "a", Command: "x", Hosts: numbered("h%d.example.org", maxHosts+1)},
		"too many folders":     {Name: "a", Command: "x", Folders: numbered("/%d", maxFolders+1)},
	} {
		var p *problem.Problem
		if _, err := w.AddMCPServer(t.Context(), a); !errors.As(err, &p) || p.Code != problem.CodeBadRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.AddMCPServer(t.Context(), Addition{Name: "a", Command: "x", Folders: []string{"/forbidden"}}); err == nil {
		t.Error("a folder that nothing may have is given")
	}
	if all, _ := w.MCPServers(t.Context()); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}

func FuzzImport(f *testing.F) {
	f.Add(`{"mcpServers": {"My Notes": {"command": "node", "args": ["x"], "env": {"A": "b"}}}}`)
	f.Add(`{"servers": {"ä": {"command": ""}}}`)
	f.Add(`{"mcpServers": null}`)
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseImport(text)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, a := range all {
			if !serverName().MatchString(a.Name) || seen[a.Name] {
				t.Errorf("%q", a.Name)
			}
			seen[a.Name] = true
		}
	})
}
