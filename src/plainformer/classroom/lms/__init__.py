"""Systems that courses are run with: how each names what students handed in, and wants marks back.

One module for each. What they read and write is a public format; each module says whose.
"""
