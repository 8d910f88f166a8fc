package words

// SignInPage says what a browser is shown when it comes back from a sign-in, and in which
// language.
func SignInPage(acceptLanguage, id string) (language, text string) {
	c := For(acceptLanguage)
	return c.Language, c.Text("sign-in-page."+id, nil)
}
