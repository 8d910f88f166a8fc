package receipt

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// document is a text as it comes out of a PDF or of a picture, and what is in
// it: date|seller|total|tax|currency|number.
type document struct {
	name   string
	text   string
	want   string
	least  float64 // confidence
	most   float64 // likewise; 0 is 1
	unsure string
}

func TestRead(t *testing.T) {
	if len(documents) < 30 {
		t.Fatalf("%d documents", len(documents))
	}
	for _, d := range documents {
		t.Run(d.name, func(t *testing.T) {
			r := Read(d.text, Guess)
			got := strings.Join([]string{r.Date, r.Seller, r.Total, r.Tax, r.Currency, r.Number}, "|")
			if got != d.want {
				t.Errorf("got  %s\nwant %s", got, d.want)
			}
			d.most = cmp.Or(d.most, 1)
			if r.Confidence < d.least || r.Confidence > d.most {
				t.Errorf("confidence %v, want %v to %v", r.Confidence, d.least, d.most)
			}
			if got := strings.Join(r.Unsure, " "); got != d.unsure {
				t.Errorf("unsure of %q, want %q", got, d.unsure)
			}
		})
	}
}

func TestAmounts(t *testing.T) {
	for text, want := range map[string]string{
		"1.234,56 €": "[1234.56 EUR]", "$1,234.56": "[1234.56 USD]", "eur 12,00": "[12.00 EUR]", "12.50": "[12.50 ]", "1'234.50 chf": "[1234.50 CHF]",
		"1\u00a0234,56 eur": "[1234.56 EUR]", "12,- €": "[12.00 EUR]", "12,-- eur": "[12.00 EUR]", "€ 100": "[100.00 EUR]", "usd 1,500": "[1500.00 USD]", "-5,00": "[-5.00 ]",
		"- € 5,00": "[-5.00 EUR]", "€ -5,00": "[-5.00 EUR]", "5,00-": "[-5.00 ]", "3,99 a": "[3.99 ]", "2,50eur": "[2.50 EUR]", "c$ 9.99": "[9.99 CAD]", "0,5": "[]",
		"12.05.2024": "[]", "14.30 uhr": "[]", "19,00 %": "[]", "19,00%": "[]", "1,250 kg": "[]", "0,75 l": "[]", "2,00 x 1,50": "[1.50 ]", "192.168.10.20": "[]",
		"tel. 030/12.34.56": "[]", "1.234.56": "[]", "v2.50": "[]", "123456789012,50": "[]", "12:30": "[]", "2024": "[]", "eur 2024": "[2024.00 EUR]", "nr. 12-34,56": "[]",
		"*4,99*": "[4.99 ]", "a 19,00% 10,00 1,90 11,90": "[10.00  1.90  11.90 ]", "100,00 — 20,00": "[100.00  20.00 ]",
	} {
		out := []string{}
		for _, f := range amounts(text) {
			out = append(out, f.value.String()+" "+f.currency)
		}
		if got := "[" + strings.Join(out, " ") + "]"; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]string{
		"2024-03-05": "2024-03-05", "05.03.2024": "2024-03-05", "5.3.24": "2024-03-05", "5. marz 2024": "2024-03-05", "march 5, 2024": "2024-03-05", "5 mar 2024": "2024-03-05",
		"mar 5 2024": "2024-03-05", "03/05/2024": "2024-05-03?", "25/12/2024": "2024-12-25", "12/25/2024": "2024-12-25", "05/05/24": "2024-05-05", "31.02.2024": "", "29.02.2023": "",
		"29.02.2024": "2024-02-29", "2024/12/31": "2024-12-31", "1.2.3": "", "99.99.9999": "", "10.0.0.1": "", "05-mar-2024": "2024-03-05", "3rd of june": "", "12.05.1950": "", "1st may 2024": "2024-05-01",
	} {
		got := ""
		for _, d := range dates(text, DayFirst, false) {
			got += d.day.Format("2006-01-02") + map[bool]string{true: "?"}[d.unsure]
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if r := Read("Date: 03/04/2024\nTotal £5.00", MonthFirst); r.Date != "2024-03-04" || fmt.Sprint(r.Unsure) != "[seller]" {
		t.Errorf("a given order is not followed: %+v", r)
	}
}

func FuzzRead(f *testing.F) {
	for _, d := range documents {
		f.Add(d.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := Read(text, Guess)
		if r.Confidence < 0 || r.Confidence > 1 || len(r.Seller) > 100 || len(r.Number) > 50 || !utf8.ValidString(r.Seller+r.Number) || strings.ContainsAny(r.Seller+r.Number, "\n\r\x00") {
			t.Errorf("%+v", r)
		}
		if (r.Total == "") != (Read(text, Guess).Total == "") {
			t.Error("not the same twice")
		}
	})
}
