package delimiter

import (
	"fmt"
	"strings"
	"testing"
)

// numbers is a table of as many columns of German numbers.
func numbers(columns int) string {
	row := func(n int) string {
		cells := make([]string, columns)
		for c := range cells {
			if cells[c] = fmt.Sprintf("%d,%d", c, n); n == 0 {
				cells[c] = fmt.Sprintf("Wert %d", c)
			}
		}
		return strings.Join(cells, ";") + "\n"
	}
	var b strings.Builder
	for n := range 30 {
		b.WriteString(row(n))
	}
	return b.String()
}

func TestGuess(t *testing.T) {
	for columns := 2; columns <= 10; columns++ {
		text := numbers(columns)
		_, rows, _ := strings.Cut(text, "\n")
		for name, start := range map[string]string{"": text, " without a header": rows, " below a title": "Werte im Mai\n\n" + text, ", cut off": text[:len(text)-3]} {
			if got := Guess([]byte(start)); got != ';' {
				t.Errorf("%d columns of numbers%s: %q", columns, name, got)
			}
		}
	}
	for start, want := range map[string]rune{
		"": ',', "a\n": ',', "a\nb\n": ',',
		"Zeit;Wert\n" + strings.Repeat("0,5;0,25\n", 19): ';',
		"Länge, m;Breite, m\n0,5;0,25\n":                 ';',
		"Name;Ort, Land\nA;x\nB;y, z\n":                  ';',
		"Name;Note\nA;1\nB;2;x\nC;3\n":                   ';',
		"Umsätze, Mai 2024\nDatum;Text;Betrag\n1.5.;Miete;-850,00\n2.5.;Lohn;2400,00\n3.5.;Strom;-75,50\n": ';',
		"Stand: 31.05.2024, 12:00\n\nName;Ort;Preis\nA;B;1,5\nC;D;2,5\n":                                   ';',
		"Kunden; Stand Mai\nName,Hobbys\nA,x;y\nB,x\nC,y;z\n":                                              ',',
		"# a|b\nid,c\n1,x|y\n2,x|y\n":                                                                      ',',
		"Zeit;Wert\n0,5;0,25\n1,5;1,25;x\n2,5;2,25\n":                                                      ';',
		"Item;Price\nPen;1,50 €\nInk;2,30 €\nTotal: 3,80 €\n":                                              ';',
		"Name;City\nSmith, John;Berlin\nDoe, Jane;Rome;x\nRoe, Al;Oslo\n":                                  ';',
		"Datum;Text;Betrag\n1.5.;Miete;-500,00 EUR\n2.5.;x;-1,00 EUR;\n3.5.;y;2,00 EUR\n":                  ';',
		"Datum;Text;Betrag;Notiz\n1.5.;a;1,00;n\n2.5.;b;2,00\n3.5.;c;3,00\n":                               ';',
		"Name;Price;Note\nA;1,50;\nB;2,50\nC;3,50;x\n":                                                     ';',
		"name,tags\nAnn,red;blue\nBob,red;green,x\nCy,red;blue\n":                                          ',',
		"name,url\nx,a|b\ny,c|d,\nz,e|f\n":                                                                 ',',
		"a,b,c\n1,2,3\n4,5,6\n":                                                                            ',',
		"name,tags\nA,x;y\nB,x;y\n":                                                                        ',',
		"name,tags,n\nA,\"x;y\nz\",1\nB,\"x;y\",2\n":                                                       ',',
		"a,b,c\n1,2\n4,5,6\n":                                                                              ',',
		"Title\na,b\n1,2\n":                                                                                ',',
		"a\tb,c\n1,5\t2\n":                                                                                 '\t',
		"a|b\n1|2,5\n":                                                                                     '|',
		"sep=,\na;b\n1;2\n":                                                                                ',',
		"\"SEP=|\"\r\na;b\n1;2\n":                                                                          '|',
		"sep=x\na;b\n1;2\n":                                                                                ';',
		"Datum;Betrag;Zweck\n1.5.;-1,5;\"a, b\"\n2.5.;2,5;c\n3.5.;-3,5;d, e":                               ';',
	} {
		if got := Guess([]byte(start)); got != want {
			t.Errorf("%q: %q, want %q", start, got, want)
		}
	}
}
