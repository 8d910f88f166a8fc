package tables

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// A number shows the sign of its decimals, or it could be in thousands.
func TestDecimalSigns(t *testing.T) {
	for s, want := range map[string]string{
		"2,50": ",", "-0,125 €": ",", "1.234,5": ",", "1.234.567": ",", "1234,567": ",", "1.234,567": ",", "12,5 %": ",",
		"2.50": ".", "0.125": ".", "1,234.5": ".", "1,234,567": ".", "$1,234.567": ".",
		"": "", "7": "", "1.000": "", "-12,500": "", "31.12.2024": "", "1.5.2024": "", "3.": "", ".5": "", "1.23,456.7": "", "a,b": "", "1,a": "",
	} {
		if got := strings.Trim(string(decimalSign(s)), "\x00"); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// What is counted with stays a number, and the number of something keeps all of its signs.
func TestNumbersToCountWith(t *testing.T) {
	for text, want := range map[string]bool{
		"7": true, "-7.5": true, "0.30000000000000004": true, "48.208174333333335": true, "123456789012345": true,
		"1234567890123456": false, "1234567890.1234567890": false, "007": false, "1,5": false,
	} {
		if numeric(text) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
	for code, want := range map[string]bool{
		"00": false, "000": false, "0 000": false, "000 000": false, "0.00": false, "#,##0": false,
		"0000": true, "00000_)": true, "000 00": true, "000-00-0000": true,
	} {
		if strings.HasPrefix(numberFormat(code), isPadded) != want {
			t.Errorf("%s: %v", code, !want)
		}
	}
	for _, tt := range []struct {
		raw, shown, want string
		since1904        bool
	}{
		{"3.4512345678901234E-20", "3.45123456789012E-20", "3.4512345678901234E-20", false}, {"5", "padded:00005 ", "00005", false},
		{"30", "day:30", "1904-01-31", true}, {"30", "day:30", "30", false}, {"-2.5", "day:-2.5", "-2.5", false},
	} {
		if got := cellText(tt.raw, tt.shown, tt.since1904); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// A small workbook does not become large by empty cells: 16,384 of each row.
func TestKindsOfEmptyCells(t *testing.T) {
	book := excelize.NewFile()
	defer book.Close()
	style, err := book.NewStyle(&excelize.Style{NumFmt: 2})
	if err == nil {
		err = book.SetCellStyle("Sheet1", "XFD1", "XFD9", style)
	}
	if err == nil {
		err = book.SetCellValue("Sheet1", "B3", "1.10")
	}
	file := filepath.Join(t.TempDir(), "a.xlsx")
	if err == nil {
		err = book.SaveAs(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	tables, err := parseXLSX(t.Context(), file, t.TempDir(), "", false)
	if err != nil || len(tables) != 1 || kindOf(tables[0].rowKinds(2), 1) != textCell {
		t.Fatalf("%+v, %v", tables, err)
	}
	for row, kinds := range tables[0].kinds {
		if cap(kinds) > 16 {
			t.Errorf("row %d: %d kinds", row, cap(kinds))
		}
	}
}
