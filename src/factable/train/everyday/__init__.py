"""Everyday JSON records with texts, faithful or with one fault each, for training and calibrating models."""

from factable.train.everyday.examples import EverydayExample, Fault, example_row, make_examples
from factable.train.everyday.texts import Sentence

__all__ = ["EverydayExample", "Fault", "Sentence", "example_row", "make_examples"]
