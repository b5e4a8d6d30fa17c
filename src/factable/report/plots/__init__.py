"""Pictures for papers, one file per kind; each function gives a figure that `style.save` writes."""
