"""Sternenglanz for the eye and the ear."""
