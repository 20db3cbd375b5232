"""The pages of conversations. Views read by selectors and act by services.

No page is cached by the browser: "back" shows the present state, and nobody reads a page after signing out.
"""
