"""How the documentation site is built: `python3 make.py site`, without network, warnings being errors."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))
sys.path.insert(0, str(HERE.parent / "src"))

from holdfast import __version__  # noqa: E402 - the tree beside this file, not an installed one

gc.disable()  # documents are built once and kept: collecting garbage takes a quarter of the time, and finds none

project = "Holdfast"
author = "the Holdfast authors"
copyright = "the Holdfast authors, Apache-2.0"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.napoleon",
    "sphinx.ext.autodoc",
    "mathml",
    "docstrings",
    "rooms",
    "repository",
    "code_links",
]
exclude_patterns = ["_build"]
root_doc = "index"
language = "en"

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist", "attrs_block"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"Holdfast {version}"
html_static_path = ["_static"]
html_css_files = ["holdfast.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_search_summary = False  # it would fetch every page found, which a browser refuses from files
html_theme_options = {
    "footer_icons": [],
    "light_css_variables": {
        "color-brand-primary": "#0b6e4f",
        "color-brand-content": "#0b6e4f",
        "color-brand-visited": "#3f5f8a",
    },
    "dark_css_variables": {
        "color-brand-primary": "#5cc8a0",
        "color-brand-content": "#5cc8a0",
        "color-brand-visited": "#9db8e6",
    },
}
pygments_style = "default"
pygments_dark_style = "github-dark"

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"Array": "Array", "ArrayLike": "ArrayLike"}
autodoc_class_signature = "mixed"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]  # a list, no objects of their own
napoleon_use_rtype = False
python_maximum_signature_line_length = 100
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
add_module_names = False
