"""How fast untorn reads, against a floor that no reader in Python could go below by much.

``python -m bench`` from the root of the repository; ``--help`` says what else there is.
"""
