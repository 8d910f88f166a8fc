package operate

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// workbook makes one.
func workbook(t *testing.T, make func(*excelize.File) error) []byte {
	t.Helper()
	book := excelize.NewFile()
	if err := make(book); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// workbookOf is a workbook with XML as the rows of its only sheet, in a part of any name.
func workbookOf(t *testing.T, sheet string) []byte {
	t.Helper()
	const doc = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	relations := func(kind, target string) string {
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="` + doc + "/" + kind + `" Target="` + target + `"/></Relationships>`
	}
	return zipOf(t,
		packed{name: "[Content_Types].xml", body: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`},
		packed{name: "_rels/.rels", body: relations("officeDocument", "xl/workbook.xml")},
		packed{name: "xl/_rels/workbook.xml.rels", body: relations("worksheet", "/xl/worksheets/one.xml")},
		packed{name: "xl/workbook.xml", body: `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + doc + `"><sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>`},
		packed{name: "xl/worksheets/one.xml", body: sheet},
	)
}

// A sheet of which the end cannot be read is no shorter sheet.
func TestTableSheetCutOff(t *testing.T) {
	text := func(s string) string { return `<row><c t="inlineStr"><is><t>` + s + `</t></is></c></row>` }
	whole := "<worksheet><sheetData>" + text("a") + text("b") + text("c") + "</sheetData>"
	for name, tt := range map[string]struct {
		sheet string
		want  string // "" is damaged
	}{
		"whole":                    {whole + "</worksheet>", "a\nb\nc\n"},
		"broken behind the rows":   {whole + "\x1F", "a\nb\nc\n"},
		"in an old encoding":       {`<?xml version="1.0" encoding="windows-1252"?><worksheet><sheetData>` + text("K\xF6ln") + "</sheetData></worksheet>", "Köln\n"},
		"a control character":      {strings.Replace(whole, ">b<", ">b\x1F<", 1) + "</worksheet>", ""},
		"one as a number":          {strings.Replace(whole, ">b<", ">b&#x1F;<", 1) + "</worksheet>", ""},
		"a word that is none":      {strings.Replace(whole, ">b<", ">b&nbsp;<", 1) + "</worksheet>", ""},
		"one in the first row":     {strings.Replace(whole, ">a<", ">\x1F<", 1) + "</worksheet>", ""},
		"cut off between the rows": {whole[:strings.LastIndex(whole, "<row>")], ""},
		"cut off within a row":     {whole[:strings.LastIndex(whole, "c<")], ""},
		"ends crosswise":           {strings.Replace(whole, "</is></c>", "</c></is>", 1) + "</worksheet>", ""},
		"nothing":                  {"", ""},
	} {
		got, r := newBench(t).table("table.convert", "a.xlsx", workbookOf(t, tt.sheet), map[string]any{"to": "csv"})
		if damaged := len(r.Problems) == 1 && r.Problems[0].Code == tools.InputBroken; got != tt.want || damaged != (tt.want == "") {
			t.Errorf("%s: %q, %v", name, got, r.Problems)
		}
	}
}

// A formula that no program has calculated has no value that a table could have: its cell is
// not empty. openpyxl, PhpSpreadsheet and excelize write each kind of these.
func TestTableFormulasWithoutResults(t *testing.T) {
	for cell, want := range map[string]string{
		`<c><f>B2*C2</f><v>7</v></c>`:                 "a,b\n1,7\n",
		`<c t="str"><f>T(B2)</f><v></v></c>`:          "a\n1\n",
		`<c t="str"><f>T(B2)</f><v/></c>`:             "a\n1\n",
		`<c/>`:                                        "a\n1\n",
		`<c r="B2"><f>B2*C2</f><v></v></c>`:           "",
		`<c r="B2"><f>B2*C2</f><v/></c>`:              "",
		`<c r="B2"><f>B2*C2</f></c>`:                  "",
		`<c r="B2" t="str"><f>B2*C2</f></c>`:          "",
		`<c r="B2"><f t="shared" si="0"/><v></v></c>`: "",
	} {
		name := func(s string) string { return `<c t="inlineStr"><is><t>` + s + `</t></is></c>` }
		sheet := "<worksheet><sheetData><row>" + name("a") + name("b") + "</row><row><c><v>1</v></c>" + cell + "</row></sheetData></worksheet>"
		got, r := newBench(t).table("table.clean", "a.xlsx", workbookOf(t, sheet), map[string]any{"to": "csv"})
		if got != want {
			t.Errorf("%s: %q, want %q", cell, got, want)
		}
		if refused := len(r.Problems) == 1 && r.Problems[0].Code == tools.InputUnsupported && strings.Contains(r.Problems[0].Detail, "cell B2"); refused != (want == "") {
			t.Errorf("%s: %v", cell, r.Problems)
		}
	}
	only := "<worksheet><sheetData><row><c r=\"A1\"><f>1+1</f></c></row></sheetData></worksheet>"
	if _, r := newBench(t).table("table.clean", "a.xlsx", workbookOf(t, only), map[string]any{"to": "csv"}); len(r.Problems) != 1 {
		t.Errorf("a sheet of formulas alone: %v", r.Problems)
	}
}

// A date is one by the format of its cell, and every other number is as it is, however it
// is shown.
func TestTableNumbersOfWorkbook(t *testing.T) {
	date1904 := true
	for _, tt := range []struct {
		value  any
		format any // a code, or the number of one that is built in
		want   string
		book   *excelize.WorkbookPropsOptions
	}{
		{value: 45443, format: 14, want: "2024-05-31"},
		{value: 45443, format: 30, want: "2024-05-31"},
		{value: 45443, format: "dd.mm.yyyy", want: "2024-05-31"},
		{value: 45443, format: "[$-407]dd.mm.yyyy", want: "2024-05-31"},
		{value: 45443, format: `[$-407]d/\ mmmm\ yyyy;@`, want: "2024-05-31"},
		{value: 45443, format: "d. mmmm yyyy", want: "2024-05-31"},
		{value: 45443, format: "mmm yy", want: "2024-05-31"},
		{value: 45443, format: `[=0]"";TT.MM.JJJJ`, want: "2024-05-31"},
		{value: 45443, format: `ddd "d. h"`, want: "2024-05-31"},
		{value: 45443.75, format: "dd.mm.yyyy", want: "2024-05-31 18:00:00"},
		{value: 45443, format: 22, want: "2024-05-31 00:00:00"},
		{value: 45443.75, format: "dd.mm.yyyy hh:mm", want: "2024-05-31 18:00:00"},
		{value: 45443.75, format: "h:mm", want: "2024-05-31 18:00:00"},
		{value: 45443.7500001, format: "d.m.yy h:mm:ss.000", want: "2024-05-31 18:00:00.009"},
		{value: 43981, format: "dd.mm.yyyy", want: "2024-05-31", book: &excelize.WorkbookPropsOptions{Date1904: &date1904}},
		{value: 1.5, format: "[h]:mm", want: "36:00:00", book: &excelize.WorkbookPropsOptions{Date1904: &date1904}},
		{value: 1.5, format: "[h]:mm", want: "36:00:00"},
		{value: 1.5, format: 46, want: "36:00:00"},
		{value: 1.5, format: "[mm]:ss", want: "36:00:00"},
		{value: 0.25, format: "h:mm AM/PM", want: "06:00:00"},
		{value: 1.25, format: "hh:mm", want: "30:00:00"},
		{value: 0.5, format: "dd.mm.yyyy hh:mm", want: "12:00:00"},
		{value: 0.00130208333333333, format: 47, want: "00:01:52.5"},
		{value: 0, format: "dd.mm.yyyy", want: "0"},
		{value: 3e6, format: "dd.mm.yyyy", want: "3000000"},
		{value: -3.5, format: "dd.mm.yyyy", want: "-3.5"},
		{value: "soon", format: "dd.mm.yyyy", want: "soon"},
		{value: "45443", format: "dd.mm.yyyy", want: "45443"},
		{value: "day:1", format: "dd.mm.yyyy", want: "day:1"},

		{value: -1234.567, format: "#,##0", want: "-1234.567"},
		{value: -1234.567, format: 38, want: "-1234.567"},
		{value: -12.5, format: `#,##0.00 "€"`, want: "-12.5"},
		{value: -12.5, format: `_-* #,##0.00\ [$€-407]_-;\-* #,##0.00\ [$€-407]_-;_-* "-"??\ [$€-407]_-;_-@_-`, want: "-12.5"},
		{value: -0.195, format: "0%", want: "-0.195"},
		{value: 0.5, format: `0.0 "days"`, want: "0.5"},
		{value: 0.5, format: `0.0\d`, want: "0.5"},
		{value: 0.5, format: "# ?/?", want: "0.5"},
		{value: 12345.678, format: "0.00E+00", want: "12345.678"},
		{value: 0.5, format: `General" h"`, want: "0.5"},
		{value: 45443, format: `[Red]General`, want: "45443"},
		{value: 19.989999999999998, format: "0.00", want: "19.99"},
		{value: 19.989999999999998, want: "19.99"},
		{value: 0.000012345678, want: "0.000012345678"},
		{value: 4111111111111111.0, format: "0", want: "4111111111111111"},
		{value: 4111111111111111.0, want: "4111111111111111"},
		{value: "4111 1111 1111 1111 ", format: "0", want: "4111 1111 1111 1111 "},
		{value: "DE02120300000000202051", want: "DE02120300000000202051"},
		{value: 1067, format: "00000", want: "01067"},
		{value: 1067, format: "[<=99999]00000;00000-0000", want: "01067"},
		{value: 1067.5, format: "00000", want: "1067.5"},
		{value: -5, format: "000", want: "-5"},
		{value: 12345678, format: `000\-00\-0000`, want: "012-34-5678"},
		{value: "01067", want: "01067"},
		{value: true, want: "TRUE"},
		{value: false, format: "dd.mm.yyyy", want: "FALSE"},
	} {
		data := workbook(t, func(book *excelize.File) error {
			if tt.book != nil {
				if err := book.SetWorkbookProps(tt.book); err != nil {
					return err
				}
			}
			if err := book.SetCellValue("Sheet1", "A1", tt.value); err != nil || tt.format == nil {
				return err
			}
			style := excelize.Style{}
			switch f := tt.format.(type) {
			case int:
				style.NumFmt = f
			case string:
				style.CustomNumFmt = &f
			}
			id, err := book.NewStyle(&style)
			if err == nil {
				err = book.SetCellStyle("Sheet1", "A1", "A1", id)
			}
			return err
		})
		got, r := newBench(t).table("table.convert", "a.xlsx", data, map[string]any{"to": "tsv", "header": false})
		if got = strings.TrimSuffix(got, "\n"); got != tt.want {
			t.Errorf("%v as %v: %q, want %q (%v)", tt.value, tt.format, got, tt.want, r.Problems)
		}
	}
}

// A day or time in ISO form becomes one in a workbook, and is the same when it is read.
func TestTableDatesIntoWorkbook(t *testing.T) {
	const csv = "d\n2024-05-31\n2024-05-31 18:00:07\n2024-05-31 18:00:07.25\n08:30:00\n136:00:59\n1900-03-01\n"
	const texts = "1899-12-31\n2024-02-30\n2024-05-31T18:00:00\n24:60:00\n2024-05-31 08:00\n"
	book, r := newBench(t).table("table.convert", "a.csv", []byte(csv+texts), map[string]any{"to": "xlsx"})
	file, err := excelize.OpenReader(strings.NewReader(book))
	if err != nil {
		t.Fatal(err, r.Problems)
	}
	for row := 2; row < 13; row++ {
		at := fmt.Sprintf("A%d", row)
		kind, err := file.GetCellType("Sheet1", at)
		if date := kind == excelize.CellTypeUnset || kind == excelize.CellTypeNumber; date != (row < 8) || err != nil {
			t.Errorf("%s is %v, %v", at, kind, err)
		}
	}
	if back, r := newBench(t).table("table.convert", "a.xlsx", []byte(book), map[string]any{"to": "csv"}); back != csv+texts {
		t.Errorf("%q, %v", back, r.Problems)
	}
}

// Sheets that show nothing are passed over. What joins tables joins every other sheet.
func TestTableSheets(t *testing.T) {
	year := workbook(t, func(book *excelize.File) error {
		for _, name := range []string{"Notes", "January", "Empty", "February"} {
			if _, err := book.NewSheet(name); err != nil {
				return err
			}
		}
		for at, v := range map[string]any{"Notes!A1": "secret", "January!B3": "Day", "January!C3": "Sum", "January!B4": 1, "January!C4": -2.5, "February!A1": "Sum", "February!A2": 7} {
			sheet, cell, _ := strings.Cut(at, "!")
			if err := book.SetCellValue(sheet, cell, v); err != nil {
				return err
			}
		}
		book.SetActiveSheet(2)
		return book.SetSheetVisible("Notes", false)
	})
	b := newBench(t)
	in := []string{b.file("Year.xlsx", year), b.file("b.csv", []byte("Sum;Day\n8;9\n"))}
	r := b.run(t.Context(), wire.ToolParams{Op: "table.read", In: in})
	info, ok := r.Info[0].(tools.TableInfo)
	if !ok || !slices.Equal(info.Sheets, []string{"January", "February"}) || info.Rows != 1 || info.Columns[1].Name != "Day" {
		t.Errorf("%+v", r)
	}
	out := filepath.Join(b.dir, "all.csv")
	r = b.run(t.Context(), wire.ToolParams{Op: "table.merge", In: in, Out: out, Params: map[string]any{"to": "csv", "source": "File"}})
	made, err := os.ReadFile(out)
	if want := "column 1;Day;Sum;File\n;1;-2.5;Year.xlsx: January\n;;7;Year.xlsx: February\n;9;8;b.csv\n"; err != nil || string(made) != want || len(r.Info) != 2 {
		t.Errorf("%q, %v, %+v", made, err, r)
	}
	for sheet, want := range map[string]string{"": "Day,Sum\n1,-2.5\n", "February": "Sum\n7\n", "Notes": "secret\n", "Empty": ""} {
		if got, r := newBench(t).table("table.clean", "a.xlsx", year, map[string]any{"to": "csv", "sheet": sheet}); got != want {
			t.Errorf("%q: %q, want %q (%v)", sheet, got, want, r.Problems)
		}
	}
}

// A text that looks like a number is the name of something: version 1.10 is not 1.1.
func TestTableTextsOfWorkbook(t *testing.T) {
	data := workbook(t, func(book *excelize.File) error {
		for at, v := range map[string]any{
			"A1": "Version", "B1": "Note", "C1": "Sum", "A2": "1.10", "C2": 1.1, "A4": "1.1", "C4": 7, "A5": "1.1", "C5": 7, "A7": 1.1, "C7": "7.0",
		} {
			if err := book.SetCellValue("Sheet1", at, v); err != nil {
				return err
			}
		}
		return nil
	})
	rich := workbookOf(t, `<worksheet><sheetData><row><c t="inlineStr"><is><t>Version</t></is></c><c t="inlineStr"><is><t>Sum</t></is></c></row>`+
		`<row r="7"><c r="B7"><v>2</v></c></row><row><c t="str"><f>T(1)</f><v>2.0</v></c><c><v>2.50</v></c></row></sheetData></worksheet>`)
	files := map[string][]byte{
		"a.xlsx": data, "b.xlsx": rich, "a.json": []byte(`[{"Version":"3.0","Sum":3.0},{"Version":"3.5"}]`), "c.csv": []byte("Sum\n2.50\n"),
		"d.csv": []byte("Sum;Preis\n 1.000 ;2,50\n12.500;3,00\n"), "e.csv": []byte("Sum,Preis\n1.000,2.5\n"),
	}
	for name, tt := range map[string]struct {
		op     string
		in     []string
		params map[string]any
		want   string
	}{
		"cleaned":   {"table.clean", []string{"a.xlsx"}, nil, "Version,Sum|'1.10,1.1|'1.1,7|1.1,'7.0|"},
		"thousands": {"table.clean", []string{"d.csv"}, nil, "Sum,Preis|'1.000,'2,50|'12.500,'3,00|"},
		"of both":   {"table.merge", []string{"d.csv", "e.csv", "b.xlsx"}, nil, "Sum,Preis,Version| 1.000 ,'2,50|'12.500,'3,00|1,2.5|2|2.5,,'2.0|"},
		"picked":    {"table.clean", []string{"a.xlsx"}, map[string]any{"columns": []any{"Sum", "Version"}}, "Sum,Version|1.1,'1.10|7,'1.1|'7.0,1.1|"},
		"converted": {"table.convert", []string{"b.xlsx"}, nil, "Version,Sum||||||,2|'2.0,2.5|"},
		"joined":    {"table.merge", []string{"b.xlsx", "a.json", "c.csv"}, map[string]any{"source": "File"}, "Version,Sum,File|,2,b.xlsx|'2.0,2.5,b.xlsx|'3.0,3,a.json|3.5,,a.json|,2.5,c.csv|"},
	} {
		b := newBench(t)
		var in []string
		for _, name := range tt.in {
			in = append(in, b.file(name, files[name]))
		}
		params := map[string]any{"to": "xlsx"}
		maps.Copy(params, tt.params)
		out := filepath.Join(t.TempDir(), "out.xlsx")
		r := b.run(t.Context(), wire.ToolParams{Op: tt.op, In: in, Out: out, Params: params})
		if len(r.Out) != 1 {
			t.Errorf("%s: %v", name, r.Problems)
		} else if got := cellsOf(t, out); got != tt.want {
			t.Errorf("%s: %s, want %s (%v)", name, got, tt.want, r.Problems)
		}
	}
}

// cellsOf are the cells of a workbook, with an apostrophe before each text in which a digit is first.
func cellsOf(t *testing.T, file string) string {
	t.Helper()
	book, err := excelize.OpenFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	rows, err := book.GetRows("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for y, row := range rows {
		for x, s := range row {
			at, err := excelize.CoordinatesToCellName(x+1, y+1)
			if err != nil {
				t.Fatal(err)
			}
			kind, err := book.GetCellType("Sheet1", at)
			if err != nil {
				t.Fatal(err)
			}
			if kind == excelize.CellTypeInlineString && s != "" && s[0] >= '0' && s[0] <= '9' {
				s = "'" + s
			}
			if x > 0 {
				s = "," + s
			}
			out.WriteString(s)
		}
		out.WriteString("|")
	}
	return out.String()
}

// Numbers of a workbook stand in CSV as the numbers of CSV do, or nobody could add them up.
func TestTableMergeMatchesDecimals(t *testing.T) {
	book := workbookOf(t, `<worksheet><sheetData><row><c t="inlineStr"><is><t>Preis</t></is></c><c t="inlineStr"><is><t>kg</t></is></c><c t="inlineStr"><is><t>Nr</t></is></c></row>`+
		`<row><c><v>12.5</v></c><c><v>-0.25</v></c><c t="inlineStr"><is><t>1.5</t></is></c></row><row><c><v>7</v></c></row></sheetData></worksheet>`)
	for csv, want := range map[string]string{
		"Preis;Ort\n850,00;x\n":     "Preis;Ort;kg;Nr\n850,00;x;;\n12,5;;-0,25;1.5\n7;;;\n",
		"Preis;kg\n850,00;0.5\n":    "Preis;kg;Nr\n850,00;0.5;\n12,5;-0.25;1.5\n7;;\n",
		"Preis,Ort\n\"850,00\",x\n": "Preis,Ort,kg,Nr\n\"850,00\",x,,\n\"12,5\",,-0.25,1.5\n7,,,\n",
		"Preis;Ort\n850.00;x\n":     "Preis;Ort;kg;Nr\n850.00;x;;\n12.5;;-0.25;1.5\n7;;;\n",
		"Preis;Ort\n850;x\n":        "Preis;Ort;kg;Nr\n850;x;;\n12.5;;-0.25;1.5\n7;;;\n",
	} {
		b := newBench(t)
		in := []string{b.file("a.csv", []byte(csv)), b.file("b.xlsx", book)}
		out := filepath.Join(b.dir, "all.csv")
		r := b.run(t.Context(), wire.ToolParams{Op: "table.merge", In: in, Out: out, Params: map[string]any{"to": "csv"}})
		if made, err := os.ReadFile(out); err != nil || string(made) != want {
			t.Errorf("%q: %q, want %q (%v, %v)", csv, made, want, err, r.Problems)
		}
	}
}
