"""Figures of what agents get: tokens of answers, memory, time to the first answer."""
