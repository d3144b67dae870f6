"""Text in, grade out: thinking, boxed answers, choices, mathematics, code, judges."""
