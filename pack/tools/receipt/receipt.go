package receipt

import (
	"math"
	"regexp"
	"strings"
	"unicode"
)

// Bounds of what is read.
const (
	MaxText  = 1 << 20 // bytes
	maxLines = 20_000
	maxLine  = 2000 // bytes; of a longer line only the beginning is read
)

// Receipt is what is known of a document. What is not known is empty.
type Receipt struct {
	Date     string // as 2006-01-02
	Seller   string
	Total    string // with a point and two decimals, as 1234.56
	Tax      string // likewise
	Currency string // ISO 4217
	Number   string // of the invoice

	// Confidence is how sure all of it is together, from 0 to 1 in hundredths.
	Confidence float64
	// Unsure names what a person should look at, in the order of the members,
	// each as its name in small letters.
	Unsure []string
}

// line is one of the document.
type line struct {
	text    string // as it is
	small   string // in small letters without umlauts
	amounts []found
}

// What each value counts for in the confidence of a document.
const (
	totalWeight    = 0.5
	dateWeight     = 0.2
	sellerWeight   = 0.15
	currencyWeight = 0.1
	taxWeight      = 0.05
	// sure is the quality below which a value is named in Unsure.
	sure = 0.7
)

// Read reads the text of one document.
func Read(text string, order Order) Receipt {
	lines := linesOf(text)
	var r Receipt
	unsure := func(name string, quality float64) {
		if quality < sure {
			r.Unsure = append(r.Unsure, name)
		}
	}
	total, totalQuality := pickTotal(lines)
	var currencyQuality, sellerQuality, dateQuality float64
	r.Currency, currencyQuality = pickCurrency(lines, total)
	certain := order != Guess
	if !certain {
		order, certain = orderOf(lines, r.Currency)
	}
	r.Date, dateQuality = pickDate(lines, order, certain)
	r.Seller, sellerQuality = pickSeller(lines)
	r.Number = pickNumber(lines)
	tax, taxed, taxQuality := pickTax(lines, total.value)
	if taxed {
		r.Tax = tax.String()
		if totalQuality > 0.5 && adds(lines, total.value, tax) {
			totalQuality = max(totalQuality, 0.95)
		}
	} else {
		taxQuality = sure // many have none
	}
	if totalQuality > 0 {
		r.Total = total.value.String()
	}
	unsure("date", dateQuality)
	unsure("seller", sellerQuality)
	unsure("total", totalQuality)
	unsure("tax", taxQuality)
	unsure("currency", currencyQuality)
	confidence := totalWeight*totalQuality + dateWeight*dateQuality + sellerWeight*sellerQuality +
		currencyWeight*currencyQuality + taxWeight*taxQuality
	if totalQuality == 0 {
		confidence = min(confidence, 0.2) // perhaps no receipt at all
	}
	r.Confidence = math.Round(confidence*100) / 100
	return r
}

// adds reports whether some amount and the tax make the total.
func adds(lines []line, total, tax Amount) bool {
	if tax == 0 {
		return false
	}
	for _, l := range lines {
		for _, f := range l.amounts {
			if f.value+tax == total && f.value != 0 {
				return true
			}
		}
	}
	return false
}

// pickCurrency is the one beside the total, else the most frequent one.
func pickCurrency(lines []line, total found) (string, float64) {
	if total.currency != "" {
		return total.currency, 1
	}
	count := map[string]int{}
	for _, l := range lines {
		for _, f := range l.amounts {
			if f.currency != "" {
				count[f.currency]++
			}
		}
	}
	if len(count) == 0 { // named anywhere, as above a column
		for _, l := range lines {
			for _, m := range namedCurrency.FindAllStringSubmatch(l.small, -1) {
				count[currencies[m[1]]]++
			}
		}
	}
	best, most := "", 0
	for c, n := range count {
		if n > most || n == most && c < best {
			best, most = c, n
		}
	}
	switch len(count) {
	case 0:
		return "", 0
	case 1:
		return best, 0.9
	}
	return best, 0.5
}

var namedCurrency = regexp.MustCompile(`(?:^|[^a-z])(€|eur|euro|us\$|usd|\$|£|gbp|chf|cad|aud|sek|nok|dkk|pln|czk)(?:[^a-z]|$)`)

