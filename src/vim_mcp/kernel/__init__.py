"""Jupyter kernels: one for an editor, in which code that its clients send is run and keeps its state."""
