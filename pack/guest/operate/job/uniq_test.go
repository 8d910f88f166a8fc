package job

import (
	"strings"
	"testing"

	"piwork/pack/tools"
)

func TestWithSuffix(t *testing.T) {
	for in, want := range map[string]string{"a.jpg": "a.png", "a": "a.png", ".hidden": ".hidden.png", "a.b.c": "a.b.png"} {
		if got := WithSuffix(in, "png"); got != want {
			t.Errorf("%s became %s", in, got)
		}
	}
	if got := WithSuffix(strings.Repeat("ü", 125), "png"); len(got) > 250 || !tools.FileName(got) || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("%d bytes, %q", len(got), got)
	}
}
