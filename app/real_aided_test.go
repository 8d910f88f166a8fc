//go:build vm && long

package app

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/chore"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/tasks"
)

// aidedRow is a chore with an AI on a small folder.
type aidedRow struct {
	files map[string][]byte
	made  string // by the part without an AI, in the folder; "" for nothing
	holds string // what stands in it
	does  string // the command of the agent
}

// aidedRows are the chores with an AI. The agent does what the chore's words let it:
// it reads, and makes the result, or changes names.
var aidedRows = map[string]aidedRow{
	"summarise-notes": {
		map[string][]byte{"a.rtf": []byte(`{\rtf1 The rent is due\par}`), "b.md": []byte("call Ann\n")}, "Text/a.txt", "The rent is due",
		"cat Text/a.txt b.md > /state/results/Summary.md",
	},
	"contract-summary": {
		map[string][]byte{"c.html": []byte("<h1>Contract</h1><p>It ends in May.")}, "Text/c.txt", "It ends in May",
		"cat Text/c.txt > /state/results/Contracts.md",
	},
	"check-receipts": {
		map[string][]byte{"bill.html": []byte("<h1>Muster GmbH</h1><p>Rechnungsdatum 05.02.2024<p>19% MwSt 1,90<p>Gesamtbetrag 11,90 &euro;")}, "Receipts.csv", "2024-02-05,Muster GmbH,11.90",
		"cat Receipts.csv > /state/results/Receipts.csv",
	},
	"clean-csv": {
		map[string][]byte{"t.csv": []byte("A,B\n x ,1\nx,1\n,\n")}, "Clean tables/t.csv", "x,1",
		"cat 'Clean tables/t.csv' > /state/results/Cleaned.csv",
	},
	"folder-dashboard": {
		map[string][]byte{"big.txt": []byte("words\n")}, "Report.md", "big.txt",
		"cat Report.md > /state/results/Dashboard.html",
	},
	"rename-photos": {map[string][]byte{"1.png": []byte("\x89PNG\r\n\x1a\n")}, "", "", "mv -n 1.png 'Red square.png'"},
}

// Chores with an AI in a real machine, with the real AI program: the part that needs
// none is done and the model is told of it, what the AI makes is a result or waits
// for a yes, and all is taken back. Without an AI the rest is done, and it is said
// what is missing.
func TestRealAidedChores(t *testing.T) {
	for _, info := range chore.All() {
		if _, ok := aidedRows[info.Name]; ok != (info.AI != nil) {
			t.Errorf("%s is in the table: %v", info.Name, ok)
		}
	}
	server := gatewaytest.New(canary)
	t.Cleanup(server.Close)
	c := openAI(t, warmOptions(t).WithDefaults(), scripted{server, "openai"})
	for _, name := range slices.Sorted(maps.Keys(aidedRows)) {
		row := aidedRows[name]
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, data := range row.files {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			before := exactly(t, dir)
			ch, _ := tasks.FindAided(name)
			info := ch.Info()
			testAided(t, c, server, name, dir, row, info)
			if now := differences(before, exactly(t, dir)); len(now) > 0 {
				t.Fatalf("undone, there differs %q", now)
			}
			testUnaided(t, c, name, dir, row, info)
			if now := differences(before, exactly(t, dir)); len(now) > 0 {
				t.Errorf("undone, there differs %q", now)
			}
		})
	}
}

// testAided does the chore with its AI, and takes it back.
func testAided(t *testing.T, c *Controller, server *gatewaytest.Server, name, dir string, row aidedRow, info chore.Info) {
	server.Reply(func(q gatewaytest.Question) gatewaytest.Turn {
		if bytes.Contains(q.Body, []byte(`"role":"tool"`)) {
			return gatewaytest.Turn{Parts: []string{"It is done."}}
		}
		return gatewaytest.Turn{Tools: bash(fmt.Sprintf("cd '/folders/%s' && mkdir -p /state/results && %s", filepath.Base(dir), row.does))}
	})
	asked := len(server.Questions())
	began, err := c.StartTask(t.Context(), tasks.StartRequest{
		Kind: task.KindAI, Chore: name, AIRequest: tasks.AIRequest{Prompt: "mind the details"}, Accept: true, Detached: true, Folders: []task.FolderRequest{{Path: dir}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := ended(t, c, began.ID)
	if got.State != task.StateDone || len(got.Problems) != 0 {
		t.Fatalf("%s, %+v, %+v\n%s", got.State, got.Error, got.Problems, timelineText(t, c, got.ID))
	}
	said := server.Questions()[asked:]
	if i := slices.IndexFunc(said, func(q gatewaytest.Question) bool { return len(q.Body) > 0 }); i < 0 || !bytes.Contains(said[i].Body, []byte("mind the details")) || !bytes.Contains(said[i].Body, []byte(row.made)) {
		t.Errorf("the model was not told what to do: %+v", said)
	}
	if row.made != "" {
		if data, err := os.ReadFile(filepath.Join(dir, row.made)); err != nil || !strings.Contains(string(data), row.holds) {
			t.Errorf("%s: %q, %v", row.made, data, err)
		}
	}
	for _, want := range info.AI.Results {
		i := slices.IndexFunc(got.Results, func(r task.Result) bool { return r.Folder == "" && r.Path == want })
		if i < 0 {
			t.Errorf("there is no %s: %+v\n%s", want, got.Results, timelineText(t, c, got.ID))
			continue
		}
		if got.Results[i].Size == 0 {
			t.Errorf("%s is empty", want)
		}
	}
	if info.AI.Review {
		if _, err := os.Stat(filepath.Join(dir, "1.png")); err != nil {
			t.Errorf("it was renamed before anybody said yes: %v", err)
		}
		if _, err := c.Apply(t.Context(), got.ID, history.ApplyRequest{}); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "Red square.png")); err != nil {
			t.Errorf("it was not renamed: %v\n%s", err, timelineText(t, c, got.ID))
		}
	}
	undoAll(t, c, got.ID)
}

// testUnaided does the chore without an AI, and takes it back.
func testUnaided(t *testing.T, c *Controller, name, dir string, row aidedRow, info chore.Info) {
	began, err := c.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindChore, Chore: name, Accept: true, Detached: true, Folders: []task.FolderRequest{{Path: dir}}})
	if info.AI.Only {
		if codeOf(err) != problem.CodeNoModel {
			t.Errorf("without an AI: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	got := ended(t, c, began.ID)
	if got.State != task.StateDone || len(got.Problems) != 1 || got.Problems[0].Code != problem.CodeAIWouldAdd || len(got.Results) != 1 || got.Results[0].Path != row.made {
		t.Errorf("%s, %+v, %+v, %+v", got.State, got.Error, got.Problems, got.Results)
	}
	undoAll(t, c, got.ID)
}

func undoAll(t *testing.T, c *Controller, id string) {
	t.Helper()
	if rep, err := c.Undo(t.Context(), id, history.UndoRequest{}); err != nil || len(rep.Conflicts) > 0 {
		t.Error(errors.Join(err, fmt.Errorf("conflicts: %+v", rep.Conflicts)))
	}
}
