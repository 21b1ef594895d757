# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How Sphinx makes the site of build/docs/source, which build.py writes."""

import tilewright

project = "Tilewright"
version = release = tilewright.__version__
copyright = "the Tilewright authors; Apache-2.0 with LLVM exceptions"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "index"
html_theme = "furo"
html_title = "Tilewright"
html_static_path = ["static"]
html_css_files = ["width.css"]
html_show_sphinx = False
html_copy_source = False
highlight_language = "none"  # of blocks that name none
suppress_warnings = ["misc.highlighting_failure"]  # blocks of code with parts left out

# Headings are targets of links as on a forge.
myst_heading_anchors = 6

default_role = "py:obj"
autodoc_typehints = "none"  # signatures have them as the source does
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True

nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True


def setup(app):
    # Outputs of notebooks depend on the compiler, not on their texts alone.
    app.connect("env-get-outdated", lambda app, env, added, changed, removed: notebooks_of(env))


def notebooks_of(env):
    return [name for name in env.found_docs if name.startswith("notebooks/")]
