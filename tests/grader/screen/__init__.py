"""What a learner meets: the scoreboard and the commands beside grading.

`plugin` shows the `scoreboard` at the end of a run, with the `picture` of a finished kata; the
`record` keeps the exercise in hand, hints and times between runs. `commands` are the options that
run no test: `hints`, `redo` and `watch`. None of them judges anything.
"""
