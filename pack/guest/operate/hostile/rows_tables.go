package hostile

import (
	"strings"
	"sync"

	"piwork/pack/tools"
)

// tableRows are tables whose one row is as large as many tables.
func tableRows() map[string]Row {
	const most = " | head -c 20000000 >> "
	refused := []string{tools.InputTooLarge}
	return map[string]Row{
		"row of commas":     {Op: "table.read", File: "x.csv", Data: []byte("a,b\n"), Prepare: "tr '\\0' , < /dev/zero" + most + "x.csv", Codes: refused},
		"cell without end":  {Op: "table.clean", File: "-x.csv", Data: []byte("a,b\n1,\""), Prepare: "yes x,1" + most + "./-x.csv", Params: map[string]any{"to": "csv"}, Out: "h.csv", Codes: refused, Slow: true},
		"row of tabs":       {Op: "table.merge", File: "x.tsv", Data: []byte("a\tb\n1\t2\n3\t4\n"), Prepare: "tr '\\0' '\\t' < /dev/zero" + most + "x.tsv", Params: map[string]any{"to": "xlsx"}, Out: "h.xlsx", Codes: refused, Slow: true},
		"list in one line":  {Op: "table.convert", File: "x.json", Data: []byte("[[0"), Prepare: "yes ,0 | tr -d '\\n'" + most + "x.json", Params: map[string]any{"to": "csv"}, Out: "h.csv", Codes: refused, Slow: true},
		"sheet of one cell": {Op: "table.read", File: "x.xlsx", Data: oneCell(), Codes: refused, Slow: true},
	}
}

// oneCell is a workbook of one cell with a text that no cell may have. It is made once.
var oneCell = sync.OnceValue(func() []byte {
	return Home{}.zipped("xl/workbook.xml", "<workbook/>", "xl/worksheets/sheet1.xml",
		`<worksheet><sheetData><row><c t="inlineStr"><is><t>`+strings.Repeat("x", 2*tools.MaxTableRecord)+"</t></is></c></row></sheetData></worksheet>")
})

// packedFull is a document that becomes larger than a document may be. It is made once.
var packedFull = sync.OnceValue(func() []byte {
	return Home{}.zipped("word/document.xml", "<d><t>"+strings.Repeat("aaaaaaaa", 5<<20)+"</t></d>")
})
