package tools

import (
	"reflect"
	"strconv"
	"time"
)

// MaxAudioSize bounds sound files, in bytes.
const MaxAudioSize = 32 << 30

var audioFiles = []string{"mp3", "m4a", "aac", "wav", "flac", "ogg", "opus", "aiff", "aif", "wma", "amr", "3gp", "mp4", "mov", "mkv", "webm", "caf"}

var audioOperations = []Operation{
	{
		Name: "audio.info", Report: reflect.TypeFor[AudioInfo](), Min: 1, Max: 1000, Out: OutNone, Accepts: audioFiles, Programs: []string{ToolFFprobe},
		params: func() Params { return &NoParams{} },
		work:   work{each: 10 * time.Second, mega: time.Second, most: 5 * time.Minute, memory: memoryFew},
	},
	{
		Name: "audio.transcode", Min: 1, Max: 1000, Out: OutEach, Accepts: audioFiles, Programs: []string{ToolFFmpeg, ToolFFprobe},
		params: func() Params { return &AudioTranscode{} },
		work:   work{each: 5 * time.Minute, mega: time.Minute, growth: 40},
	},
}

// AudioInfo is what audio.info reports of each input.
type AudioInfo struct {
	Path     string            `json:"path"`
	Format   string            `json:"format"` // of the container, as FFmpeg names it
	Codec    string            `json:"codec"`
	Seconds  float64           `json:"seconds"`
	Rate     int               `json:"rate"` // Hz
	Channels int               `json:"channels"`
	Bitrate  int64             `json:"bitrate"` // bit/s
	Tags     map[string]string `json:"tags,omitempty"`
	Size     int64             `json:"size"`
	SHA256   string            `json:"sha256"`
}

// AudioTranscode are the parameters of audio.transcode.
type AudioTranscode struct {
	To string `json:"to" schema:"default=mp3,enum=mp3|m4a|opus|ogg|flac|wav,byName=true"`
	// Quality of what loses something: for speech, for music, or the best.
	Quality string `json:"quality" schema:"default=music,enum=speech|music|best"`
	Mono    bool   `json:"mono" schema:"default=false"`
	Level   bool   `json:"level" schema:"default=false"` // quiet becomes as loud as music usually is (EBU R 128)
	Each
}

// demuxers are the containers that FFmpeg may open: none that name other files
// or places (concat, HLS, DASH, playlists, images).
const demuxers = "mp3,aac,mov,wav,w64,flac,ogg,aiff,asf,amr,caf,matroska,mp4"

// ffmpegIn are the options before an input: a plain file of a known container
// and nothing else.
func ffmpegIn(in string) []string {
	return []string{"-protocol_whitelist", "file", "-format_whitelist", demuxers, "-i", "file:" + in}
}

// FFprobe writes what a sound file says of itself to stdout as JSON. in is a
// scratch name.
func FFprobe(in string) []string {
	return append([]string{"ffprobe", "-v", "error", "-hide_banner", "-of", "json", "-show_format", "-show_streams", "-select_streams", "a"}, ffmpegIn(in)...)
}

// bitrates in kbit/s by format and quality; for ogg a quality from 0 to 10.
var bitrates = map[string]map[string]int{
	"mp3":  {"speech": 64, "music": 192, "best": 320},
	"m4a":  {"speech": 64, "music": 160, "best": 256},
	"opus": {"speech": 32, "music": 128, "best": 192},
	"ogg":  {"speech": 1, "music": 5, "best": 8},
}

// FFmpeg writes the first sound track of a file in another format. The same
// input gives the same bytes. in and out are scratch names.
func FFmpeg(p *AudioTranscode, in, out string) []string {
	argv := append([]string{"ffmpeg", "-v", "error", "-hide_banner", "-nostdin", "-y"}, ffmpegIn(in)...)
	argv = append(argv, "-map", "0:a:0", "-map_chapters", "-1", "-vn", "-sn", "-dn", "-threads", "1", "-fflags", "+bitexact", "-flags:a", "+bitexact")
	if p.Mono {
		argv = append(argv, "-ac", "1")
	}
	if p.Level {
		argv = append(argv, "-af", "loudnorm=I=-16:TP=-1.5:LRA=11,aresample=48000")
	}
	rate := strconv.Itoa(bitrates[p.To][p.Quality])
	switch p.To {
	case "mp3":
		argv = append(argv, "-c:a", "libmp3lame", "-b:a", rate+"k", "-id3v2_version", "3", "-f", "mp3")
	case "m4a":
		argv = append(argv, "-c:a", "aac", "-b:a", rate+"k", "-movflags", "+faststart", "-f", "ipod")
	case "opus":
		argv = append(argv, "-c:a", "libopus", "-b:a", rate+"k", "-f", "opus")
	case "ogg":
		argv = append(argv, "-c:a", "libvorbis", "-q:a", rate, "-f", "ogg")
	case "flac":
		argv = append(argv, "-c:a", "flac", "-f", "flac")
	case "wav":
		argv = append(argv, "-c:a", "pcm_s16le", "-f", "wav")
	}
	return append(argv, "file:"+out)
}
