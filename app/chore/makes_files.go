package chore

import (
	"path"
	"strings"
)

// Operations of pack/tools on sound, archives and tables.
const (
	opAudioInfo = "audio.info"
	opTranscode = "audio.transcode"
	opPacked    = "archive.info"
	opExtract   = "archive.extract"
	opTable     = "table.read"
	opClean     = "table.clean"
	opJoin      = "table.merge"
)

// voiceMemo makes small MP3 files of recordings.
var voiceMemo = maker{
	info: Info{
		Name: "voice-memo",
		Params: []ParamInfo{
			{Name: "quality", Type: "choice", Default: "speech", Choices: []string{"speech", "music"}},
			{Name: "mono", Type: "bool", Default: true},
			{Name: "level", Type: "bool", Default: false},
			recursively,
			languages,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{"media"},
	},
	ops:   []string{opTranscode},
	exts:  extensions(opTranscode, "mp4", "mov", "mkv", "webm"), // of a film nobody expects its sound
	look:  looking(opAudioInfo),
	into:  map[string]string{"en": "MP3", "de": "MP3"},
	makes: func(map[string]any, seen) []making { return []making{{op: opTranscode, ext: ".mp3"}} },
	params: func(given map[string]any, _ Operation) map[string]any {
		return map[string]any{"to": "mp3", "quality": given["quality"], "mono": given["mono"], "level": given["level"]}
	},
}

// Formats of tables that chores make.
const (
	tableSame = "same" // that of the file
	tableCSV  = "csv"
	tableXLSX = "xlsx"
)

// tableExts are the names by which tables are looked for.
var tableExts = []string{".csv", ".tsv", ".xlsx"}

// copyFormat is the format of what is made of a table of the format old.
func copyFormat(params map[string]any, old string) string {
	format := text(params, "format")
	if format == tableSame {
		if format = old; format != "tsv" && format != tableXLSX {
			format = tableCSV
		}
	}
	return format
}

// sheetsOf are the sheets of a table that become a table each. One that has a single sheet,
// or none, is that.
func sheetsOf(sheets []string) []string {
	if len(sheets) < 2 {
		return []string{""}
	}
	return sheets
}

// ofSheet is the name of what is made of a sheet. One whose name no file can have gets a
// number where names are free.
func ofSheet(stem, sheet string) string {
	if name, err := resultName(stem+" ("+sheet+")", ""); sheet != "" && err == nil {
		return name
	}
	return stem
}

// cleanTable makes tables without what is empty, doubled or only spaces.
var cleanTable = maker{
	info: Info{
		Name: "clean-table",
		Params: []ParamInfo{
			{Name: "format", Type: "choice", Default: tableSame, Choices: []string{tableSame, tableCSV, tableXLSX}},
			{Name: "trim", Type: "bool", Default: true},
			{Name: "dropEmpty", Type: "bool", Default: true},
			{Name: "duplicates", Type: "bool", Default: true},
			recursively,
			languages,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	},
	ops:  []string{opClean},
	exts: tableExts,
	look: looking(opTable),
	into: map[string]string{"en": "Clean tables", "de": "Saubere Tabellen"},
	makes: func(params map[string]any, s seen) []making {
		var out []making
		for _, sheet := range sheetsOf(s.Sheets) {
			out = append(out, making{op: opClean, ext: "." + copyFormat(params, s.Format), sheet: sheet})
		}
		return out
	},
	params: func(given map[string]any, op Operation) map[string]any {
		return map[string]any{
			"to": tableFormat(op), "sheet": op.Sheet, "trim": given["trim"], "dropEmpty": given["dropEmpty"], "duplicates": given["duplicates"],
		}
	},
}

// joinTables makes one table of all, the rows of one below those of the other.
var joinTables = maker{
	info: Info{
		Name: "join-tables",
		Params: []ParamInfo{
			{Name: "name", Type: "string", Default: "Joined"},
			{Name: "format", Type: "choice", Default: tableCSV, Choices: []string{tableCSV, tableXLSX}},
			{Name: "source", Type: "bool", Default: false},
			pageOrder,
			recursively,
			languages,
		},
		Effects: []Effect{EffectCreate}, Needs: []string{},
	},
	ops:   []string{opJoin},
	exts:  tableExts,
	look:  looking(opTable),
	joins: true,
	makes: func(params map[string]any, _ seen) []making {
		return []making{{op: opJoin, ext: "." + text(params, "format")}}
	},
	params: func(given map[string]any, op Operation) map[string]any {
		p := map[string]any{"to": tableFormat(op)}
		if of[bool](given, "source") {
			p["source"] = map[string]string{"en": "File", "de": "Datei"}[text(given, "language")]
		}
		return p
	},
}

// tableFormat is the format that a result has by its name.
func tableFormat(op Operation) string { return strings.TrimPrefix(path.Ext(op.Out), ".") }
