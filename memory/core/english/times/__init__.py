"""Reads the dates and times that a text names: "yesterday", "the week before 14 June", "since May", "for six years".

A phrase means a time as exact as its words ("in 2019" is a whole year), counted from the day on which it was said. What may
be read in two ways (05/07/2023), a clock time without a day, and what comes again and again ("on Mondays") are left unread. A
year that is left out is the nearest one: most of what people tell is past, half a year ahead at most.
"""

from memory.core.english.times.calendar_words import MONTH, MONTHS, WEEKDAYS, stated_date
from memory.core.english.times.reading import dates_across, dates_in, time_of, times_in
from memory.core.english.times.reference import Granularity, PartialDate, TimeReference
