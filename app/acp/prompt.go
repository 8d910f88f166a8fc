package acp

import (
	"encoding/base64"
	"net/url"
	"path"
	"runtime"
	"strconv"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/problem"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

// maxBlocks bounds the parts of a prompt. piwork bounds its text and its pictures.
const maxBlocks = 1000

// there is where the folder is in the task.
func (f folder) there() string { return wire.FoldersDir + "/" + f.Name }

// prompt is a message for the AI.
type prompt struct {
	text   string
	images []tasks.ImageRequest
}

// read makes a message of what an editor sends. Files are named as in the task; the content of
// those that came along stands at the end.
func (d *Door) read(blocks []sdk.ContentBlock, folders []folder) (prompt, error) {
	var p prompt
	if len(blocks) > maxBlocks {
		return p, problem.BadRequest("prompt", "%d parts, at most %d", len(blocks), maxBlocks)
	}
	var text, context strings.Builder
	for _, b := range blocks {
		switch {
		case b.Text != nil:
			text.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			text.WriteString(link(b.ResourceLink.Uri, b.ResourceLink.Name, folders))
		case b.Image != nil:
			if err := p.picture(b.Image.Data); err != nil {
				return p, err
			}
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r := b.Resource.Resource.TextResourceContents
			text.WriteString(link(r.Uri, "", folders))
			context.WriteString("\n<context ref=" + strconv.Quote(target(r.Uri, folders)) + ">\n" + r.Text + "\n</context>\n")
		case b.Resource != nil && b.Resource.Resource.BlobResourceContents != nil:
			r := b.Resource.Resource.BlobResourceContents
			if r.MimeType == nil || !strings.HasPrefix(*r.MimeType, "image/") {
				return p, d.refused("acp.kind", map[string]any{"name": escaped(named(r.Uri))})
			}
			if err := p.picture(r.Blob); err != nil {
				return p, err
			}
		default:
			return p, d.refused("acp.kind", nil)
		}
	}
	p.text = text.String()
	if context.Len() > 0 {
		p.text += "\n" + context.String()
	}
	return p, nil
}

// picture adds one. Whether a model can look at it is piwork's to say.
func (p *prompt) picture(data string) error {
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return problem.BadRequest("prompt", "a picture is no base64: %w", err)
	}
	p.images = append(p.images, tasks.ImageRequest{Name: "picture-" + strconv.Itoa(len(p.images)+1), Data: b})
	return nil
}

// link names a resource in a text.
func link(uri, name string, folders []folder) string {
	if name == "" {
		name = named(uri)
	}
	return "[@" + name + "](" + target(uri, folders) + ")"
}

// named is the last part of a URI.
func named(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Path != "" {
		return path.Base(u.Path)
	}
	return uri
}

// target is a URI as the AI can use it: a file in a folder has the path that it has in the
// task, with the lines that are meant; another is said to be elsewhere.
func target(uri string, folders []folder) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	p := u.Path
	if runtime.GOOS == "windows" {
		p = strings.TrimPrefix(p, "/")
	}
	out, ok := there(folders, p)
	if !ok || u.Host != "" && u.Host != "localhost" {
		return uri + " (not in the folders of this task)"
	}
	if u.Fragment != "" {
		out += "#" + u.Fragment
	}
	return out
}
