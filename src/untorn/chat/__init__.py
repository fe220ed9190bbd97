"""OpenAI chat completions: lines → payloads → chunks → completion → verdict."""
