package desktop

import (
	"os"
	"path/filepath"
)

const (
	// envWebView2 names the directory of a WebView2 runtime of a fixed version.
	envWebView2 = "PIWORK_WEBVIEW2"
	// webView2Dir is where one is bundled, beside the program; see build/README.md.
	webView2Dir = "webview2"
	// webView2Program is in every one.
	webView2Program = "msedgewebview2.exe"
)

// fixedWebView2 is the directory of the WebView2 runtime that this window is to use: the one
// that the person names, or the one that is bundled. "" is that of the system, which Microsoft
// updates. Whatever the engine does, also a COM error that ends the window's process, ends no
// task: the controller is a process of its own, which uses none of it.
func fixedWebView2(program string, getenv func(string) string) string {
	for _, dir := range []string{getenv(envWebView2), filepath.Join(filepath.Dir(program), webView2Dir)} {
		if dir == "" || !filepath.IsAbs(dir) {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, webView2Program)); err == nil && info.Mode().IsRegular() {
			return dir
		}
	}
	return ""
}
