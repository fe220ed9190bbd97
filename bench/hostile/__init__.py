"""What a hostile peer may send, and what it costs: ``python -m bench --hostile``.

``parts.py`` is what bodies are made of; ``lines.py``, ``answers.py``, ``values.py`` and
``texts.py`` are the bodies; ``run.py`` reads one in a process of its own; ``table.py`` judges what
that cost, and ``page.py`` writes it down.
"""
