package chore

import (
	"encoding/json"
	"math"
	"path"
	"slices"

	"piwork/app/problem"
	"piwork/pack/tools"
)

// Operations of pack/tools that take the words out of documents.
const (
	opWords    = "text.extract"
	opReceipts = "table.receipts"
)

// reads are the languages in which scans are read.
var reads = ParamInfo{Name: "reads", Type: "choice", Default: "eng+deu", Choices: []string{"eng+deu", "eng", "deu"}}

// extractText makes plain text of documents. Of pictures searchableScans does,
// and text is plain already.
var extractText = maker{
	info: Info{
		Name: "extract-text",
		Params: []ParamInfo{
			{Name: "layout", Type: "bool", Default: true},
			reads,
			recursively,
			languages,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	},
	ops:   []string{opWords},
	exts:  []string{pdfExt, ".docx", ".odt", ".rtf", ".html", ".htm"},
	into:  map[string]string{"en": "Text", "de": "Text"},
	makes: func(map[string]any, seen) []making { return []making{{op: opWords, ext: ".txt"}} },
	doubts: func(info []byte) (*problem.Problem, error) {
		var made tools.Extracted
		if err := json.Unmarshal(info, &made); err != nil || made.Note != tools.NoteEmpty {
			return nil, err
		}
		return leftOut(problem.CodeNoText, made.Path), nil
	},
	params: func(given map[string]any, _ Operation) map[string]any {
		return map[string]any{"layout": given["layout"], "ocr": given["reads"]}
	},
}

// receiptsToTable makes one table of receipts and invoices, with a row for each.
var receiptsToTable = maker{
	info: Info{
		Name: "receipts-to-table",
		Params: []ParamInfo{
			{Name: "name", Type: "string", Default: "Receipts"},
			{Name: "format", Type: "choice", Default: tableCSV, Choices: []string{tableCSV, tableXLSX}},
			{Name: "dates", Type: "choice", Default: "auto", Choices: []string{"auto", "dmy", "mdy"}},
			reads,
			recursively,
			languages,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	},
	ops:   []string{opReceipts},
	exts:  extensions(opReceipts, "txt", "md", "gif", "svg"), // which hardly anybody has receipts as
	joins: true,
	makes: func(params map[string]any, _ seen) []making {
		return []making{{op: opReceipts, ext: "." + text(params, "format")}}
	},
	doubts: receiptDoubts,
	params: func(given map[string]any, op Operation) map[string]any {
		return map[string]any{"to": tableFormat(op), "order": given["dates"], "ocr": given["reads"], "language": given["language"]}
	},
}

// receiptDoubts names a receipt that a person should look at, how sure its row is
// as a percentage, and which of its values are guessed or missing. A guest may say
// anything: only values that a row has are named.
func receiptDoubts(info []byte) (*problem.Problem, error) {
	var read tools.ReceiptInfo
	if err := json.Unmarshal(info, &read); err != nil {
		return nil, err
	}
	unsure := slices.DeleteFunc(slices.Clone(tools.ReceiptValues), func(name string) bool { return !slices.Contains(read.Unsure, name) })
	if len(unsure) == 0 {
		return nil, nil
	}
	sure := int(math.Round(100 * min(max(read.Confidence, 0), 1)))
	return problem.New(problem.CodeReceiptUnsure).
		With("path", read.Path).With("name", path.Base(read.Path)).With("confidence", sure).With("unsure", unsure), nil
}
