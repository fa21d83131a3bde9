"""A small program to look at."""

import os


def greet(name):
    return f"Hello, {name}!"


def farewell(name):
    return f"Bye, {nmae}!"


if __name__ == "__main__":
    print(greet("world"))
