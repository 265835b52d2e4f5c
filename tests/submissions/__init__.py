"""Grading other people's answers: many at once, each out of reach of the tests.

    find       which submissions there are
    plugin     the options, and what becomes of them in pytest
    isolated   the answers, the function and the grading of one submission, as the tests see them
    process    starts the process of a submission, asks it, ends it
    wire       the bytes that go to and fro: data, never objects
    child      what runs in that process
    confined   what it may not do there
    board      the screen for many
    report     the same as a file

Nothing in tests/grader/ knows of this folder. Without it everything else works as before.
"""
