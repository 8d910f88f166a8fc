//go:build unix

package journal_test

import (
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/model"
)

// mendedHistories once cost a person a content, or did not end.
var mendedHistories = []string{
	// The journal keeps only the changed parts of a file that a person moves or removes by one of its names.
	"big: write B/x; P move B A/w; undo",
	"big: append A/x; mkdir A/z; rename A/x B/y; P move B/y A/z/x; undo",
	"big: P move A/x B/y; #A/x write; chmod B/y; P move B A/z; undo",
	"big: #A/x append; link B/x A/z; P delete A/x; part 2",
	"big: P delete A/x; write B/x; #A/x xattr; undo !2",
	// An undo that dies when it has kept what a person saved, and has not come to it yet.
	"two: unlink B/x; mkdir B/y; utimes A/x; xattr A/y; symlink A/w; P new B/z; mkdir B/y/x; xattr A; trunc B/z; P save B/z; undo !28; undo",
	// A person moves a file to a name that the task made, and the task removes it there.
	"one: create A/z; xattr A/x; P delete A/z; P move A/x A/z; unlink A/z; mkdir A/x; undo",
}

func TestModelMendedHistories(t *testing.T) {
	tier.Unraced(t)
	for _, text := range mendedHistories {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			h, err := model.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			r := &model.Runner{Dir: modelDir(t), Limit: 10 * time.Second}
			r.JDir = r.Dir
			mostly(r)
			if f, err := r.Play(h); err != nil || f != nil {
				t.Error(f, err)
			}
		})
	}
}
