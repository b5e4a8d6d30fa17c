"""The trainable ranking metric (Garneau and Lamontagne 2021)."""
