"""The engine of one folder and the workspace of several: what every front end calls.

An engine opens the models and the saved index, follows the folder, and answers each question from
one snapshot. Front ends hold no search logic.
"""
