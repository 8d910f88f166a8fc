// See watchDisplay.
void piwork_watch_display(void);
