package operate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zip"
	"github.com/xuri/excelize/v2"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// table runs an operation on one table and returns what it made.
func (b *bench) table(op, name string, data []byte, params map[string]any) (string, wire.ToolResult) {
	b.t.Helper()
	out := filepath.Join(b.t.TempDir(), "out")
	r := b.run(b.t.Context(), wire.ToolParams{Op: op, In: []string{b.file(name, data)}, Out: out, Params: params})
	made, err := os.ReadFile(out)
	if err != nil && len(r.Out) > 0 {
		b.t.Fatal(err)
	}
	return string(made), r
}

func TestTableConvert(t *testing.T) {
	utf16 := []byte("\xFF\xFEN\x00a\x00m\x00e\x00,\x00x\x00\n\x00K\x00\xF6\x00l\x00n\x00,\x001\x00\n\x00")
	for name, tt := range map[string]struct {
		file string
		data []byte
		set  map[string]any
		want string
	}{
		"semicolons":            {"a.csv", []byte("Name;Sum\nAnna;12,50\n"), map[string]any{"to": "csv"}, "Name,Sum\nAnna,\"12,50\"\n"},
		"tabs":                  {"a.txt", []byte("a\tb\n1\t2\n"), map[string]any{"to": "csv"}, "a,b\n1,2\n"},
		"pipes":                 {"a.csv", []byte("a|b\n1|2\n"), map[string]any{"to": "tsv"}, "a\tb\n1\t2\n"},
		"a given delimiter":     {"a.csv", []byte("a;b,c\n"), map[string]any{"to": "tsv", "delimiter": "comma", "header": false}, "a;b\tc\n"},
		"quotes":                {"a.csv", []byte("a,b\n\"x, \"\"y\"\"\nz\",2\n"), map[string]any{"to": "json"}, "[\n  {\"a\": \"x, \\\"y\\\"\\nz\", \"b\": 2}\n]\n"},
		"byte order mark":       {"a.csv", []byte("\xEF\xBB\xBFa,b\n1,2\n"), map[string]any{"to": "csv"}, "a,b\n1,2\n"},
		"UTF-16":                {"a.csv", utf16, map[string]any{"to": "csv"}, "Name,x\nKöln,1\n"},
		"Windows-1252":          {"a.csv", []byte("Name,x\nK\xF6ln \x80,1\n"), map[string]any{"to": "csv"}, "Name,x\nKöln €,1\n"},
		"ragged":                {"a.csv", []byte("a,b\n1\n1,2,3\n"), map[string]any{"to": "csv"}, "a,b,column 3\n1,,\n1,2,3\n"},
		"a column twice":        {"a.csv", []byte("a,a,\n1,2,3\n"), map[string]any{"to": "json"}, "[\n  {\"a\": 1, \"a (2)\": 2, \"column 3\": 3}\n]\n"},
		"formulas":              {"a.csv", []byte("a,b\n=1+1,@x\n-5,+49 170\n-x,\"\tx\"\n"), map[string]any{"to": "csv"}, "a,b\n'=1+1,'@x\n-5,+49 170\n'-x,'\tx\n"},
		"formulas as they are":  {"a.csv", []byte("a\n=1+1\n"), map[string]any{"to": "csv", "safe": false}, "a\n=1+1\n"},
		"numbers that are none": {"a.csv", []byte("a,b,c\n007,1e5,12345678901234567\n"), map[string]any{"to": "json"}, "[\n  {\"a\": \"007\", \"b\": \"1e5\", \"c\": \"12345678901234567\"}\n]\n"},
		"JSON objects":          {"a.json", []byte(`[{"b":1,"a":"x"},{"a":null,"c":{"d":[1, 2]}},{"b":true}]`), map[string]any{"to": "csv"}, "b,a,c\n1,x,\n,,\"{\"\"d\"\":[1,2]}\"\ntrue,,\n"},
		"JSON lists":            {"a.json", []byte(`[["a","b"],[1,2]]`), map[string]any{"to": "csv"}, "a,b\n1,2\n"},
		"no rows":               {"a.csv", []byte("a,b\n"), map[string]any{"to": "json"}, "[]\n"},
		"dashes and money":      {"a.csv", []byte("a;b;c\n-12,50 €;-;--\n-1'234.50;-20 %;-1+1\n"), map[string]any{"to": "csv"}, "a,b,c\n\"-12,50 €\",-,--\n-1'234.50,-20 %,'-1+1\n"},
		"empty rows above":      {"a.csv", []byte(";;\n\n;;\na;b;c\n1;2;3\n"), map[string]any{"to": "csv"}, "a,b,c\n1,2,3\n"},
		"no header":             {"a.csv", []byte(";;\n1;2;3\n"), map[string]any{"to": "csv", "header": false}, ",,\n1,2,3\n"},
		"a said delimiter":      {"a.csv", []byte("sep=;\r\na,b;c\r\n1;2\r\n"), map[string]any{"to": "csv"}, "\"a,b\",c\n1,2\n"},
		"old Mac":               {"a.csv", []byte("a;b\r1;2\r"), map[string]any{"to": "csv"}, "a,b\n1,2\n"},
		"German numbers":        {"a.csv", []byte("Zeit;Wert\n" + strings.Repeat("0,5;0,25\n", 9)), map[string]any{"to": "csv"}, "Zeit,Wert\n" + strings.Repeat("\"0,5\",\"0,25\"\n", 9)},
		"digits beyond numbers": {"a.csv", []byte("a,b\n1234567890.1234567890,-0.000000123456\n"), map[string]any{"to": "json"}, "[\n  {\"a\": \"1234567890.1234567890\", \"b\": -0.000000123456}\n]\n"},
		"German thousands":      {"a.csv", []byte("Artikel;Menge;Preis\nA;1.000;2,50\nB;12.500;3,00\nC;500;-1.250\n"), map[string]any{"to": "json"}, "[\n  {\"Artikel\": \"A\", \"Menge\": \"1.000\", \"Preis\": \"2,50\"},\n  {\"Artikel\": \"B\", \"Menge\": \"12.500\", \"Preis\": \"3,00\"},\n  {\"Artikel\": \"C\", \"Menge\": 500, \"Preis\": \"-1.250\"}\n]\n"},
		"perhaps thousands":     {"a.csv", []byte("a;b\n1.000;x\n"), map[string]any{"to": "json"}, "[\n  {\"a\": \"1.000\", \"b\": \"x\"}\n]\n"},
		"thousands in tabs":     {"a.txt", []byte("a\tb\n1.000\t1.234.567\n"), map[string]any{"to": "json"}, "[\n  {\"a\": \"1.000\", \"b\": \"1.234.567\"}\n]\n"},
		"points of a column":    {"a.csv", []byte("a;b\n1.000;2,5\n0.750;3\n"), map[string]any{"to": "json"}, "[\n  {\"a\": 1.000, \"b\": \"2,5\"},\n  {\"a\": 0.750, \"b\": 3}\n]\n"},
		"points between commas": {"a.csv", []byte("a,b\n1.000,\"1,000\"\n"), map[string]any{"to": "json"}, "[\n  {\"a\": 1.000, \"b\": \"1,000\"}\n]\n"},
		"points of JSON":        {"a.json", []byte(`[{"a":1.000,"b":"2,5"}]`), map[string]any{"to": "json"}, "[\n  {\"a\": 1.000, \"b\": \"2,5\"}\n]\n"},
		"one empty cell":        {"a.csv", []byte("a\n\"\"\n1\n"), map[string]any{"to": "csv"}, "a\n\"\"\n1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, r := newBench(t).table("table.convert", tt.file, tt.data, tt.set)
			if got != tt.want || len(r.Problems) != 0 {
				t.Errorf("got %q, want %q (%v)", got, tt.want, r.Problems)
			}
		})
	}
}

