package chore

func osName(name string) error { return windowsName(name) }
