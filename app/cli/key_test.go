package cli

import (
	"testing"

	"piwork/app/cli/wording"
	"piwork/app/models"
)

func TestAbleLine(t *testing.T) {
	yes, no := true, false
	for want, m := range map[string]models.Model{
		"":                                       {ID: "a/b", Thinks: &no},
		"  (no pictures)":                        {Images: &no},
		"  (pictures, thinking, 200,000 tokens)": {Images: &yes, Thinks: &yes, Context: 200_000},
	} {
		if got := wording.AbleLine(m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
