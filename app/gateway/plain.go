package gateway

import (
	"net/http"

	"github.com/klauspost/compress/zstd"

	"piwork/app/gateway/provider"
)

// maxWindow bounds what is kept of a compressed body to unpack the rest of it.
const maxWindow = 8 << 20

// plain is a request whose body is not compressed any more: what is in it decides
// whether it goes on. Only the protocols that pi compresses for are unpacked, and
// only with Zstandard (RFC 8878); who reads the body bounds its size. done ends it.
func plain(r *http.Request, p provider.Provider) (out *http.Request, done func(), ok bool) {
	none := func() {}
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
		return r, none, true
	case "zstd":
	default:
		return nil, none, false
	}
	if !provider.Compresses(p) || len(r.Header.Values("Content-Encoding")) != 1 {
		return nil, none, false
	}
	d, err := zstd.NewReader(r.Body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, none, false
	}
	out = new(http.Request)
	*out = *r
	out.Body, out.ContentLength = d.IOReadCloser(), -1
	return out, d.Close, true
}
