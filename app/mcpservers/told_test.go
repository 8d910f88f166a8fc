package mcpservers

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"piwork/app/problem"
)

// The AI is told no path of this computer, and the log has nothing that a server said.
func TestWhyACallFailed(t *testing.T) {
	gone := problem.New(problem.CodeFolderRefused).Because(errors.New("/home/kim/mcp is missing"))
	server := &serverError{text: "cannot send the letter to Kim", err: errors.New("exit")}
	for name, tt := range map[string]struct {
		err                error
		theAI, theLog, not string
	}{
		"a folder is gone":  {fmt.Errorf("start: %w", gone), problem.CodeFolderRefused, problem.CodeFolderRefused, "/home/kim"},
		"the server's text": {server, "cannot send the letter to Kim", "the server failed", "/home/kim"},
		"too slow":          {errors.New("it did not answer"), "it did not answer", "it did not answer", "/home/kim"},
	} {
		if a, l := told(tt.err), logged(tt.err); a != tt.theAI || l != tt.theLog || strings.Contains(a+l, tt.not) {
			t.Errorf("%s: %q, %q", name, a, l)
		}
	}
}
