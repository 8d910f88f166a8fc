// See keepPage and lookAtPage.
void piwork_keep_page(void);
void piwork_look_at_page(void);
