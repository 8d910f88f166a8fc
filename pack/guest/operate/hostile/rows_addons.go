package hostile

import "piwork/pack/tools"

// addOnRows are those of operations that need an add-on, written as those of
// [Home.rows].
func addOnRows() map[string]Row {
	noSound := []string{tools.InputUnsupported, tools.InputBroken}
	performed := func(head, body string) []byte {
		return []byte("<CsoundSynthesizer>\n<CsOptions>\n-o /work/escaped\n</CsOptions>\n<CsInstruments>\nsr=8000\nksmps=10\nnchnls=1\n" + head +
			"\ninstr 1\n" + body + "\na1 oscili 1000, 440\nout a1\nendin\n</CsInstruments>\n<CsScore>\ni1 0 0.1\n</CsScore>\n</CsoundSynthesizer>\n")
	}
	page := `<html><head><link rel="attachment" href="file:///work/canary.txt"><link rel="stylesheet" href="file:///work/canary.txt"></head>` +
		`<body><img src="file:///work/canary.txt"><object data="file:///work/canary.txt"></object><iframe src="http://127.0.0.1:1/x"></iframe><p>words</p></body></html>`
	return map[string]Row{
		"playlist as sound":      {Op: "audio.info", File: "-list.mp3", Data: []byte("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///work/canary.txt\n#EXT-X-ENDLIST\n"), Codes: noSound},
		"list of other sounds":   {Op: "audio.transcode", File: "concat:a.wav", Data: []byte("ffconcat version 1.0\nfile '/work/canary.txt'\n"), Params: map[string]any{"to": "wav"}, Out: "h.wav", Codes: noSound},
		"sound that is cut off":  {Op: "audio.transcode", File: "cut.wav", Data: []byte("RIFF\xFF\xFF\xFF\xFFWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x7F\x02\x00\x10\x00data\xFF\xFF\xFF\x7F"), Params: map[string]any{"to": "flac"}, Out: "h.flac", Codes: append(noSound, tools.ToolFailed, "")},
		"instrument that writes": {Op: "csound.perform", File: "w.csd", Data: performed("", `fprints "/work/escaped", "x"`), Out: "h.wav", Codes: []string{"", tools.InputBroken}},
		"instrument that runs":   {Op: "csound.perform", File: "-o.csd", Data: performed("", `ires system_i 1, "cat /work/canary.txt > /work/escaped"`), Out: "h.wav", Codes: []string{"", tools.InputBroken}},
		"instrument that reads":  {Op: "csound.perform", File: "r.csd", Data: performed(`#include "/work/canary.txt"`, ""), Out: "h.wav", Codes: []string{"", tools.InputBroken}},
		"score that runs":        {Op: "lilypond.render", File: "s.ly", Data: []byte(`#(system "cat /work/canary.txt > /work/escaped")` + "\n\\score { { c4 } \\layout { } }\n"), Params: map[string]any{"outputs": []any{"svg"}}, Out: "h", Codes: []string{"", tools.InputBroken}},
		"score that reads":       {Op: "lilypond.render", File: "r.ly", Data: []byte(`\markup #(call-with-input-file "/work/canary.txt" (lambda (p) (symbol->string (read p))))` + "\n"), Params: map[string]any{"outputs": []any{"svg"}}, Out: "h", Codes: []string{tools.InputBroken, ""}},
		"score without end":      {Op: "lilypond.render", File: "e.ly", Data: []byte("#(let loop () (loop))\n"), Params: map[string]any{"outputs": []any{"svg"}}, Out: "h", Codes: []string{tools.Timeout}, WallMS: 20_000},
		"page that has files":    {Op: "text.convert", File: "-p.html", Data: []byte(page), Params: map[string]any{"to": "pdf"}, Out: "h.pdf", Codes: []string{"", tools.InputBroken}},
		"text that has files":    {Op: "text.convert", File: "t.md", Data: []byte("![x](file:///work/canary.txt)\n\n```{include=/work/canary.txt}\n```\n\n<iframe src=\"file:///work/canary.txt\"></iframe>\n"), Params: map[string]any{"to": "docx"}, Out: "h.docx", Codes: []string{"", tools.InputBroken}},
		"rich text with a field": {Op: "text.convert", File: "f.rtf", Data: []byte(`{\rtf1{\field{\*\fldinst INCLUDETEXT "/work/canary.txt"}{\fldrslt x}}}`), Params: map[string]any{"to": "pdf"}, Out: "h.pdf", Codes: []string{"", tools.InputBroken}},
		"archive as a document":  {Op: "text.convert", File: "z.docx", Data: []byte("no document\x00at all"), Params: map[string]any{"to": "txt"}, Out: "h.txt", Codes: []string{tools.InputUnsupported, tools.InputBroken}},
	}
}
