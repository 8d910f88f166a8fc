// See keepPage.
void piwork_keep_page(void);
