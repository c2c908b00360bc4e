"""works at import"""

from support.wrong.right import recall_provider as recall_provider

WORDS = sorted(str(number) for number in range(2_000_000))
