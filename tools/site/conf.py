"""Sphinx's settings for the site, copied beside its sources."""

import os

project = "classhook"
author = "classhook"
version = release = os.environ["CLASSHOOK_SITE_VERSION"]
html_title = f"classhook {version}"
extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["examples/**/README.md", "files/**"]
html_theme = "furo"
html_theme_options = {
    # only fonts of the reader's machine: nothing is fetched from elsewhere
    "light_css_variables": {"font-stack": "system-ui, sans-serif", "font-stack--monospace": "ui-monospace, monospace"},
}
html_copy_source = False
html_use_index = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_search_summary = False
html_last_updated_fmt = None
html_baseurl = ""
# anchors as on the pages' own host, to the deepest heading; each that leads nowhere is a warning, and so an error
myst_heading_anchors = 6
myst_enable_extensions = ["strikethrough"]
myst_links_external_new_tab = False
# sessions show what a shell printed, and rules have no lexer
suppress_warnings = ["misc.highlighting_failure", "myst.strikethrough"]
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
