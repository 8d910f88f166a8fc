package operate

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"

	"piwork/pack/guest/operate/job"
	"piwork/pack/guest/operate/tables"
	"piwork/pack/tools"
)

// reportWords are the words of a report, by language.
type reportWords struct {
	title, sum, kinds, parts, biggest, newest, oldest, empty string
	file, folder, kind, files, answerSize, changed, list     string
	decimal                                                  string
}

var reportLanguages = map[string]reportWords{
	"en": {
		title: "What is in the folder", sum: "%d files in %d folders, %s", kinds: "Kinds", parts: "Folders", biggest: "Biggest files", newest: "Newest files",
		oldest: "Oldest files", empty: "Empty folders", file: "File", folder: "Folder", kind: "Kind", files: "Files", answerSize: "Size", changed: "Changed", list: "List", decimal: ".",
	},
	"de": {
		title: "Was in dem Ordner ist", sum: "%d Dateien in %d Ordnern, %s", kinds: "Arten", parts: "Ordner", biggest: "Größte Dateien", newest: "Neueste Dateien",
		oldest: "Älteste Dateien", empty: "Leere Ordner", file: "Datei", folder: "Ordner", kind: "Art", files: "Dateien", answerSize: "Größe", changed: "Geändert", list: "Liste", decimal: ",",
	},
}

// section is one list of a report.
type section struct {
	title string
	head  []string
	rows  [][]string
}

// sections are the lists in which something is.
func sections(r tools.FolderReport, w reportWords, language string) []section {
	kinds := section{title: w.kinds, head: []string{w.kind, w.files, w.answerSize}}
	for _, k := range r.Kinds {
		kinds.rows = append(kinds.rows, []string{folderNames[language][k.Kind], strconv.FormatInt(k.Files, 10), sizeWords(k.Bytes, w.decimal)})
	}
	parts := section{title: w.parts, head: []string{w.folder, w.files, w.answerSize}}
	for _, p := range r.Parts {
		parts.rows = append(parts.rows, []string{p.Path, strconv.FormatInt(p.Files, 10), sizeWords(p.Bytes, w.decimal)})
	}
	files := func(title string, list []tools.FileInfo) section {
		s := section{title: title, head: []string{w.file, w.changed, w.answerSize}}
		for _, f := range list {
			s.rows = append(s.rows, []string{f.Path, dayWords(f.MTime), sizeWords(f.Size, w.decimal)})
		}
		return s
	}
	empty := section{title: fmt.Sprintf("%s (%d)", w.empty, r.Empty), head: []string{w.folder}}
	for _, p := range r.EmptyFolders {
		empty.rows = append(empty.rows, []string{p})
	}
	var out []section
	for _, s := range []section{kinds, parts, files(w.biggest, r.Biggest), files(w.newest, r.Newest), files(w.oldest, r.Oldest), empty} {
		if len(s.rows) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// sizeWords is a size as people say it, in steps of 1000 bytes.
func sizeWords(n int64, decimal string) string {
	const step = 1000
	if n < step {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n), ""
	for _, unit = range []string{"kB", "MB", "GB", "TB", "PB"} {
		if v /= step; v < step-0.5 {
			break
		}
	}
	s := strconv.FormatFloat(v, 'f', 1, 64)
	if v >= 100 {
		s = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strings.Replace(s, ".", decimal, 1) + " " + unit
}

// dayWords is the day of a time where the person is.
func dayWords(mtime string) string {
	t, err := time.Parse(time.RFC3339Nano, mtime)
	if err != nil {
		return mtime
	}
	return t.Local().Format(time.DateOnly)
}

// writeReport writes a report into a scratch file.
func writeReport(r *job.Job, report tools.FolderReport, p *tools.FileReport, name string) error {
	w := reportLanguages[p.Language]
	sum := fmt.Sprintf(w.sum, report.Files, report.Folders, sizeWords(report.Bytes, w.decimal))
	lists := sections(report, w, p.Language)
	switch p.To {
	case "html":
		return r.ScratchWrite(name, []byte(reportPage(p.Language, w.title, sum, lists)))
	case "md":
		return r.ScratchWrite(name, []byte(reportMarkdown(w.title, sum, lists)))
	}
	return tables.Write(r, reportTable(report, w, p.Language), tools.TableTarget{To: p.To, Safe: true}, name)
}

// reportTable is a report for programs: sizes in bytes, times in full.
func reportTable(r tools.FolderReport, w reportWords, language string) *tables.Table {
	t := &tables.Table{Header: []string{w.list, w.file, w.files, w.answerSize, w.changed}}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	row := func(cells ...string) { t.Rows = append(t.Rows, cells) }
	for _, k := range r.Kinds {
		row(w.kinds, folderNames[language][k.Kind], number(k.Files), number(k.Bytes), "")
	}
	for _, p := range r.Parts {
		row(w.parts, p.Path, number(p.Files), number(p.Bytes), "")
	}
	for _, l := range []struct {
		name string
		list []tools.FileInfo
	}{{w.biggest, r.Biggest}, {w.newest, r.Newest}, {w.oldest, r.Oldest}} {
		for _, f := range l.list {
			row(l.name, f.Path, "1", number(f.Size), f.MTime)
		}
	}
	for _, p := range r.EmptyFolders {
		row(w.empty, p, "0", "0", "")
	}
	return t
}

const reportStyle = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}` +
	`table{border-collapse:collapse;width:100%;margin-bottom:2rem}th,td{text-align:right;padding:.25rem .5rem;border-bottom:1px solid #ddd;white-space:nowrap}` +
	`th:first-child,td:first-child{text-align:left;white-space:normal;overflow-wrap:anywhere}@media(prefers-color-scheme:dark){body{color:#eee;background:#1c1c1c}th,td{border-color:#444}}`

// reportPage is a report as a page that needs nothing else and runs nothing.
func reportPage(language, title, sum string, lists []section) string {
	var b strings.Builder
	e := html.EscapeString
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=%q>\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"+
		"<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<h1>%s</h1>\n<p>%s</p>\n", language, e(title), reportStyle, e(title), e(sum))
	for _, s := range lists {
		fmt.Fprintf(&b, "<h2>%s</h2>\n<table>\n<tr>", e(s.title))
		for _, h := range s.head {
			fmt.Fprintf(&b, "<th>%s</th>", e(h))
		}
		b.WriteString("</tr>\n")
		for _, row := range s.rows {
			b.WriteString("<tr>")
			for _, cell := range row {
				fmt.Fprintf(&b, "<td>%s</td>", e(visible(cell)))
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</table>\n")
	}
	b.WriteString("</body>\n</html>\n")
	return b.String()
}

// reportMarkdown is a report as Markdown with tables, as GitHub has them.
func reportMarkdown(title, sum string, lists []section) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", title, sum)
	for _, s := range lists {
		fmt.Fprintf(&b, "\n## %s\n\n| %s |\n|%s\n", s.title, strings.Join(s.head, " | "), " --- |"+strings.Repeat(" ---: |", len(s.head)-1))
		for _, row := range s.rows {
			cells := make([]string, len(row))
			for i, c := range row {
				cells[i] = markdownText(visible(c))
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		}
	}
	return b.String()
}

// visible shows control characters, which names of files may have, and those
// that would turn the direction of what follows.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F || r >= 0x80 && r < 0xA0 || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029 {
			return '\uFFFD'
		}
		return r
	}, s)
}

// markdownText makes a text mean nothing but itself.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_[]<>|~&$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
