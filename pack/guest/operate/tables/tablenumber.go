package tables

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// A workbook has a date as the number of its day, and only the format of the cell says
// so: 45443 with "dd.mm.yyyy" is 2024-05-31. Rows of a sheet tell no format, and asking
// for that of a cell puts the whole sheet into memory. So the formats are exchanged before
// anything is read, once for each style: a number is shown with a mark of what it is, as
// "day:31", or else as it is.

// What a number is by its format. Each is also the format that marks it.
const (
	isPlain   = ""
	isDay     = `"day:"d`
	isMoment  = `"moment:"d`  // a day with a time
	isClock   = `"clock:"d`   // a time
	isElapsed = `"elapsed:"d` // hours, also more than 24
	isPadded  = `"padded:"`   // with the format itself behind it: 01067 of 1067
)

// formatIDs are the numbers that the marking formats get. No other format has one below 0.
var formatIDs = map[string]int{isPlain: -1, isDay: -2, isMoment: -3, isClock: -4, isElapsed: -5}

// builtIn are the formats that a workbook does not write down: ISO/IEC 29500-1, 18.8.30.
// Which of the East Asian ones stands for what differs by language, and not whether it is
// a day or a time.
var builtIn = map[int]string{
	14: isDay, 15: isDay, 16: isDay, 17: isDay, 18: isClock, 19: isClock, 20: isClock, 21: isClock, 22: isMoment,
	27: isDay, 28: isDay, 29: isDay, 30: isDay, 31: isDay, 32: isClock, 33: isClock, 34: isClock, 35: isClock, 36: isDay,
	45: isClock, 46: isElapsed, 47: isClock,
	50: isDay, 51: isDay, 52: isDay, 53: isDay, 54: isDay, 55: isDay, 56: isDay, 57: isDay, 58: isDay,
}

// markFormats exchanges the formats of a workbook.
func markFormats(book *excelize.File) error {
	// There is no such style. Asking for it reads the styles and looks at none of them.
	_, _ = book.GetStyle(-1)
	styles := book.Styles
	if styles == nil || styles.CellXfs == nil {
		return nil
	}
	marks := map[int]int{}
	for id, is := range builtIn {
		marks[id] = formatIDs[is]
	}
	old := styles.NumFmts
	styles.NumFmts = nil
	var b strings.Builder
	b.WriteString("<numFmts>")
	for is, id := range formatIDs {
		if is != isPlain {
			fmt.Fprintf(&b, "<numFmt numFmtId='%d' formatCode='%s'/>", id, is)
		}
	}
	b.WriteString("</numFmts>")
	if err := xml.Unmarshal([]byte(b.String()), &styles.NumFmts); err != nil {
		return err
	}
	if old != nil {
		for _, f := range old.NumFmt {
			is := numberFormat(cmp.Or(f.FormatCode16, f.FormatCode))
			id, known := formatIDs[is]
			if !known { // padded
				id, f.FormatCode, f.FormatCode16 = f.NumFmtID, is, ""
				styles.NumFmts.NumFmt = append(styles.NumFmts.NumFmt, f)
			}
			marks[f.NumFmtID] = id
		}
	}
	for i, style := range styles.CellXfs.Xf {
		mark := formatIDs[isPlain]
		if style.NumFmtID != nil {
			mark = cmp.Or(marks[*style.NumFmtID], mark)
		}
		styles.CellXfs.Xf[i].NumFmtID = &mark
	}
	return nil
}

var (
	// unread is what says nothing of the number: "text", [Red], \d, and _x and *x, a width.
	unread = regexp.MustCompile(`"[^"]*"?|\[[^\]]*\]?|[\\_*].?`)
	// counted is the place of hours, minutes or seconds that do not end with a day.
	counted = regexp.MustCompile(`\[(h+|m+|s+)\]`)
	// padded is a number of fixed length, also in groups. With three places at most, or in
	// thousands, it is one to count with.
	thousands = regexp.MustCompile(`^0{1,3}( 000)+$`)
	padded    = regexp.MustCompile(`^0[-0 /()]*0[-0 /()]*0[-0 /()]*0$`)
)

// numberFormat says what a number with a format is.
func numberFormat(code string) string {
	first, _, _ := strings.Cut(code, ";")
	s := strings.ToLower(code)
	elapsed := counted.MatchString(s)
	s = strings.ReplaceAll(unread.ReplaceAllString(s, ""), "general", "")
	clock := strings.ContainsAny(s, "hs")
	switch {
	case strings.ContainsAny(s, "#?") || strings.Contains(s, "0") && !strings.Contains(s, "s"): // no date has these
		if places := unread.ReplaceAllString(first, ""); padded.MatchString(places) && !thousands.MatchString(places) {
			return isPadded + first
		}
		return isPlain
	case elapsed:
		return isElapsed
	case strings.ContainsAny(s, "dy") && clock:
		return isMoment
	case clock:
		return isClock
	case strings.ContainsAny(s, "dmy"):
		return isDay
	}
	return isPlain
}

