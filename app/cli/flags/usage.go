package flags

import (
	"piwork/app/cli/terminal"
	"piwork/app/words"
	"piwork/pack/lazyregexp"
)

// UsageError is a command line that makes no sense.
type UsageError struct{ text string }

func (u *UsageError) Error() string { return u.text }

// Usage is a UsageError in the words of usage.ID about parameters, which follow as names
// and values.
func Usage(id string, about ...any) error {
	return &UsageError{terminal.Texts().Text("usage."+id, terminal.Named(about))}
}

var placeholder = lazyregexp.New(`\b[A-Z]{2,}\b`)

// InWords has the placeholders of a command's use in a language, as the texts about it call
// them: in German, "install FILE" is "install DATEI".
func InWords(use string, texts *words.Catalogue) string {
	return placeholder().ReplaceAllStringFunc(use, func(name string) string {
		if id := "argument." + name; texts.Has(id) {
			return texts.Text(id, nil)
		}
		return name
	})
}
