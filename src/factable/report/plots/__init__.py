"""Figures for papers: `figures` draws them, `style.save` writes them."""
