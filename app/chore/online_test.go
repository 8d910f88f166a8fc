package chore

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"piwork/app/problem"
)

// What a plan reads that is only online it says, whatever was downloaded to make it.
func TestPlanNotesWhatIsOnline(t *testing.T) {
	entries := []Entry{
		{Path: "a.jpg", Size: 10, Online: true}, {Path: "b.jpg", Size: 20}, {Path: "c.jpg", Size: 30, Online: true}, {Path: "d.txt", Size: 30},
		{Path: "sub", Type: fs.ModeDir}, {Path: "sub/e.jpg", Size: 40, Online: true}, {Path: "f.jpg", Online: true, Stub: true},
	}
	in := func(read bool, paths ...string) (out []Input) {
		for _, p := range paths {
			i := Input{Path: "/folders/Trip/" + p}
			if read {
				i.SHA256 = strings.Repeat("a", 64)
			}
			out = append(out, i)
		}
		return out
	}
	for name, tt := range map[string]struct {
		plan Plan
		want *Online
	}{
		"reads some":             {Plan{Operations: []Operation{{In: in(true, "a.jpg", "b.jpg")}, {In: in(true, "a.jpg")}}}, &Online{Files: 1, Bytes: 10}},
		"reads none":             {Plan{Operations: []Operation{{In: in(true, "b.jpg")}}}, nil},
		"only moves":             {Plan{Chore: "rename-files", Operations: []Operation{{In: in(false, "a.jpg")}}}, nil},
		"moves by what is in":    {Plan{Chore: sortPhotosName, Operations: []Operation{{In: in(false, "a.jpg")}}}, &Online{Files: 1, Bytes: 10}},
		"compares by size":       {Plan{Chore: duplicatesName}, &Online{Files: 1, Bytes: 30}},
		"an AI, one file":        {Plan{Operations: []Operation{{Op: OpAI, In: in(false, "c.jpg")}}}, &Online{Files: 1, Bytes: 30}},
		"an AI, all of a folder": {Plan{Operations: []Operation{{Op: OpAI, In: []Input{{Path: "/folders/Trip"}}}}}, &Online{Files: 3, Bytes: 80}},
		"nothing":                {Plan{}, nil},
	} {
		env, note := Noting(Env{Folders: []Folder{{Guest: "/folders/Trip", List: func(context.Context, bool) ([]Entry, error) { return entries, nil }}}})
		for range 2 {
			if _, err := env.Folders[0].List(t.Context(), true); err != nil {
				t.Fatal(err)
			}
		}
		plan := tt.plan
		note(&plan)
		if (plan.Online == nil) != (tt.want == nil) || tt.want != nil && *plan.Online != *tt.want || tt.want != nil && plan.Fetches() != tt.want.Bytes {
			t.Errorf("%s: %+v", name, plan.Online)
		}
	}
}

// What is only in iCloud, and has another name until it is here, is named and left out.
func TestStubsAreNamed(t *testing.T) {
	found, skipped := candidates(Folder{Guest: "/folders/Trip"}, []Entry{{Path: "a.jpg", Online: true}, {Path: "b.jpg", Online: true, Stub: true}}, []string{".jpg"})
	if len(found) != 1 || found[0].guest != "/folders/Trip/a.jpg" || len(skipped) != 1 || skipped[0].Code != problem.CodeInputOnline || skipped[0].Params["name"] != "b.jpg" {
		t.Errorf("%+v %+v", found, skipped)
	}
	plan, err := aided{name: "x", exts: []string{".jpg"}}.PlanAI(t.Context(), Env{Folders: []Folder{{Guest: "/folders/Trip",
		List: func(context.Context, bool) ([]Entry, error) {
			return []Entry{{Path: "a.jpg"}, {Path: "b.jpg", Stub: true}}, nil
		}}}})
	if err != nil || len(plan.Operations[0].In) != 1 || !slices.ContainsFunc(plan.Skipped, func(p problem.Problem) bool { return p.Code == problem.CodeInputOnline }) {
		t.Errorf("%+v %v", plan, err)
	}
}
