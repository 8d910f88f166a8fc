package hostile

import "piwork/pack/tools"

// addOnRows are those of operations that need an add-on, written as those of
// [Home.rows].
func (h Home) addOnRows() map[string]Row {
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
		"list of a broadcast":    {Op: "audio.info", File: "pipe:0.m4a", Data: []byte(`<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period><AdaptationSet mimeType="audio/mp4"><Representation id="1" bandwidth="1"><BaseURL>file:///work/canary.txt</BaseURL></Representation></AdaptationSet></Period></MPD>`), Codes: noSound},
		"film of another file":   {Op: "audio.transcode", File: "subfile,,start,0,end,9,,:r.mov", Data: []byte(elsewhere), Params: map[string]any{"to": "wav"}, Out: "h.wav", Codes: noSound},
		"instrument that writes": {Op: "csound.perform", File: "w.csd", Data: performed("", `fprints "/work/escaped", "x"`), Out: "h.wav", Codes: []string{"", tools.InputBroken}},
		"instrument that runs":   {Op: "csound.perform", File: "-o.csd", Data: performed("", `ires system_i 1, "cat /work/canary.txt > /work/escaped"`), Out: "h.wav", Codes: []string{"", tools.InputBroken}},
		"instrument that reads":  {Op: "csound.perform", File: "r.csd", Data: performed(`#include "/work/canary.txt"`, ""), Out: "h.wav", Codes: []string{"", tools.InputBroken}},
		"instrument that tells":  {Op: "csound.perform", File: "t.csd", Data: performed("", "Sline, kn readf \"/work/canary.txt\"\nprintf_i \"%s\\n\", 1, Sline"), Out: "h.wav", Codes: []string{"", tools.InputBroken}},
		"instrument that sends":  {Op: "csound.perform", File: "s.csd", Data: performed("", `socksend oscili(1, 440), "127.0.0.1", 9, 0`), Out: "h.wav", Codes: []string{"", tools.InputBroken}},
		"instrument without end": {Op: "csound.perform", File: "e.csd", Data: performed("", "i1 = 0\nwhile i1 == 0 do\nod"), Out: "h.wav", Codes: []string{tools.Timeout}, WallMS: 20_000},
		"score that includes":    {Op: "lilypond.render", File: "i.ly", Data: []byte("\\include \"/work/canary.txt\"\n{ c4 }\n"), Params: map[string]any{"outputs": []any{"svg"}}, Out: "h", Codes: []string{"", tools.InputBroken}, Slow: true},
		"score that runs":        {Op: "lilypond.render", File: "s.ly", Data: []byte(`#(system "cat /work/canary.txt > /work/escaped")` + "\n\\score { { c4 } \\layout { } }\n"), Params: map[string]any{"outputs": []any{"svg"}}, Out: "h", Codes: []string{"", tools.InputBroken}, Slow: true},
		"score that reads":       {Op: "lilypond.render", File: "r.ly", Data: []byte(`\markup #(call-with-input-file "/work/canary.txt" (lambda (p) (symbol->string (read p))))` + "\n"), Params: map[string]any{"outputs": []any{"svg"}}, Out: "h", Codes: []string{tools.InputBroken, ""}, Slow: true},
		"score without end":      {Op: "lilypond.render", File: "e.ly", Data: []byte("#(let loop () (loop))\n"), Params: map[string]any{"outputs": []any{"svg"}}, Out: "h", Codes: []string{tools.Timeout}, WallMS: 20_000, Slow: true},
		"page that has files":    {Op: "text.convert", File: "-p.html", Data: []byte(page), Params: map[string]any{"to": "pdf"}, Out: "h.pdf", Codes: []string{"", tools.InputBroken}},
		"text that has files":    {Op: "text.convert", File: "t.md", Data: []byte("![x](file:///work/canary.txt)\n\n```{include=/work/canary.txt}\n```\n\n<iframe src=\"file:///work/canary.txt\"></iframe>\n"), Params: map[string]any{"to": "docx"}, Out: "h.docx", Codes: []string{"", tools.InputBroken}},
		"rich text with a field": {Op: "text.convert", File: "f.rtf", Data: []byte(`{\rtf1{\field{\*\fldinst INCLUDETEXT "/work/canary.txt"}{\fldrslt x}}}`), Params: map[string]any{"to": "pdf"}, Out: "h.pdf", Codes: []string{"", tools.InputBroken}},
		"document with a macro":  {Op: "text.convert", File: "m.odt", Data: h.macro(), Params: map[string]any{"to": "pdf"}, Out: "h.pdf", Codes: []string{"", tools.InputBroken}},
		"document of others":     {Op: "text.convert", File: "o.docx", Data: h.linked(), Params: map[string]any{"to": "pdf"}, Out: "h.pdf", Codes: []string{"", tools.InputBroken}},
		"archive as a document":  {Op: "text.convert", File: "z.docx", Data: []byte("no document\x00at all"), Params: map[string]any{"to": "txt"}, Out: "h.txt", Codes: []string{tools.InputUnsupported, tools.InputBroken}},
	}
}

