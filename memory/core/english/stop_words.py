"""The words of English that hold sentences together and tell nothing by themselves."""

STOP_WORDS = frozenset(
    """
    a an the this that these those some any each every either neither no not nor
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves
    who whom whose which what where when why how
    am is are was were be been being do does did doing done have has had having will would can could shall should may
    might must ought
    and or but if then than so as of at by for with about to from up in out on off into onto over under
    there here just too very also
    im ive ill id youre youve youll youd hes shes theyre theyve theyll theyd weve wed thats theres whats lets isnt arent
    wasnt werent dont doesnt didnt havent hasnt hadnt wont wouldnt cant cannot couldnt shouldnt
    """.split()
)
