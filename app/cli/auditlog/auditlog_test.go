package auditlog

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"piwork/app/audit"
	"piwork/app/words"
)

// What a decision is about is said in words.
func TestTopicInWords(t *testing.T) {
	said := what(audit.Record{Event: audit.EventDecision, Decision: audit.Decision{Topic: "undo-data", Answer: "removed"}})
	if !strings.Contains(said, "undo data") {
		t.Error(said)
	}
}

// What became of undo data and packs has words in each language.
func TestAnswersInWords(t *testing.T) {
	for answer, want := range map[string]string{"removed": "entfernt", "abandoned": "aufgegeben", "used": "verwendet"} {
		if got := words.For("de").Name("audit-answer", answer); got != want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// An export of another computer is translated line by line; one that does not end fills no memory.
func TestTranslate(t *testing.T) {
	head := `{"v":1}` + "\n"
	record := `{"n":1,"event":"begin","action":"exec","program":"grep"}`
	var out strings.Builder
	if err := translate(strings.NewReader(head+record+"\nno record\n"+record), &out); err != nil || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("%v, %s", err, out.String())
	}
	if err := translate(io.MultiReader(strings.NewReader(head), endless{}), io.Discard); !errors.Is(err, bufio.ErrTooLong) {
		t.Errorf("%v", err)
	}
}