// manyMembers are as many members of an object, each another.
func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"a%d":1`, i+1)
	}
	return b.String()
}

// Tables that fit one by one may not fit together.
func TestTableMergeBeyondBounds(t *testing.T) {
	b := newBench(t)
	long := b.file("long.csv", []byte(strings.Repeat("x\n", tools.MaxTableCells/10)))
	wide := b.file("wide.csv", []byte(strings.Repeat("x,", 9)+"x,y\n"))
	heads := func(name string) string {
		var h strings.Builder
		for i := range tools.MaxTableColumns {
			fmt.Fprintf(&h, "%s%d,", name, i)
		}
		return b.file(name+".csv", []byte(strings.TrimSuffix(h.String(), ",")+"\n"))
	}
	for name, in := range map[string][]string{"cells": {long, wide}, "columns": {heads("a"), heads("b")}} {
		out := filepath.Join(b.dir, name)
		r := b.run(t.Context(), wire.ToolParams{Op: "table.merge", In: in, Out: out, Params: map[string]any{"to": "csv", "header": name == "columns"}})
		if _, err := os.Stat(out); len(r.Problems) != 1 || r.Problems[0].Code != tools.InputTooLarge || !os.IsNotExist(err) {
			t.Errorf("%s: %v, %v", name, r.Problems, err)
		}
	}
}

func TestTableRefuses(t *testing.T) {
	var bomb bytes.Buffer
	w := zip.NewWriter(&bomb)
	for _, name := range []string{"[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"} {
		f, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: 4, UncompressedSize64: 500 << 20})
		if err == nil {
			_, err = f.Write([]byte("\x01\x00\x00\xFF"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		file string
		data []byte
		set  map[string]any
		code string
	}{
		"empty":              {"a.csv", nil, nil, tools.InputBroken},
		"a picture":          {"a.csv", jpegBytes(t), nil, tools.InputUnsupported},
		"old workbook":       {"a.xlsx", []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), nil, tools.InputUnsupported},
		"zip, no workbook":   {"a.xlsx", zipOf(t, packed{name: "a.txt", body: "x"}), nil, tools.InputUnsupported},
		"workbook, cut off":  {"a.xlsx", zipOf(t, packed{name: "a.txt", body: "x"})[:40], nil, tools.InputBroken},
		"JSON, cut off":      {"a.json", []byte(`[{"a":1},{"a"`), nil, tools.InputBroken},
		"JSON, no rows":      {"a.json", []byte(`[[1],2]`), nil, tools.InputBroken},
		"too many columns":   {"a.csv", []byte(strings.Repeat(",", tools.MaxTableColumns+1)), nil, tools.InputTooLarge},
		"too many rows":      {"a.csv", bytes.Repeat([]byte("x\n"), tools.MaxTableRows+1), nil, tools.InputTooLarge},
		"a row of a mile":    {"a.csv", []byte(strings.Repeat("x\n", tools.MaxTableCells/tools.MaxTableColumns+1) + strings.Repeat(",", tools.MaxTableColumns-1)), nil, tools.InputTooLarge},
		"a list of a mile":   {"a.json", []byte("[[0" + strings.Repeat(",0", tools.MaxTableColumns) + "]]"), nil, tools.InputTooLarge},
		"objects of a mile":  {"a.json", []byte("[{\"a0\":1" + manyMembers(tools.MaxTableColumns-1) + "}" + strings.Repeat(",{}", tools.MaxTableCells/tools.MaxTableColumns+1) + "]"), nil, tools.InputTooLarge},
		"workbook bomb":      {"a.xlsx", bomb.Bytes(), nil, tools.InputTooLarge},
		"no such sheet":      {"a.xlsx", nil, map[string]any{"sheet": "none"}, tools.InputUnsupported},
		"XML of the outside": {"a.xlsx", zipOf(t, packed{name: "xl/workbook.xml", body: `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><workbook>&e;</workbook>`}), nil, tools.InputBroken},
		"text beyond a cell": {"a.csv", []byte("a\n" + strings.Repeat("x", 32_767+1) + "\n"), map[string]any{"to": "xlsx"}, tools.InputUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if tt.set["sheet"] != nil {
				var book bytes.Buffer
				if err := excelize.NewFile().Write(&book); err != nil {
					t.Fatal(err)
				}
				tt.data = book.Bytes()
			}
			set := map[string]any{"to": "csv"}
			for k, v := range tt.set {
				set[k] = v
			}
			made, r := b.table("table.convert", tt.file, tt.data, set)
			if made != "" || len(r.Problems) != 1 || r.Problems[0].Code != tt.code || strings.Contains(r.Problems[0].Detail, "root:") {
				t.Errorf("made %.60q, problems %v, want %s", made, r.Problems, tt.code)
			}
		})
	}
}

func TestTableWorkbook(t *testing.T) {
	csv := []byte("Name,Sum,Formula\nÄnna,12.5,=1+1\nBob,007,x\n")
	b := newBench(t)
	first, r := b.table("table.convert", "a.csv", csv, map[string]any{"to": "xlsx"})
	again, _ := newBench(t).table("table.convert", "b.csv", csv, map[string]any{"to": "xlsx"})
	if len(r.Out) != 1 || first != again {
		t.Fatal("the same table gives other bytes", r.Problems)
	}
	book, err := excelize.OpenReader(strings.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if f, err := book.GetCellFormula("Sheet1", "C2"); err != nil || f != "" {
		t.Errorf("a text became the formula %q, %v", f, err)
	}
	if kind, err := book.GetCellType("Sheet1", "B2"); err != nil || kind != excelize.CellTypeUnset && kind != excelize.CellTypeNumber {
		t.Errorf("a number became %v, %v", kind, err)
	}
	back, r := newBench(t).table("table.convert", "a.xlsx", []byte(first), map[string]any{"to": "csv", "safe": false})
	if back != string(csv) {
		t.Errorf("%q, %v", back, r.Problems)
	}
}

const utf8Mark = "\uFEFF"

func TestTableClean(t *testing.T) {
	dirty := []byte(" Name ;Sum; ;Note\n Anna\u00a0 B ;7;;\n;;;\nAnna B;7;;\nBob;8;;x  y\n")
	for name, tt := range map[string]struct {
		set  map[string]any
		want string
	}{
		"all":     {map[string]any{"to": "csv"}, "Name;Sum;Note\nAnna B;7;\nBob;8;x y\n"},
		"columns": {map[string]any{"to": "csv", "columns": []any{"note", "Name"}}, "Note;Name\n;Anna B\nx y;Bob\n"},
		"nothing": {map[string]any{"to": "csv", "trim": false, "dropEmpty": false, "duplicates": false}, "Name;Sum;column 3;Note\n\" Anna\u00a0 B \";7;;\n;;;\nAnna B;7;;\nBob;8;;x  y\n"},
	} {
		if got, r := newBench(t).table("table.clean", "a.csv", dirty, tt.set); got != tt.want {
			t.Errorf("%s: %q, want %q (%v)", name, got, tt.want, r.Problems)
		}
	}
	if got, r := newBench(t).table("table.clean", "a.csv", []byte("Id,ID\n1,2\n"), map[string]any{"to": "csv", "columns": []any{"ID"}}); got != "ID\n2\n" {
		t.Errorf("by case: %q, %v", got, r.Problems)
	}
	if _, r := newBench(t).table("table.clean", "a.csv", dirty, map[string]any{"to": "csv", "columns": []any{"none"}}); len(r.Problems) != 1 || r.Problems[0].Code != tools.InputUnsupported {
		t.Errorf("a column that is not there: %v", r.Problems)
	}
}

// A copy of a table can be read by the programs that read the table: they may take no other
// delimiter, and nothing for UTF-8 that does not say so.
func TestTableKeepsItsManner(t *testing.T) {
	for in, want := range map[string]string{
		"a;b\n1;ü\n": "a;b\n1;ü\n", utf8Mark + "a;b\n1;ü\n": utf8Mark + "a;b\n1;ü\n", "a;b\n1;\xfc\n": utf8Mark + "a;b\n1;ü\n",
		utf8Mark + "a,b\n1,2\n": utf8Mark + "a,b\n1,2\n", "a|b\n1|2\n": "a|b\n1|2\n", "a\tb\n1\t2\n": "a,b\n1,2\n", `[{"a":1,"b":2}]`: "a,b\n1,2\n",
	} {
		for _, op := range []string{"table.clean", "table.merge"} {
			if got, r := newBench(t).table(op, "a.csv", []byte(in), map[string]any{"to": "csv"}); got != want {
				t.Errorf("%s of %q: %q, %v", op, in, got, r.Problems)
			}
		}
		if got, r := newBench(t).table("table.convert", "a.csv", []byte(in), map[string]any{"to": "csv"}); strings.ContainsAny(got, ";|") || strings.HasPrefix(got, utf8Mark) {
			t.Errorf("convert of %q: %q, %v", in, got, r.Problems)
		}
	}
}

func TestTableMergeAndRead(t *testing.T) {
	b := newBench(t)
	in := []string{
		b.file("a.csv", []byte("Name;Sum\nAnna;1\n;\n")), b.file("b.json", []byte(`[{"sum":2,"City":"Köln"}]`)), b.file("bad.csv", jpegBytes(t)),
	}
	out := filepath.Join(b.dir, "all.csv")
	r := b.run(t.Context(), wire.ToolParams{Op: "table.merge", In: in, Out: out, Params: map[string]any{"to": "csv", "source": "File"}})
	made, err := os.ReadFile(out)
	if err != nil || string(made) != "Name;Sum;File;City\nAnna;1;a.csv;\n;2;b.json;Köln\n" {
		t.Errorf("%q, %v", made, err)
	}
	wantProblems(t, r, map[string]string{"bad.csv": tools.InputUnsupported})

	r = b.run(t.Context(), wire.ToolParams{Op: "table.read", In: []string{b.file("k.csv", []byte("n,d,t,e\n\"1.234,50\",2024-01-02,x,\n7 €,31.12.2024,1,\n"))}})
	info, ok := r.Info[0].(tools.TableInfo)
	if !ok || info.Rows != 2 || info.Delimiter != "comma" || info.Encoding != "utf-8" {
		t.Fatalf("%+v, %v", r.Info, r.Problems)
	}
	kinds, err := json.Marshal(info.Columns)
	if want := `[{"name":"n","kind":"number","empty":0},{"name":"d","kind":"date","empty":0},{"name":"t","kind":"text","empty":0},{"name":"e","kind":"empty","empty":2}]`; err != nil || string(kinds) != want {
		t.Errorf("%s", kinds)
	}
}

// No column of a person is lost: neither to the one with the names of the files, nor to one
// whose name differs in its case only.
func TestTableMergeKeepsColumns(t *testing.T) {
	b := newBench(t)
	for name, tt := range map[string]struct{ first, second, want string }{
		"in the first":  {"Datei,a\nx,1\n", "a\n2\n", "Datei,a,Datei (2)\nx,1,1.csv\n,2,2.csv\n"},
		"in a later":    {"a\n1\n", "DATEI;a;datei (2)\nx;2;y\n", "a,Datei (3),DATEI,datei (2)\n1,1.csv,,\n2,2.csv,x,y\n"},
		"of other case": {"ID,Id,a\n1,2,3\n", "id;a\n4;5\n", "ID,Id,a,Datei\n1,2,3,1.csv\n4,,5,2.csv\n"},
		"of both":       {"ID,Id\n1,2\n", "id;iD;ID\n3;4;5\n", "ID,Id,Datei,iD\n1,2,1.csv,\n5,3,2.csv,4\n"},
		"crosswise":     {"Name,name\n1,2\n", "name;Name\n3;4\n", "Name,name,Datei\n1,2,1.csv\n4,3,2.csv\n"},
		"one the other": {"name\n1\n", "Name;name\n3;4\n", "name,Datei,Name\n1,1.csv,\n4,2.csv,3\n"},
	} {
		in := []string{b.file("1.csv", []byte(tt.first)), b.file("2.csv", []byte(tt.second))}
		out := filepath.Join(t.TempDir(), "all.csv")
		r := b.run(t.Context(), wire.ToolParams{Op: "table.merge", In: in, Out: out, Params: map[string]any{"to": "csv", "source": "Datei"}})
		if made, err := os.ReadFile(out); err != nil || string(made) != tt.want {
			t.Errorf("%s: %q, %v, %v", name, made, err, r.Problems)
		}
	}
}

// A file of each kind is refused by name, by each operation.
func TestTableOfOneRow(t *testing.T) {
	const long = tools.MaxTableRecord + 2<<20
	sheet := "<worksheet><sheetData><row><c t=\"inlineStr\"><is><t>" + strings.Repeat("x", long) + "</t></is></c></row></sheetData></worksheet>"
	for _, row := range []struct {
		op, name, text string
		params         map[string]any
	}{
		{"table.read", "a.csv", "a,\"" + strings.Repeat("x,\n", long/3), nil},
		{"table.clean", "b.tsv", "a\tb\n" + strings.Repeat("\t", long), map[string]any{"to": "csv"}},
		{"table.merge", "c.json", `[{"a":"` + strings.Repeat("x", long) + `"}]`, map[string]any{"to": "xlsx"}},
		{"table.convert", "d.xlsx", string(zipOf(t, packed{name: "xl/workbook.xml", body: "<workbook/>"}, packed{name: "xl/worksheets/sheet1.xml", body: sheet})), map[string]any{"to": "json"}},
	} {
		b := newBench(t)
		p := wire.ToolParams{Op: row.op, In: []string{b.file(row.name, []byte(row.text))}, Params: row.params}
		if row.params != nil {
			p.Out = filepath.Join(b.dir, "out")
		}
		wantProblems(t, b.run(t.Context(), p), map[string]string{row.name: tools.InputTooLarge})
	}
}
