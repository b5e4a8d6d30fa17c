"""Trainings and counts that make the models and data files of metrics; `trainer` has the loop they share."""
