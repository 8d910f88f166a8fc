package receipt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Order says which of day and month comes first where both could: 03/04/2024.
type Order int

// Orders.
const (
	Guess      Order = iota // by the currency and the words of the document
	DayFirst                // as in Europe
	MonthFirst              // as in the United States
)

// date is a day in a line.
type date struct {
	day    time.Time
	at     int
	unsure bool // which of two numbers is the month
}

var months = map[string]time.Month{
	"jan": 1, "feb": 2, "mar": 3, "mrz": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}

const monthName = `(jan|feb|mar|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-z]{0,6}\.?`

var (
	yearFirst  = regexp.MustCompile(`(?:^|[^0-9])((?:19|20)[0-9]{2})[-./]([0-9]{1,2})[-./]([0-9]{1,2})(?:[^0-9]|$)`)
	dotted     = regexp.MustCompile(`(?:^|[^0-9.])([0-9]{1,2})\. ?([0-9]{1,2})\. ?((?:19|20)?[0-9]{2})(?:[^0-9]|$)`)
	slashed    = regexp.MustCompile(`(?:^|[^0-9/])([0-9]{1,2})[/-]([0-9]{1,2})[/-]((?:19|20)?[0-9]{2})(?:[^0-9]|$)`)
	dayMonth   = regexp.MustCompile(`(?:^|[^0-9])([0-9]{1,2})(?:st|nd|rd|th)?\.?[ -]*` + monthName + `,?[ -]*((?:19|20)[0-9]{2})(?:[^0-9]|$)`)
	monthDay   = regexp.MustCompile(`(?:^|[^a-z])` + monthName + ` +([0-9]{1,2})(?:st|nd|rd|th)?,? +((?:19|20)[0-9]{2})(?:[^0-9]|$)`)
	goodDate   = regexp.MustCompile(`rechnungsdatum|belegdatum|kaufdatum|rechnung vom|ausgestellt|invoice date|date of issue|date issued|issue date|issued|receipt date|date paid|purchase date|transaction date`)
	plainDate  = regexp.MustCompile(`\b(?:datum|date|dated|vom|bestelldatum|buchungsdatum)\b`)
	otherDates = regexp.MustCompile(`\bdue\b|due date|fallig|zahlbar|liefer|leistung|deliver|ship|valid|gultig|expir|\bgeb\b|birth|period|zeitraum|rueckgabe|ruckgabe|return by|bis zum|until|pay by|check-?in|check-?out`)
)

// dates finds the days in a line of small letters.
// certain says that the order is known, not guessed.
func dates(line string, order Order, certain bool) []date {
	var out []date
	add := func(at int, year, month, day string, unsure bool) {
		if d, ok := dayOf(year, month, day); ok {
			out = append(out, date{d, at, unsure})
		}
	}
	for _, m := range yearFirst.FindAllStringSubmatchIndex(line, -1) {
		add(m[2], line[m[2]:m[3]], line[m[4]:m[5]], line[m[6]:m[7]], false)
	}
	for _, m := range dotted.FindAllStringSubmatchIndex(line, -1) {
		add(m[2], line[m[6]:m[7]], line[m[4]:m[5]], line[m[2]:m[3]], false)
	}
	for _, m := range dayMonth.FindAllStringSubmatchIndex(line, -1) {
		add(m[2], line[m[6]:m[7]], line[m[4]:m[5]], line[m[2]:m[3]], false)
	}
	for _, m := range monthDay.FindAllStringSubmatchIndex(line, -1) {
		add(m[2], line[m[6]:m[7]], line[m[2]:m[3]], line[m[4]:m[5]], false)
	}
	for _, m := range slashed.FindAllStringSubmatchIndex(line, -1) {
		first, second, year := line[m[2]:m[3]], line[m[4]:m[5]], line[m[6]:m[7]]
		a, b := atoi(first), atoi(second)
		open := a <= 12 && b <= 12 && a != b
		if a > 12 || open && order == DayFirst {
			add(m[2], year, second, first, open && !certain)
		} else {
			add(m[2], year, first, second, open && !certain)
		}
	}
	return out
}

// orderOf finds the order of day and month that a document has: by a date that
// leaves no doubt, else by its currency.
func orderOf(lines []line, currency string) (order Order, certain bool) {
	for _, l := range lines {
		for _, m := range slashed.FindAllStringSubmatch(l.small, -1) {
			switch a, b := atoi(m[1]), atoi(m[2]); {
			case a > 12 && a <= 31 && b >= 1 && b <= 12:
				return DayFirst, true
			case b > 12 && b <= 31 && a >= 1 && a <= 12:
				return MonthFirst, true
			}
		}
	}
	if currency == "USD" {
		return MonthFirst, false
	}
	return DayFirst, false
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// dayOf makes a day of what stands in a text, when there is such a day.
func dayOf(year, month, day string) (time.Time, bool) {
	y, m, d := atoi(year), atoi(month), atoi(day)
	if y < 100 {
		y += 2000
	}
	if m == 0 && len(month) >= 3 {
		m = int(months[month[:3]])
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == d && int(t.Month()) == m && y >= 1990 && y < 2100
}

// pickDate is the day of a document: the best named, else the first.
func pickDate(lines []line, order Order, certain bool) (day string, quality float64) {
	best := 0.0
	var chosen date
	others := false
	for i, l := range lines {
		for _, d := range dates(l.small, order, certain) {
			q := dateQuality(lines, i, d)
			if q > 0 && best > 0 && !d.day.Equal(chosen.day) {
				others = others || q == best
			}
			if q > best {
				best, chosen, others = q, d, false
			}
		}
	}
	if best == 0 {
		return "", 0
	}
	if chosen.unsure {
		best = min(best, 0.5)
	}
	if others && best < 1 {
		best = min(best, 0.5)
	}
	return chosen.day.Format(time.DateOnly), best
}

// dateQuality says how well a day is named: by the words before it in its line,
// or by the heading above when it begins its line.
func dateQuality(lines []line, i int, d date) float64 {
	label := lines[i].small[:d.at]
	if cut := lastGap(label); cut >= 0 && strings.TrimSpace(label[cut:]) != "" {
		label = label[cut:] // of a second column
	}
	if !strings.ContainsFunc(label, isLetter) && i > 0 && len(amounts(lines[i].small)) == 0 {
		label += lines[i-1].small // a heading
	}
	switch {
	case otherDates.MatchString(label) && !goodDate.MatchString(label):
		return 0.2
	case goodDate.MatchString(label):
		return 1
	case plainDate.MatchString(label):
		return 0.9
	}
	return 0.7
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' }

// lastGap is where the last column of a line begins, or -1.
func lastGap(s string) int {
	s = strings.TrimRight(s, " ")
	i := strings.LastIndex(s, "   ")
	if i < 0 {
		return -1
	}
	return i + 3
}

// ParseOrder returns the order of a name: "auto", "dmy" or "mdy".
func ParseOrder(name string) (Order, error) {
	switch name {
	case "auto":
		return Guess, nil
	case "dmy":
		return DayFirst, nil
	case "mdy":
		return MonthFirst, nil
	}
	return Guess, fmt.Errorf("%q is no order of day and month", name)
}
