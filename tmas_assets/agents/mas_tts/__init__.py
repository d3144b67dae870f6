"""The agents of the adaptive team (MAS-TTS): lead, recruiter, solver, critics, executor, evaluator; one module and one prompt file each.

Roles follow arXiv 2504.09772 and its code (jincan333/MAS-TTS @ ae8f961); wording, reply forms and parsers are ours.
"""