// elsewhere is a film that says where another is (QuickTime File Format, reference
// movie).
const elsewhere = "\x00\x00\x00\x14ftypqt  \x00\x00\x02\x00qt  " +
	"\x00\x00\x00\x49moov\x00\x00\x00\x41rmra\x00\x00\x00\x39rmda\x00\x00\x00\x31rdrf\x00\x00\x00\x00url \x00\x00\x00\x1Dfile:///../../work/canary.txt"

// macro is a document whose macro runs when it is opened, with a section and a field
// that are taken from elsewhere.
func (h Home) macro() []byte {
	const office = `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"`
	const library = `xmlns:library="http://openoffice.org/2000/library"`
	entry := func(name, kind string) string {
		return `<manifest:file-entry manifest:full-path="` + name + `" manifest:media-type="` + kind + `"/>`
	}
	return h.zipped(
		"mimetype", "application/vnd.oasis.opendocument.text",
		"content.xml", `<?xml version="1.0"?><office:document-content `+office+` office:version="1.3"><office:scripts><office:event-listeners><script:event-listener script:language="ooo:script" script:event-name="office:load-finished" xlink:href="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document" xlink:type="simple"/></office:event-listeners></office:scripts>`+
			`<office:body><office:text><text:section text:name="s"><text:section-source xlink:href="file:///work/canary.txt" xlink:type="simple"/><text:p/></text:section><text:p>words</text:p></office:text></office:body></office:document-content>`,
		"Basic/script-lc.xml", `<?xml version="1.0"?><library:libraries `+library+` xmlns:xlink="http://www.w3.org/1999/xlink"><library:library library:name="Standard" library:link="false"/></library:libraries>`,
		"Basic/Standard/script-lb.xml", `<?xml version="1.0"?><library:library `+library+` library:name="Standard" library:readonly="false" library:passwordprotected="false"><library:element library:name="M"/></library:library>`,
		"Basic/Standard/M.xml", `<?xml version="1.0"?><script:module xmlns:script="http://openoffice.org/2000/script" script:name="M" script:language="StarBasic">Sub Main
Shell("/bin/sh", 1, "-c 'cp /work/canary.txt /work/escaped'", True)
End Sub</script:module>`,
		"META-INF/manifest.xml", `<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3">`+
			entry("/", "application/vnd.oasis.opendocument.text")+entry("content.xml", "text/xml")+entry("Basic/script-lc.xml", "text/xml")+
			entry("Basic/Standard/script-lb.xml", "text/xml")+entry("Basic/Standard/M.xml", "text/xml")+`</manifest:manifest>`,
	)
}

// linked is a document with a picture, a template and a field that are elsewhere.
func (h Home) linked() []byte {
	const (
		kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		parts = "http://schemas.openxmlformats.org/package/2006/relationships"
		words = "application/vnd.openxmlformats-officedocument.wordprocessingml"
	)
	relation := func(id, kind, target, mode string) string {
		return `<Relationship Id="` + id + `" Type="` + kinds + "/" + kind + `" Target="` + target + `"` + mode + `/>`
	}
	const external = ` TargetMode="External"`
	return h.zipped(
		"[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
			`<Override PartName="/word/document.xml" ContentType="`+words+`.document.main+xml"/><Override PartName="/word/settings.xml" ContentType="`+words+`.settings+xml"/></Types>`,
		"_rels/.rels", `<?xml version="1.0"?><Relationships xmlns="`+parts+`">`+relation("r", "officeDocument", "word/document.xml", "")+`</Relationships>`,
		"word/document.xml", `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="`+kinds+`" xmlns:v="urn:schemas-microsoft-com:vml"><w:body>`+
			`<w:p><w:r><w:pict><v:shape style="width:9pt;height:9pt"><v:imagedata r:id="p" r:href="p"/></v:shape></w:pict></w:r></w:p>`+
			`<w:p><w:fldSimple w:instr=" INCLUDETEXT &quot;/work/canary.txt&quot; "><w:r><w:t>x</w:t></w:r></w:fldSimple><w:fldSimple w:instr=" DDEAUTO sh &quot;-c&quot; &quot;touch /work/escaped&quot; "><w:r><w:t>y</w:t></w:r></w:fldSimple></w:p></w:body></w:document>`,
		"word/settings.xml", `<?xml version="1.0"?><w:settings xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="`+kinds+`"><w:attachedTemplate r:id="t"/></w:settings>`,
		"word/_rels/document.xml.rels", `<?xml version="1.0"?><Relationships xmlns="`+parts+`">`+relation("p", "image", "file:///work/canary.txt", external)+relation("s", "settings", "settings.xml", "")+`</Relationships>`,
		"word/_rels/settings.xml.rels", `<?xml version="1.0"?><Relationships xmlns="`+parts+`">`+relation("t", "attachedTemplate", "http://127.0.0.1:1/x.dotm", external)+`</Relationships>`,
	)
}