var (
	numberLabel = regexp.MustCompile(`(?i)\b(?:rechnungs?[- ]?(?:nummer|nr|no)|rechnung nr|re[-.]?nr|beleg[- ]?(?:nummer|nr)|bon[- ]?(?:nummer|nr)|quittungs?[- ]?(?:nummer|nr)|gutschrift[- ]?(?:nr|nummer)|invoice[- ]?(?:number|num|no|nr|id)|invoice ?#|receipt[- ]?(?:number|no|nr|id)|receipt ?#|tax invoice ?(?:no|#)|bill ?(?:no|number|#)|trans(?:action)? ?(?:#|no)|order[- ]?(?:number|no)|order ?#|bestell[- ]?(?:nummer|nr))\b?[.:# ]*`)
	numberTitle = regexp.MustCompile(`(?i)^\s*(?:rechnung|invoice|quittung|receipt|gutschrift|credit note)(?: ?/ ?(?:invoice|receipt|rechnung))?(?: *nr\.?| *no\.?)?[:# ]+`)
	numberToken = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9/_.-]{0,38}[A-Za-z0-9]\b|^[0-9]\b`)
)

// pickNumber is the number that a document has.
func pickNumber(lines []line) string {
	for _, label := range []*regexp.Regexp{numberLabel, numberTitle} {
		for i, l := range lines {
			m := label.FindStringIndex(l.text)
			if m == nil {
				continue
			}
			if s := numberAt(l.text[m[1]:]); s != "" {
				return s
			}
			if label == numberLabel && i+1 < len(lines) {
				if s := below(l.text, lines[i+1].text, m[0]); s != "" {
					return s
				}
			}
		}
	}
	return ""
}

func isDigitRune(r rune) bool { return r >= '0' && r <= '9' }

// numberAt is the number with which a text begins, "" when it begins with none.
func numberAt(s string) string {
	s = strings.TrimLeft(s, " .:#")
	n := numberToken.FindString(s)
	if !strings.ContainsFunc(n, isDigitRune) || len(dates(fold(n), DayFirst, true)) > 0 {
		return ""
	}
	return n
}

// below is the number that stands under a heading, in its column.
func below(heading, next string, at int) string {
	column := 0
	if before := strings.TrimSpace(heading[:at]); before != "" {
		column = len(columnGap.Split(before, -1))
	}
	cells := columnGap.Split(strings.TrimSpace(next), -1)
	if column >= len(cells) {
		return ""
	}
	return numberAt(cells[column])
}

var columnGap = regexp.MustCompile(` {2,}`)

var spaced = regexp.MustCompile(`(?:^|\s)(\pL(?: \pL){3,})(?:\s|$)`)

// linesOf cuts a text into lines that are not empty.
func linesOf(text string) []line {
	text = strings.ToValidUTF8(text[:min(len(text), MaxText)], " ")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\f' || r == '\r':
			return '\n'
		case r == '\t':
			return '\t'
		case unicode.IsControl(r), r == '\u00AD', r == '\u200B', r == '\uFEFF':
			return -1
		case r == '\u2009' || r == '\u2007':
			return '\u00A0'
		}
		return r
	}, text)
	var out []line
	for s := range strings.SplitSeq(text, "\n") {
		if len(out) == maxLines {
			break
		}
		s = strings.TrimRight(strings.ReplaceAll(s, "\t", "    "), " ")
		if strings.TrimSpace(s) == "" {
			continue
		}
		if len(s) > maxLine {
			s = strings.ToValidUTF8(s[:maxLine], "")
		}
		if m := spaced.FindStringSubmatchIndex(s); m != nil { // S U M M E
			s = s[:m[2]] + strings.ReplaceAll(s[m[2]:m[3]], " ", "") + s[m[3]:]
		}
		small := fold(s)
		out = append(out, line{text: s, small: small, amounts: amounts(small)})
	}
	return out
}

var umlauts = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss", "é", "e", "è", "e")

// fold makes small letters without umlauts.
func fold(s string) string { return umlauts.Replace(strings.ToLower(s)) }
