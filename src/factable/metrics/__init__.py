"""The metrics, one file each; `factable.registry` names them."""
