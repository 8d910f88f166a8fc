package operate

import (
	"context"
	"fmt"

	"piwork/pack/guest/operate/job"
	"piwork/pack/guest/operate/tables"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Run carries out one operation. What went wrong is in the result; an error
// means that the call itself is wrong (*wire.InvalidError, or an unknown
// operation).
func Run(ctx context.Context, order job.Order, program job.Runner, send func(job.Event)) (wire.ToolResult, error) {
	return job.Run(ctx, order, program, send, func(ctx context.Context, r *job.Job) error { return handlers[r.Op.Name](ctx, r) })
}

// handler carries out one operation. Its error is about the whole of it.
type handler func(ctx context.Context, r *job.Job) error

// on is a handler with the parameters of its operation.
func on[P tools.Params](f func(context.Context, *job.Job, P) error) handler {
	return func(ctx context.Context, r *job.Job) error {
		p, ok := r.Params.(P)
		if !ok {
			return fmt.Errorf("%s has parameters of the type %T", r.Op.Name, r.Params)
		}
		return f(ctx, r, p)
	}
}

// handlers by the name of their operation. Each of the catalogue has one.
var handlers = map[string]handler{
	"image.info":      on(info),
	"image.convert":   on(convert),
	"image.resize":    on(resize),
	"pdf.info":        on(pdfInfo),
	"pdf.merge":       on(mergeInputs),
	"pdf.split":       on(pdfSplit),
	"pdf.rotate":      on(pdfRotate),
	"pdf.compress":    on(pdfCompress),
	"pdf.text":        on(pdfText),
	"pdf.ocr":         on(pdfOCR),
	"pdf.images":      on(pdfImages),
	"pdf.protect":     on(pdfProtect),
	"pdf.unlock":      on(pdfUnlock),
	"archive.list":    on(archiveList),
	"archive.info":    on(archiveInfo),
	"archive.extract": on(archiveExtract),
	"archive.create":  on(archiveCreate),
	"table.read":      on(tables.Read),
	"table.convert":   on(tables.Convert),
	"table.clean":     on(tables.Clean),
	"table.merge":     on(tables.Merge),
	"table.receipts":  on(tableReceipts),
	"file.hash":       on(hash),
	"file.report":     on(fileReport),
	"file.duplicates": on(duplicates),
	"file.organize":   on(organize),
	"file.rename":     on(rename),
	"file.cleanup":    on(cleanup),
	"file.move":       on(move),
	"file.remove":     on(remove),
	"metadata.read":   on(metadataRead),
	"metadata.write":  on(metadataWrite),
	"metadata.strip":  on(metadataStrip),
	"plist.validate":  on(plistValidate),
	"plist.convert":   on(plistConvert),
	"text.convert":    on(textConvert),
	"text.extract":    on(textExtract),
	"audio.info":      on(audioInfo),
	"audio.transcode": on(audioTranscode),
	"csound.perform":  on(csoundPerform),
	"lilypond.render": on(lilypondRender),
}
