"""From the engine's answers to results: made safe, most important first, cut to a size, what is cut counted.

Both forms of a result are made here: the structured one and the text. A client shows its model one of them.
"""
