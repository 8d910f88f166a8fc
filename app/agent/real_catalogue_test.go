package agent_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"piwork/app/agent/agenttest"
	"piwork/app/gateway/provider"
)

// What the program knows of models is what pi's own list says of them. A new pi is
// taken over with -update.
func TestRealCatalogue(t *testing.T) {
	node, main := agenttest.RealPi(t)
	var told []provider.PiProvider
	for _, p := range provider.Builtin() {
		told = append(told, provider.PiProvider{Provider: p})
	}
	models, err := provider.PiModels("127.0.0.1:1", told)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "models.json"), models, 0o600); err != nil {
		t.Fatal(err)
	}
	pi := agenttest.StartProcess(t, []string{node, main, "--mode", "rpc", "--no-session", "--offline"},
		[]string{"PI_CODING_AGENT_DIR=" + dir, "PI_OFFLINE=1"}, dir)
	if _, err := fmt.Fprintln(pi.In, `{"id":"list","type":"get_available_models"}`); err != nil {
		t.Fatal(err)
	}
	type answer struct {
		ID   string `json:"id"`
		Data struct {
			Models []struct {
				Provider  string   `json:"provider"`
				ID        string   `json:"id"`
				Input     []string `json:"input"`
				Reasoning bool     `json:"reasoning"`
				Context   int64    `json:"contextWindow"`
			} `json:"models"`
		} `json:"data"`
	}
	var got answer
	lines := bufio.NewReader(pi.Out)
	for got.ID != "list" {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("pi ended: %v", err)
		}
		got = answer{}
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	var all []string
	for _, m := range got.Data.Models {
		images := slices.Contains(m.Input, "image")
		able, err := json.Marshal(provider.Able{Images: &images, Thinks: &m.Reasoning, Context: m.Context})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("\t%q: %s", m.Provider+"/"+m.ID, able))
	}
	slices.Sort(all)
	want := &bytes.Buffer{}
	want.WriteString("{\n")
	for i, line := range all {
		if i > 0 {
			want.WriteString(",\n")
		}
		want.WriteString(line)
	}
	want.WriteString("\n}\n")
	file := filepath.Join("..", "gateway", "provider", "catalogue.json")
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil { //nolint:gosec // part of the program
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want.Bytes()) {
		t.Error("pi lists its models otherwise: take it over with -update, and look at the prices")
	}
}
