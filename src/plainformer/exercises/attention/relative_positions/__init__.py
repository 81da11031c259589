"""Five exercises on relative positions: RoPE and ALiBi.

Turn vectors with complex numbers, see that a shift of both positions changes no score, go from one
layout of the pairs to the other, and then ALiBi's slopes and its penalty. Each file holds one
exercise: the task and its solution, examples, hints, and the answers, wrong and right, that the
checker is tested with.
"""
