"""Sternenhimmel for the eye and the ear."""
