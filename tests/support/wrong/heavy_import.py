"""imports an HTTP client at once"""

import httpx

from support.wrong.right import recall_provider as recall_provider

CLIENT = httpx.Client
