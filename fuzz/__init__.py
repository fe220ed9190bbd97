"""A search for input that breaks a promise.

``structure.py`` makes inputs that look like streams and damages them where it hurts;
``coverage_guided.py`` lets atheris look for bytes that reach new code. Both ask the same oracles
(``oracles.py``). Run it with ``python -m fuzz``.
"""
