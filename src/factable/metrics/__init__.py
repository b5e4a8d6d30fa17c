"""The metrics, one file each; `factable.core.registry` names them."""
