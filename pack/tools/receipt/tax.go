package receipt

import (
	"regexp"
	"slices"
)

var (
	taxWords = regexp.MustCompile(`\b(?:mwst|mehrwertsteuer\w*|ust|umsatzsteuer\w*|steuer|steuerbetrag|vat|gst|hst|pst|tax|taxes|iva|tva|btw)\b`)
	// noTax are numbers of a tax office, and sums of a document that name a tax.
	noTax    = regexp.MustCompile(`\b(?:id|id-?nr|idnr|ident\w*|ust-?id\S*|ustid\S*|umsatzsteuer-?id\S*|steuer-?nr|steuernummer|vat ?(?:no|nr|reg|number|id|#)|tax ?(?:no|nr|id|number|invoice|receipt|point|#)|before tax|excl\w*|exkl\w*|ohne|kleinunternehmer|befreit|exempt|reverse)\b`)
	allTaxes = regexp.MustCompile(`\b(?:total (?:tax|vat|gst)|(?:tax|vat|gst) total|(?:summe|gesamt) (?:mwst|ust|steuer)|(?:mwst|ust|steuer)[- ]?(?:gesamt|summe)|gesamtsteuer|mwst gesamt)\b`)
)

// pickTax is the tax in a total: that of all rates, else the sum of the rates,
// each once.
func pickTax(lines []line, total Amount) (tax Amount, ok bool, quality float64) {
	byRate := map[int]Amount{}
	var seen []int
	all, hasAll := Amount(0), false
	exact := false
	for i, l := range lines {
		named := taxWords.MatchString(l.small) && !noTax.MatchString(l.small)
		percent := rates(l.small)
		if !named && (len(percent) != 1 || len(l.amounts) < 2) {
			continue
		}
		list := l.amounts
		if named && len(list) == 0 && i+1 < len(lines) && letters(lines[i+1].small) <= 4 && len(lines[i+1].amounts) == 1 && len(l.small) < 40 {
			list = lines[i+1].amounts
		}
		value, sure, found := taxOf(list, percent, total)
		if !found || !named && !sure {
			continue
		}
		if allTaxes.MatchString(l.small) && len(percent) == 0 {
			all, hasAll = value, true
			continue
		}
		r := -1
		if len(percent) > 0 {
			r = percent[0]
		}
		if _, twice := byRate[r]; !twice {
			byRate[r] = value
			seen = append(seen, r)
		}
		exact = exact || sure
	}
	if hasAll {
		return all, true, 0.9
	}
	if len(seen) > 1 { // a line without a rate repeats what the rates say
		seen = slices.DeleteFunc(seen, func(r int) bool { return r < 0 })
	}
	for _, r := range seen {
		tax += byRate[r]
	}
	switch {
	case len(seen) == 0:
		return 0, false, 0
	case total != 0 && tax.abs() >= total.abs():
		return 0, false, 0
	case exact || fits(tax, total, seen):
		return tax, true, 1
	case len(seen) > 2 || total != 0 && tax.abs()*3 > total.abs():
		return tax, true, 0.4
	}
	return tax, true, 0.8
}

// taxOf chooses the tax among the amounts of a line: the one that its rate makes
// of another there, or of the total; else the smallest.
func taxOf(list []found, percent []int, total Amount) (tax Amount, sure, ok bool) {
	if len(list) == 0 {
		return 0, false, false
	}
	if len(percent) == 1 {
		for _, t := range list {
			for _, base := range list {
				if t != base && t.value != 0 && near(t.value, base.value, percent[0]) {
					return t.value, true, true
				}
			}
		}
		for _, t := range list {
			if t.value != 0 && near(t.value, total, percent[0]) {
				return t.value, true, true
			}
		}
	}
	smallest := list[0].value
	for _, f := range list {
		if f.value.abs() < smallest.abs() {
			smallest = f.value
		}
	}
	return smallest, false, true
}

// near reports whether a tax is that of a rate (thousandths of a percent) on a
// base, or within one.
func near(tax, base Amount, rate int) bool {
	r, b, t := int64(rate), int64(base.abs()), int64(tax.abs())
	if r == 0 || b > 1<<40 {
		return false
	}
	added, within := b*r/100_000, b*r/(100_000+r)
	const off = 2 // hundredths, of rounding by line
	return t >= added-off && t <= added+off && t > 0 || t >= within-off && t <= within+off && t > 0
}

// fits reports whether a tax of one rate belongs to the total.
func fits(tax, total Amount, seen []int) bool {
	return len(seen) == 1 && seen[0] > 0 && near(tax, total, seen[0])
}
