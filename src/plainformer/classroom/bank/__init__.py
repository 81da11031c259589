"""The book's practice tasks as question banks, for the systems that courses are run with.

The files read in this order: `questions` (what each task asks, whatever the format), `spellings`
(how a result may be typed), `markup` (text as elements that both formats take), `gift` (Moodle's
text format), `qti` (an item of IMS QTI 2.1) and `package` (the zip that items travel in).
"""