// Days by their number.
const (
	firstDay = 61        // 1900-03-01: before it a workbook counts a February 29 that never was
	lastDay  = 2_958_465 // 9999-12-31
	fewDays  = 366       // as many of a time are hours, more a day of which the format shows the time
	msDay    = 24 * 60 * 60 * 1000
)

// epoch is day 0.
func epoch(since1904 bool) time.Time {
	if since1904 {
		return time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
}

// cellText is the text of a cell, of its value and what is shown of it: a date in ISO
// form, and any other number as it is, however few of its digits are shown.
func cellText(raw, shown string, since1904 bool) string {
	n, err := strconv.ParseFloat(raw, 64)
	if err != nil || raw == shown { // a text looks like nothing else
		return raw
	}
	mark, text, _ := strings.Cut(shown, ":")
	switch {
	case mark == "TRUE", mark == "FALSE":
		return mark
	case mark == "padded" && strings.Trim(raw, "0123456789") == "":
		return strings.TrimSpace(text)
	case mark != "day" && mark != "moment" && mark != "clock" && mark != "elapsed", n < 0, n > lastDay:
		return decimal(raw, n)
	}
	ms := int64(math.Round(n * msDay))
	at := epoch(since1904).AddDate(0, 0, int(ms/msDay)).Add(time.Duration(ms%msDay) * time.Millisecond)
	switch {
	case mark == "elapsed", mark == "clock" && n < fewDays, mark == "moment" && n < 1:
		return fmt.Sprintf("%02d:%s", ms/(60*60*1000), at.Format("04:05.999"))
	case n < firstDay && !since1904:
		return decimal(raw, n)
	case mark == "day" && ms%msDay == 0:
		return at.Format(time.DateOnly)
	}
	return at.Format(dateTime)
}

// dateTime is a day and a time as a table has them.
const dateTime = "2006-01-02 15:04:05.999"

// decimal writes a number with the 15 digits that a workbook counts with, so that
// 19.989999999999998 is 19.99. What is written in full stays so: 4111111111111111.
func decimal(raw string, n float64) string {
	if strings.Trim(strings.TrimPrefix(raw, "-"), "0123456789") == "" {
		return raw
	}
	n, err := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 15, 64), 64)
	if size := math.Abs(n); err != nil || size >= 1e21 || size < 1e-15 && n != 0 {
		return raw
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// number is how a number looks that a program would show in no other way, as it would 007
// or 1,000. For 1.000, see keepThousands.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]{1,30})?$`)

// numeric reports a text that becomes a number in XLSX and JSON. A whole number, or an amount, of
// more digits than a program counts with stays a text, so that none is lost: it is the number of
// something. Of a longer fraction the end is no more than how it was calculated.
func numeric(s string) bool {
	const digits = 15
	if !number.MatchString(s) {
		return false
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	return len(whole) <= digits && (len(whole)+len(fraction) <= digits || len(whole) < digits/2)
}

// dates writes days and times into a workbook, as cellText reads them.
type dates struct {
	book   *excelize.File
	styles map[int]int // by the number of their format; in the book once they are used
}

// Formats of them. Their look is that of the reader's country.
const (
	asDay    = 14
	asMoment = 22
	asClock  = 46
)

var clockText = regexp.MustCompile(`^([0-9]{2,4}):([0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,3})?)$`)

// cell is the cell of a text that is a day or a time in ISO form.
func (d dates) cell(s string) (cell excelize.Cell, is bool, err error) {
	n, format, is := serial(s)
	if !is {
		return cell, false, nil
	}
	style, known := d.styles[format]
	if !known {
		style, err = d.book.NewStyle(&excelize.Style{NumFmt: format})
		d.styles[format] = style
	}
	return excelize.Cell{StyleID: style, Value: n}, true, err
}

// serial is the number that a workbook has for a day or a time in ISO form.
func serial(s string) (n float64, format int, is bool) {
	if len(s) < len("00:00:00") || s[0] < '0' || s[0] > '9' {
		return 0, 0, false
	}
	if m := clockText.FindStringSubmatch(s); m != nil {
		hours, err := strconv.Atoi(m[1])
		past, perr := time.Parse("04:05.999", m[2])
		ms := hours*60*60*1000 + past.Minute()*60*1000 + past.Second()*1000 + past.Nanosecond()/1e6
		return float64(ms) / msDay, asClock, err == nil && perr == nil
	}
	format, layout := asDay, time.DateOnly
	if len(s) > len(layout) {
		format, layout = asMoment, dateTime
	}
	at, err := time.Parse(layout, s)
	n = float64(at.UnixMilli()-epoch(false).UnixMilli()) / msDay
	return n, format, err == nil && n >= firstDay && at.Format(layout) == s
}
