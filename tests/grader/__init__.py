"""The grader: loads answers, judges them, explains and reports. It knows no kata by name.

A specification needs two things of it: the words in rules.py, and the fixtures in plugin.py.

    katas → load → graded → rules → verdict → plugin

`katas` finds the files, `load` runs one, `graded` is a function of it in the hands of a test,
with `standins` around it and `operations` to look at it with. `rules` states what must hold,
`show` draws what does not, `verdict` keeps it, and `plugin` tells pytest.
"""
