package receipt

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Amount is a sum of money in hundredths of its currency.
type Amount int64

// String is the amount with a point, as 1234.56 or -0.50.
func (a Amount) String() string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	return sign + strconv.FormatInt(int64(a)/100, 10) + "." + strconv.Itoa(int(a)/10%10) + strconv.Itoa(int(a)%10)
}

func (a Amount) abs() Amount { return max(a, -a) }

// found is an amount in a line.
type found struct {
	value    Amount
	currency string // beside it: ISO 4217, or ""
	at, end  int    // in its line, in bytes
}

// number is what may be an amount; what stands around it decides.
var number = regexp.MustCompile(`(?:[0-9]{1,3}(?:[.,'’\x{00A0}\x{202F}][0-9]{3})+|[0-9]+)(?:[.,][0-9]{2}|,-{1,2})?`)

// Currencies as they stand before or behind an amount, in small letters. A bare
// dollar is one of the United States, of which [Receipt.Unsure] says nothing.
var currencies = map[string]string{
	"€": "EUR", "eur": "EUR", "euro": "EUR", "$": "USD", "us$": "USD", "usd": "USD", "£": "GBP", "gbp": "GBP",
	"chf": "CHF", "sfr.": "CHF", "fr.": "CHF", "c$": "CAD", "ca$": "CAD", "cad": "CAD", "a$": "AUD", "au$": "AUD", "aud": "AUD",
	"¥": "JPY", "jpy": "JPY", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "zł": "PLN", "czk": "CZK", "kč": "CZK",
}

const anyCurrency = `€|eur(?:o)?|us\$|usd|ca?\$|cad|au?\$|aud|\$|£|gbp|chf|s?fr\.|¥|jpy|sek|nok|dkk|pln|zł|czk|kč`

var (
	currencyBefore = regexp.MustCompile(`(?:^|[^a-z])(` + anyCurrency + `)[ \x{00A0}]{0,3}[-+*]?$`)
	currencyAfter  = regexp.MustCompile(`^[ \x{00A0}]{0,3}(` + anyCurrency + `)(?:[^a-z]|$)`)
	// unit is what makes a quantity, a rate or a time of a number.
	unit = regexp.MustCompile(`^ ?(?:[%‰×°]|(?:kg|g|km|l|ml|m|m2|m3|kwh|std|stk|st|uhr|h|am|pm|x|pcs|mb|gb)(?:[^a-z0-9]|$))`)
	rate = regexp.MustCompile(`([0-9]{1,2})(?:[.,]([0-9]{1,3}))? ?%`)
)

// maxDigits bounds an amount: nothing on a receipt is a thousand millions.
const maxDigits = 11

// amounts finds the sums of money in a line of small letters: numbers with two
// decimals, and whole ones beside a currency.
func amounts(line string) []found {
	var out []found
	for _, m := range number.FindAllStringIndex(line, -1) {
		f, ok := amountAt(line, m[0], m[1])
		if ok {
			out = append(out, f)
		}
	}
	return out
}

func amountAt(line string, start, end int) (found, bool) {
	before, after := line[:start], line[end:]
	if joined(before, after) || unit.MatchString(after) {
		return found{}, false
	}
	f := found{at: start, end: end}
	if m := currencyAfter.FindStringSubmatch(after); m != nil {
		f.currency = currencies[m[1]]
	} else if m := currencyBefore.FindStringSubmatch(before); m != nil {
		f.currency = currencies[m[1]]
	}
	value, decimals, ok := parse(line[start:end])
	if !ok || !decimals && f.currency == "" {
		return found{}, false
	}
	if f.currency == "" && letterBefore(before) {
		return found{}, false
	}
	if negative(before, after) {
		value = -value
	}
	f.value = value
	return f, true
}

// joined reports whether a number is only a part of something: a date, an
// address, a number of more parts.
func joined(before, after string) bool {
	if n := len(before); n > 0 {
		last := before[n-1]
		if isDigit(last) || last == '#' || last == '_' || strings.IndexByte(".,:/-'", last) >= 0 && n > 1 && isDigit(before[n-2]) {
			return true
		}
	}
	return after != "" && (isDigit(after[0]) || after[0] == '_') ||
		len(after) > 1 && strings.IndexByte(".,:/-'", after[0]) >= 0 && isDigit(after[1])
}

// letterBefore reports a letter right before a number that is no multiplication
// sign.
func letterBefore(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return r >= 'a' && r <= 'z' && r != 'x' || r > 0x7F && r != '\u00A0' && r != '\u202F' && r != '€' && r != '×' && r != '–' && r != utf8.RuneError
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// negative reports a minus before an amount, even before its currency, or one
// behind it, as in accounts.
func negative(before, after string) bool {
	if strings.HasPrefix(after, "-") && !strings.HasPrefix(after, "--") && (len(after) == 1 || after[1] == ' ') {
		return true
	}
	before = strings.TrimRight(before, " ")
	if m := currencyBefore.FindStringSubmatchIndex(before); m != nil {
		if strings.HasSuffix(before, "-") {
			return true
		}
		before = strings.TrimRight(before[:m[2]], " ")
	}
	n := len(before)
	return strings.HasSuffix(before, "-") && (n == 1 || before[n-2] == ' ') || strings.HasSuffix(before, "–") || strings.HasSuffix(before, "−")
}

// parse reads a number as [number] matches it.
func parse(s string) (value Amount, decimals, ok bool) {
	if i := strings.Index(s, ",-"); i >= 0 {
		s, decimals = s[:i]+"00", true
	} else if n := len(s); n > 3 && (s[n-3] == '.' || s[n-3] == ',') {
		decimals = true
		// One sign for both is none: 1.234.56 is no amount.
		if strings.IndexByte(s[:n-3], s[n-3]) >= 0 {
			return 0, false, false
		}
	} else {
		s += "00"
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	if len(digits) > maxDigits {
		return 0, false, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return Amount(n), decimals, err == nil
}

// rates are the percentages in a line, in thousandths of a percent.
func rates(line string) []int {
	var out []int
	for _, m := range rate.FindAllStringSubmatch(line, -1) {
		whole, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		part, err := strconv.Atoi((m[2] + "000")[:3])
		if err != nil {
			continue
		}
		out = append(out, whole*1000+part)
	}
	return out
}
