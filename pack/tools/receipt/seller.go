package receipt

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	sellerLabel = regexp.MustCompile(`(?i)^\s*(?:sold by|seller|from|vendor|merchant|supplier|issued by|verk[aä]ufer|anbieter|rechnungssteller)\s*:\s*(.+)$`)
	buyerLabel  = regexp.MustCompile(`\b(?:bill(?:ed)? to|sold to|ship(?:ped)? to|deliver to|invoice to|customer|client|kunde|kundin|rechnung an|rechnungsadresse|lieferadresse|rechnungsempfanger|empfanger|herrn?|frau)\b`)
	legalForm   = regexp.MustCompile(`(?:^|[ ,&])(?:G?mbH|AG|KG|OHG|GbR|UG|SE|KGaA|eG|e\. ?K\.|e\.K|e\. ?V\.|Inc|LLC|L\.L\.C|Ltd|Limited|Corp|Corporation|PLC|plc|LLP|B\.V|BV|S\.A|SARL|S\.r\.l|Sàrl|GmbH & Co|Company)(?:[ .,)]|$)`)
	noSeller    = regexp.MustCompile(`^(?:tax |vat |sales |cash )?(?:rechnung|invoice|receipt|quittung|kassenbon|kassenbeleg|beleg|bon|original|kopie|copy|duplikat|duplicate|seite|page|datum|date|kundenbeleg|handlerbeleg|willkommen|welcome|vielen dank|thank you|herzlich|order|bestellung|gutschrift|credit note|bewirtungsbeleg|tel|fax|phone|www|http|e-?mail|ust|steuer|vat|tax|tisch|table|server|bill|statement|amount|total|eur|usd|customer copy|merchant copy|your|ihre|ihr|paid|bezahlt|invoice number|nr|no)\b|\b(?:rechnung|invoice|receipt|quittung|kassenbon|ticket)$`)
	sellerCut   = regexp.MustCompile(` {3,}|\t| ?[·•|*] ?| [-–—] `)
	street      = regexp.MustCompile(`(?i)\b(?:[a-zäöüß-]*(?:str\.|straße|strasse|weg|platz|allee|gasse)|street|avenue|ave|road|rd|suite|floor|blvd)\b|^[0-9]{4,5} [A-ZÄÖÜ]`)
)

// pickSeller is who made the document: the one that it names, else a company
// near the top, else what stands on top.
func pickSeller(lines []line) (string, float64) {
	const top = 25 // lines
	for _, l := range lines[:min(len(lines), top)] {
		if m := sellerLabel.FindStringSubmatch(l.text); m != nil {
			if s := sellerName(m[1]); s != "" {
				return s, 1
			}
		}
	}
	first, quality := "", 0.0
	for _, l := range lines[:min(len(lines), top)] {
		if buyerLabel.MatchString(l.small) {
			break
		}
		for _, cell := range sellerCut.Split(l.text, 4) {
			s := sellerName(cell)
			if s == "" || noSeller.MatchString(fold(s)) {
				continue
			}
			if legalForm.MatchString(s) {
				return s, 0.95
			}
			if first == "" && !street.MatchString(s) && len(amounts(fold(s))) == 0 && len(dates(fold(s), DayFirst, true)) == 0 {
				first, quality = s, 0.75
			}
		}
		if len(l.amounts) > 0 && first != "" { // the list of what was bought begins
			break
		}
	}
	if first != "" {
		return first, quality
	}
	// In German letters the sender stands at the foot, too.
	for i := len(lines) - 1; i >= max(0, len(lines)-top); i-- {
		for _, cell := range sellerCut.Split(lines[i].text, 4) {
			if s := sellerName(cell); s != "" && legalForm.MatchString(s) {
				return s, 0.5
			}
		}
	}
	return "", 0
}

// sellerName trims a name, and refuses what is none.
func sellerName(s string) string {
	for _, cut := range []string{"   ", " · ", " | ", " • "} {
		s, _, _ = strings.Cut(s, cut)
	}
	s = strings.Trim(strings.Join(strings.Fields(s), " "), " *=_-–—.:,;#~+<>|\"'")
	if strings.HasSuffix(s, " e.K") || strings.HasSuffix(s, " e.V") || strings.HasSuffix(s, " Inc") || strings.HasSuffix(s, " Co") {
		s += "."
	}
	const most, least = 80, 3
	if i := strings.Index(s, ", "); i > 0 && street.MatchString(s[i:]) {
		s = s[:i]
	}
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	if n < least || n*2 < utf8.RuneCountInString(s) || len(s) > most {
		return ""
	}
	return s
}
