package operate

import (
	"context"
	"fmt"

	"piwork/pack/tools"
)

// handler carries out one operation. Its error is about the whole of it.
type handler func(ctx context.Context, r *run) error

// on is a handler with the parameters of its operation.
func on[P tools.Params](f func(*run, context.Context, P) error) handler {
	return func(ctx context.Context, r *run) error {
		p, ok := r.params.(P)
		if !ok {
			return fmt.Errorf("%s has parameters of the type %T", r.op.Name, r.params)
		}
		return f(r, ctx, p)
	}
}

// handlers by the name of their operation. Each of the catalogue has one.
var handlers = map[string]handler{
	"image.info":      on((*run).info),
	"image.convert":   on((*run).convert),
	"image.resize":    on((*run).resize),
	"pdf.info":        on((*run).pdfInfo),
	"pdf.merge":       on((*run).mergeInputs),
	"pdf.split":       on((*run).pdfSplit),
	"pdf.rotate":      on((*run).pdfRotate),
	"pdf.compress":    on((*run).pdfCompress),
	"pdf.text":        on((*run).pdfText),
	"pdf.ocr":         on((*run).pdfOCR),
	"pdf.images":      on((*run).pdfImages),
	"pdf.protect":     on((*run).pdfProtect),
	"pdf.unlock":      on((*run).pdfUnlock),
	"archive.list":    on((*run).archiveList),
	"archive.info":    on((*run).archiveInfo),
	"archive.extract": on((*run).archiveExtract),
	"archive.create":  on((*run).archiveCreate),
	"table.read":      on((*run).tableRead),
	"table.convert":   on((*run).tableConvert),
	"table.clean":     on((*run).tableClean),
	"table.merge":     on((*run).tableMerge),
	"table.receipts":  on((*run).tableReceipts),
	"file.hash":       on((*run).hash),
	"file.report":     on((*run).fileReport),
	"file.duplicates": on((*run).duplicates),
	"file.organize":   on((*run).organize),
	"file.rename":     on((*run).rename),
	"file.cleanup":    on((*run).cleanup),
	"file.move":       on((*run).move),
	"file.remove":     on((*run).remove),
	"metadata.read":   on((*run).metadataRead),
	"metadata.write":  on((*run).metadataWrite),
	"metadata.strip":  on((*run).metadataStrip),
	"plist.validate":  on((*run).plistValidate),
	"plist.convert":   on((*run).plistConvert),
	"text.convert":    on((*run).textConvert),
	"text.extract":    on((*run).textExtract),
	"audio.info":      on((*run).audioInfo),
	"audio.transcode": on((*run).audioTranscode),
	"csound.perform":  on((*run).csoundPerform),
	"lilypond.render": on((*run).lilypondRender),
}
