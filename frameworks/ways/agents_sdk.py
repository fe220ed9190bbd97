"""openai-agents: an agent with tools, which it runs by itself. It streams in asyncio alone."""

from __future__ import annotations

from typing import Any

import openai
from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, RunConfig, Runner
from agents.exceptions import AgentsException, ModelRefusalError

from frameworks.seen import MODEL, PROMPT, Asked, Seen, Way


async def stream(asked: Asked, seen: Seen) -> None:
    model = OpenAIChatCompletionsModel(MODEL, asked.sdk(openai.AsyncOpenAI))
    agent = Agent(name="Agent", model=model, tools=[_tool(name, seen) for name in asked.tools])
    config = RunConfig(tracing_disabled=True)
    result = Runner.run_streamed(agent, PROMPT, run_config=config)
    async for _ in result.stream_events():
        pass
    _end(result, seen)


def _tool(name: str, seen: Seen) -> FunctionTool:
    async def run(_context: Any, arguments: str) -> str:
        seen.ran.append((name, arguments))
        return "done"

    schema = {"type": "object"}
    return FunctionTool(name, "A tool.", schema, run, strict_json_schema=False)


def _end(result: Any, seen: Seen) -> None:
    # After tools were run it has asked again; this is about the first answer.
    for item in result.raw_responses[0].output:
        if item.type == "message":
            seen.text += "".join(part.text for part in item.content if part.type == "output_text")
        elif item.type == "function_call":
            seen.calls.append((item.name, item.arguments))


ERRORS = (AgentsException, openai.OpenAIError)

WAYS = [Way("openai-agents", True, stream, ERRORS, (ModelRefusalError,))]
