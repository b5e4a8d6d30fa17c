"""Data-QuestEval (Rebuffel et al. 2021)."""
