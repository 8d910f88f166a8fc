package operate

import (
	"context"
	"encoding/json"
	"strconv"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
)

// probed is what ffprobe prints.
type probed struct {
	Streams []struct {
		Codec    string            `json:"codec_name"`
		Rate     string            `json:"sample_rate"`
		Channels int               `json:"channels"`
		Bitrate  string            `json:"bit_rate"`
		Duration string            `json:"duration"`
		Tags     map[string]string `json:"tags"`
	} `json:"streams"`
	Format struct {
		Name     string            `json:"format_name"`
		Duration string            `json:"duration"`
		Bitrate  string            `json:"bit_rate"`
		Tags     map[string]string `json:"tags"`
	} `json:"format"`
}

// takeAudio copies a sound file into scratch and looks at it.
func takeAudio(ctx context.Context, r *job.Job, n int, path string) (*job.Taken, tools.AudioInfo, error) {
	none := tools.AudioInfo{}
	in, err := r.Take(ctx, path, tools.ScratchName(n, "in"), tools.MaxAudioSize, nil)
	if err != nil {
		return nil, none, err
	}
	printed := tools.ScratchName(n, "json")
	if err = r.ToolTo(ctx, path, tools.InputUnsupported, tools.FFprobe(in.Name), printed); err != nil {
		return nil, none, err
	}
	b, err := job.ReadBounded(r.Scratch(printed), maxPrinted)
	if err != nil {
		return nil, none, err
	}
	var seen probed
	if json.Unmarshal(b, &seen) != nil || len(seen.Streams) == 0 {
		return nil, none, job.Refuse(tools.InputUnsupported, path, "there is no sound in it")
	}
	s := seen.Streams[0]
	info := tools.AudioInfo{
		Path: path, Format: job.Bounded(seen.Format.Name), Codec: job.Bounded(s.Codec), Channels: s.Channels, Size: in.Size, SHA256: in.SHA256, Tags: map[string]string{},
	}
	// What is not there is 0.
	info.Rate, _ = strconv.Atoi(s.Rate)
	if info.Seconds, _ = strconv.ParseFloat(seen.Format.Duration, 64); info.Seconds == 0 {
		info.Seconds, _ = strconv.ParseFloat(s.Duration, 64)
	}
	if info.Bitrate, _ = strconv.ParseInt(s.Bitrate, 10, 64); info.Bitrate == 0 {
		info.Bitrate, _ = strconv.ParseInt(seen.Format.Bitrate, 10, 64)
	}
	for _, name := range []string{"title", "artist", "album", "track", "date", "genre"} {
		if v := seen.Format.Tags[name]; v != "" {
			info.Tags[name] = job.Bounded(v)
		}
	}
	return in, info, nil
}

// audioInfo is audio.info.
func audioInfo(ctx context.Context, r *job.Job, _ *tools.NoParams) error {
	return r.ReportEach(ctx, func(ctx context.Context, n int, path string) (any, error) {
		_, info, err := takeAudio(ctx, r, n, path)
		return info, err
	})
}

// audioTranscode is audio.transcode.
func audioTranscode(ctx context.Context, r *job.Job, p *tools.AudioTranscode) error {
	return r.Each(ctx, p.Each, p.To, func(ctx context.Context, n int, path string) (*job.Piece, error) {
		in, _, err := takeAudio(ctx, r, n, path)
		if err != nil {
			return nil, err
		}
		out := tools.ScratchName(n, "out."+p.To)
		return &job.Piece{File: out, Suffix: p.To}, r.Tool(ctx, path, tools.InputBroken, tools.FFmpeg(p, in.Name, out))
	})
}
