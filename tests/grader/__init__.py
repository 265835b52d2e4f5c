"""The grader: loads answers, judges them, explains and reports. It knows no kata by name.

A specification needs two things of it: the words in `rules`, and the fixtures in `plugin`.

    katas → load → graded → rules → verdict → plugin → screen/

`katas` finds the files, `load` runs one, `grading` holds all that a run grades. `graded` is a
function in the hands of a test, with `standins` around it and `operations` to look at it with
(`elsewhere` plays a GPU). `rules` states what must hold, `verdict` keeps what does not, `show` and
`explain` put it into numbers and words, `diagnose` names the mistake, and `plugin` tells pytest.
"""
