//go:build desktop

package desktop

import (
	"bytes"
	"html/template"
	"net/http"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
)

// gonePage is all that can be shown without the data: no settings say a language.
var gonePage = template.Must(template.New("").Parse(`<!doctype html>
<html><head><meta charset="utf-8"><title>piwork</title><meta name="color-scheme" content="light dark">
<style>body{font:16px/1.5 system-ui,sans-serif;margin:2.5rem;max-width:34rem}code{overflow-wrap:anywhere}</style></head>
<body><main>
<section lang="en"><h1>The data of piwork is not where it was moved to</h1>
<p>Connect its disk, or put the folder back to <code>{{.}}</code>, and start piwork again. It begins nowhere else, so that nothing seems lost.</p></section>
<section lang="de"><h1>Die Daten von piwork sind nicht dort, wohin sie verschoben wurden</h1>
<p>Schließen Sie die Festplatte an, oder legen Sie den Ordner zurück nach <code>{{.}}</code>, und starten Sie piwork neu. Es beginnt nirgends von vorn, damit nichts verloren scheint.</p></section>
</main></body></html>`))

// tellGone shows that the data is not where it was moved to, until the window is
// closed.
func tellGone(place string) error {
	var page bytes.Buffer
	if err := gonePage.Execute(&page, place); err != nil {
		return err
	}
	return wails.Run(&options.App{
		Title: "piwork", Width: 640, Height: 520,
		AssetServer: &assetserver.Options{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(page.Bytes())
		})},
	})
}
