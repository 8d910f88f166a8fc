package wire

import (
	"net/url"
	"slices"
	"time"
)

// Bounds of actions on the web.
const (
	MaxAddress   = 4 << 10   // bytes of a URL
	MaxInline    = 1 << 20   // bytes of a fetched body that come with the answer
	MaxFetch     = 1 << 30   // bytes of one that goes to a file
	MaxPageSteps = 200       // of one visit
	MaxPageText  = 256 << 10 // bytes of text that one step reads
	MaxSelector  = 1 << 10   // bytes
	MaxPageFile  = 64 << 20  // bytes of a picture or a PDF
	MaxWebMS     = int64(time.Hour / time.Millisecond)
)

// FetchParams gets what is at an address of the web, over the task's own network: without
// cookies, and without saying where it comes from.
type FetchParams struct {
	ID    string   `json:"id"`
	URL   string   `json:"url"`            // http or https
	Into  string   `json:"into,omitempty"` // file that it goes to; "" comes with the answer
	Roots []string `json:"roots"`          // of Into, as of FileParams
	Limit int64    `json:"limit"`          // bytes at most
	// StallMS is how long nothing may come of a server, from each redirect on anew. A question to
	// a person about its host counts: this is to be longer. One about a file does not.
	StallMS int64 `json:"stallMs"`
}

// FetchResult is what came.
type FetchResult struct {
	URL    string    `json:"url" doc:"where it came from in the end"`
	Status int       `json:"status" doc:"of HTTP"`
	Type   string    `json:"type,omitempty" doc:"media type, as the server says it"`
	Size   int64     `json:"size" doc:"bytes"`
	SHA256 string    `json:"sha256"`
	Info   *FileInfo `json:"file,omitempty" doc:"where it was written; with a status of 400 or more nothing is"`

	Data []byte `json:"-"`
}

// Validate implements the bounds of FetchParams.
func (p FetchParams) Validate() error {
	most := int64(MaxFetch)
	if p.Into == "" {
		most = MaxInline
	}
	return firstError(id("id", p.ID), address("url", p.URL), optionalAbsolute("into", p.Into), text("into", p.Into), roots(p.Roots),
		within("limit", p.Limit, 1, most), within("stallMs", p.StallMS, 1, MaxWebMS))
}

// Validate implements the bounds of FetchResult.
func (r FetchResult) Validate() error {
	if r.Info != nil {
		if err := r.Info.Validate(); err != nil {
			return err
		}
	}
	return firstError(address("url", r.URL), within("status", int64(r.Status), 100, 999), short("type", r.Type, maxShort), within("size", r.Size, 0, MaxFetch), digest("sha256", r.SHA256))
}

// CheckAddress checks an address of the web, such as one that another one leads to.
func CheckAddress(s string) error { return address("url", s) }

// address checks an address of the web: nothing on a computer, and nobody's password.
func address(field, s string) error {
	if len(s) > MaxAddress {
		return invalid(field, "%d bytes, at most %d", len(s), MaxAddress)
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Opaque != "" {
		return invalid(field, "%.80q is no address of the web", s)
	}
	return nil
}

func roots(list []string) error {
	if err := within("roots", int64(len(list)), 1, MaxRoots); err != nil {
		return err
	}
	for _, root := range list {
		if err := absolute("roots", root); err != nil {
			return err
		}
	}
	return nil
}

// What is done with a page.
const (
	PageOpen       = "open"
	PageClick      = "click"
	PageType       = "type"
	PageText       = "text"
	PageScreenshot = "screenshot"
	PagePDF        = "pdf"
)

// PageStep is one thing that is done with a page.
type PageStep struct {
	Do       string `json:"do" enum:"open,click,type,text,screenshot,pdf"`
	URL      string `json:"url,omitempty" maxLength:"4096" doc:"of open: http or https"`
	Selector string `json:"selector,omitempty" maxLength:"1024" doc:"CSS selector of click and type, and of text, which is of the whole page without it"`
	Text     string `json:"text,omitempty" maxLength:"65536" doc:"of type"`
	Into     string `json:"into,omitempty" maxLength:"4095" doc:"file of screenshot (PNG) and pdf, in a folder of the task or in /work"`
	Optional bool   `json:"optional,omitempty" doc:"the visit goes on where it can't be done"`
}

// PageParams is one visit to the web with a browser: a page that begins empty, knows
// nothing of other visits and is gone after it.
type PageParams struct {
	ID     string     `json:"id"`
	Steps  []PageStep `json:"steps"`
	Roots  []string   `json:"roots"`  // of files, as of FileParams
	WaitMS int64      `json:"waitMs"` // for a page to load, each time
}

// PageDone is what came of one step.
type PageDone struct {
	Text   string    `json:"text,omitempty" doc:"that was read"`
	File   *FileInfo `json:"file,omitempty" doc:"that was made"`
	Failed string    `json:"failed,omitempty" doc:"why an optional step could not be done: missing, failed, too-large or unreachable"`
	Cut    bool      `json:"cut,omitempty" doc:"there is more text, or the page did not stop loading"`
}

// PageResult is what came of a visit.
type PageResult struct {
	URL   string     `json:"url" doc:"where the page is from in the end"`
	Title string     `json:"title"`
	Steps []PageDone `json:"steps"`
}

// Validate implements the bounds of PageParams.
func (p PageParams) Validate() error {
	if err := firstError(id("id", p.ID), roots(p.Roots), within("steps", int64(len(p.Steps)), 1, MaxPageSteps), within("waitMs", p.WaitMS, 1, MaxWebMS)); err != nil {
		return err
	}
	for i, s := range p.Steps {
		if err := s.Validate(); err != nil {
			return err
		}
		if i == 0 && s.Do != PageOpen {
			return invalid("steps", "a visit begins with %s", PageOpen)
		}
	}
	return nil
}

// Validate implements the bounds of PageStep.
func (s PageStep) Validate() error {
	if err := firstError(within("selector", int64(len(s.Selector)), 0, MaxSelector), text("selector", s.Selector), within("text", int64(len(s.Text)), 0, 64<<10), text("text", s.Text)); err != nil {
		return err
	}
	switch s.Do {
	case PageOpen:
		return address("url", s.URL)
	case PageClick, PageType:
		return within("selector", int64(len(s.Selector)), 1, MaxSelector)
	case PageText:
		return nil
	case PageScreenshot, PagePDF:
		return firstError(absolute("into", s.Into), text("into", s.Into))
	}
	return invalid("do", "%.80q is unknown", s.Do)
}

// Validate implements the bounds of PageResult.
func (r PageResult) Validate() error {
	if err := firstError(within("url", int64(len(r.URL)), 0, 2*MaxAddress), text("url", r.URL), within("title", int64(len(r.Title)), 0, MaxAddress), text("title", r.Title),
		within("steps", int64(len(r.Steps)), 0, MaxPageSteps)); err != nil {
		return err
	}
	for _, s := range r.Steps {
		if s.File != nil {
			if err := s.File.Validate(); err != nil {
				return err
			}
		}
		if err := firstError(within("text", int64(len(s.Text)), 0, MaxPageText), text("text", s.Text)); err != nil {
			return err
		}
		if s.Failed != "" && !slices.Contains([]string{ActMissing, ActFailed, ActTooLarge, ActUnreachable}, s.Failed) {
			return invalid("failed", "%.80q is unknown", s.Failed)
		}
	}
	return nil
}
