"""prints at import"""

from support.wrong.right import recall_provider as recall_provider

print("ready for use")
