package app

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/app/aitask"
	"piwork/app/gateway/gatewaytest"
	"piwork/app/models"
	"piwork/app/task"
	"piwork/app/tasks"
)

// A picture that goes with a message stays behind with a model of a person's own
// service of which nobody said that it looks at pictures, and the model is told so; it
// reaches the same model, byte by byte, once the person said it.
func TestPictureOfAMessage(t *testing.T) {
	server := gatewaytest.New(testKey)
	t.Cleanup(server.Close)
	server.Reply(func(gatewaytest.Question) gatewaytest.Turn { return gatewaytest.Turn{Parts: []string{"Seen."}} })
	w := aiWorld(t, "", server.URL)
	c := openPi(t, w, nil)
	wait := w.listen(c)
	picture := func(mark string) tasks.ImageRequest {
		return tasks.ImageRequest{Name: mark + ".png", Data: []byte("\x89PNG\r\n\x1a\n" + strings.Repeat(mark+"\x00\xff", 20))}
	}
	coded := func(i tasks.ImageRequest) []byte { return []byte(base64.StdEncoding.EncodeToString(i.Data)) }
	last := func() []byte {
		t.Helper()
		all := questions(server)
		if len(all) == 0 {
			t.Fatal("the model was not asked")
		}
		return all[len(all)-1].Body
	}
	input := func(id string) []string {
		t.Helper()
		var told struct {
			Providers map[string]struct {
				Models []struct {
					ID    string
					Input []string
				}
			}
		}
		data, err := os.ReadFile(filepath.Join(c.store.Dir(id), aitask.StateDir, "pi", "models.json"))
		if err != nil || json.Unmarshal(data, &told) != nil {
			t.Fatalf("%s, %v", data, err)
		}
		for _, m := range told.Providers["scripted"].Models {
			if m.ID == gatewaytest.OpenAIModel {
				return m.Input
			}
		}
		t.Fatalf("pi is not told of it: %s", data)
		return nil
	}

	first, second := picture("first"), picture("second")
	model := "scripted/" + gatewaytest.OpenAIModel
	id := w.start(c, tasks.StartRequest{Kind: task.KindAI, AIRequest: tasks.AIRequest{Prompt: "What is on it?", Model: model, Images: []tasks.ImageRequest{first}}}).ID
	wait(id, task.StateDone)
	if body := last(); bytes.Contains(body, coded(first)) || !bytes.Contains(body, []byte(noPicture)) || slices.Contains(input(id), "image") {
		t.Errorf("nobody said that it looks at pictures: %.300s", body)
	}
	for _, sees := range []bool{true, false} {
		if _, err := c.OverrideModel(t.Context(), models.OverrideRequest{Model: model, Override: models.Override{Images: &sees}}); err != nil {
			t.Fatal(err)
		}
		before := len(questions(server))
		if _, err := c.Say(t.Context(), id, tasks.SayRequest{Text: "And on this one?", Images: []tasks.ImageRequest{second}}); err != nil {
			t.Fatal(err)
		}
		for len(questions(server)) == before {
			select {
			case <-t.Context().Done():
				t.Fatal("the model was not asked again")
			case <-time.After(time.Millisecond):
			}
		}
		wait(id, task.StateDone)
		body := last()
		if got := bytes.Contains(body, []byte(`"data:image/png;base64,`+string(coded(second))+`"`)); got != sees || slices.Contains(input(id), "image") != sees || bytes.Contains(body, []byte(noPicture)) == sees {
			t.Errorf("it is said to look at pictures: %v; asked %.300s", sees, body)
		}
	}
	if got, want := saidAndNoted(t, c, id, aitask.NoticePicturesLeft), []string{"What is on it?", aitask.NoticePicturesLeft, "And on this one?", "And on this one?", aitask.NoticePicturesLeft}; !slices.Equal(got, want) {
		t.Errorf("the timeline has %q, want %q", got, want)
	}
}
