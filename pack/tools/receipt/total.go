package receipt

import (
	"regexp"
	"strings"
)

// Words beside the sum of a document, without umlauts; the better class wins.
var totalClasses = []struct {
	words   *regexp.Regexp
	quality float64
}{
	{regexp.MustCompile(`\b(?:gesamtbetrag|rechnungsbetrag|rechnungssumme|endbetrag|endsumme|gesamtsumme|gesamtpreis|bruttobetrag|bruttosumme|gesamtbrutto|(?:summe|gesamt|total|betrag)[ -]*\(?brutto|grand total|invoice total|invoice amount|total amount|order total|receipt total|total price|total charged|amount charged)\b`), 1},
	{regexp.MustCompile(`\b(?:zu zahlen(?:der betrag)?|zahlbetrag|zahlungsbetrag|falliger betrag|zu uberweisen\w*|amount due|balance due|total due|amount payable|total payable|total to pay|payment due|amount paid|total paid)\b`), 0.95},
	{regexp.MustCompile(`\b(?:total|totale|summe|gesamt|betrag|brutto|sum|amount)\b`), 0.9},
	{regexp.MustCompile(`\b(?:kartenzahlung|girocard|ec-?cash|ec-?karte|kreditkarte|visa|mastercard|amex|debit|credit card|card payment|paypal|bezahlt|charged)\b`), 0.6},
}

var (
	// inclusive is what says of a sum that a tax is in it; without that, the line
	// is one of the tax.
	inclusive = regexp.MustCompile(`\b(?:inkl|incl|inc|including|inclusive(?: of)?|inklusive|einschl|einschliesslich|enthalt\w*|contains|includes)\b\.?[^0-9]{0,16}?(?:[0-9]{1,2}(?:[.,][0-9]{1,2})? ?%)?[^0-9]{0,6}?\b(?:mwst|ust|vat|gst|tax(?:es)?|mehrwertsteuer|umsatzsteuer|steuern?)\b\.?`)
	noTotal   = regexp.MustCompile(`sub ?-?total|\b(?:zwischensumme|netto\w*|net|excl\w*|exkl\w*|ohne|zzgl|before|vat|mwst|ust|gst|hst|pst|tax|taxes|steuer\w*|\w+steuer|saved|savings?|ersparnis|rabatt\w*|discount|points|punkte|gegeben|bar|ruckgeld|rueckgeld|wechselgeld|change|cash|tendered|skonto|versand\w*|shipping|gutschein|coupon|tip|trinkgeld|gratuity|anzahlung|deposit|pfand|ubertrag|previous|opening|limit)\b`)
	brutto    = regexp.MustCompile(`\b(?:brutto|gross)\b`)
	notAtAll  = regexp.MustCompile(`\b(?:gegeben|bar|ruckgeld|rueckgeld|wechselgeld|change|cash|tendered|limit|guthaben|kontostand|iban|bic|hrb|hra|amtsgericht|stammkapital)\b`)
)

// maxGuess is the largest sum that is taken without any word beside it.
const maxGuess = Amount(1_000_000_00)

// pickTotal is the sum of a document, and the currency beside it.
func pickTotal(lines []line) (total found, quality float64) {
	for _, class := range totalClasses {
		var chosen found
		ok, differ := false, false
		for i, l := range lines {
			for _, f := range classAmounts(lines, i, l, class.words) {
				if f.value == 0 && ok {
					continue // paid already
				}
				if ok && chosen.value != 0 && f.value != chosen.value {
					differ = true
				}
				if !ok || f.value.abs() > chosen.value.abs() {
					if f.currency == "" && f.value == chosen.value {
						f.currency = chosen.currency
					}
					chosen, ok = f, true
				} else if f.value == chosen.value && chosen.currency == "" {
					chosen.currency = f.currency
				}
			}
		}
		if ok && chosen.value != 0 {
			q := class.quality
			if differ {
				q -= 0.3
			}
			return chosen, q
		}
	}
	return largest(lines)
}

// classAmounts is the amount of a line with one of the words: the largest
// behind the word, or the only one in the line below.
func classAmounts(lines []line, i int, l line, words *regexp.Regexp) []found {
	text := inclusive.ReplaceAllStringFunc(l.small, func(s string) string { return strings.Repeat(" ", len(s)) })
	m := words.FindStringIndex(text)
	if m == nil {
		return nil
	}
	// What is said of another amount in the line is not said of this one.
	from, to := 0, len(text)
	for _, f := range l.amounts {
		if f.end <= m[0] {
			from = f.end
		} else if f.at >= m[1] {
			to = f.at
			break
		}
	}
	if noTotal.MatchString(text[from:to]) && !brutto.MatchString(text) {
		return nil
	}
	var best *found
	for _, f := range l.amounts {
		if f.at >= m[0] && (best == nil || f.value.abs() > best.value.abs()) {
			best = &f
		}
	}
	if best != nil {
		return []found{*best}
	}
	// Alone in its line, as it is read from a picture: the amount stands below.
	const few = 4 // words
	if len(strings.Fields(text)) > few || i+1 >= len(lines) || len(l.amounts) > 0 {
		return nil
	}
	if next := lines[i+1]; len(next.amounts) == 1 && letters(next.small) <= 4 {
		return []found{next.amounts[0]}
	}
	return nil
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if isLetter(r) {
			n++
		}
	}
	return n
}

// largest is the largest plausible amount, for want of a better one.
func largest(lines []line) (found, float64) {
	var best found
	ok := false
	for _, l := range lines {
		if notAtAll.MatchString(l.small) {
			continue
		}
		for _, f := range l.amounts {
			if f.value > 0 && f.value <= maxGuess && (!ok || f.value > best.value) {
				best, ok = f, true
			}
		}
	}
	if !ok {
		return found{}, 0
	}
	return best, 0.3
}
