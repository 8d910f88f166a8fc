package terminal

import (
	"fmt"
	"os"
	"sync"

	"piwork/app/words"
)

// Texts are the words of the terminal's language.
var Texts = sync.OnceValue(func() *words.Catalogue { return words.ForTerminal(os.Getenv, words.SystemLanguages()).WithPaths() })

// Text is the text cli.ID about parameters, which follow as names and values.
func Text(id string, about ...any) string { return Texts().Text("cli."+id, Named(about)) }

// Named makes parameters of names and values that take turns.
func Named(about []any) map[string]any {
	out := make(map[string]any, len(about)/2)
	for i := 0; i+1 < len(about); i += 2 {
		out[fmt.Sprint(about[i])] = about[i+1]
	}
	return out
}

// Some is a number that is said only where it is not 0: a text takes 0 for one that is given.
func Some[N int | int64](n N) any {
	if n == 0 {
		return ""
	}
	return n
}

// PrintText writes a text as a line of the answer for people.
func (t *Terminal) PrintText(id string, about ...any) { t.Print("%s", t.Named(Text(id, about...))) }

// HintText writes a text as a hint.
func (t *Terminal) HintText(id string, about ...any) { t.Hint("%s", t.Named(Text(id, about...))) }

// Named is a text in which commands name the computer that is worked on.
func (t *Terminal) Named(text string) string {
	if t.Elsewhere == nil {
		return text
	}
	return t.Elsewhere(text)
}

// Size writes bytes as people do: "3.1 MB".
func Size(n int64) string { return Texts().Bytes(n) }
