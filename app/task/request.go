package task

import "strings"

// FolderRequest is a folder as asked for; ids and names are given by the task.
type FolderRequest struct {
	Path string `json:"path"`
	Mode Mode   `json:"mode,omitempty"` // "" is rw for chores; for AI what was chosen for this folder the last time, review at first; ro otherwise

	// Exact is for programs, which resolved the links in a path when the person named it.
	Exact bool `json:"exact,omitempty" doc:"refuse the folder if there is a link in its path"`
}

const maxTitle = 200 // runes

// TitleOf makes a title of a text: one line, not too long.
func TitleOf(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if runes := []rune(s); len(runes) > maxTitle {
		s = string(runes[:maxTitle-1]) + "…"
	}
	return s
}
