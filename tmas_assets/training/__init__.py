"""Rows that trainers read, made from stored rounds: RL prompts, role conversations. Trainers come later."""
