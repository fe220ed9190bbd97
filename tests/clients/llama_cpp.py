# mypy: ignore-errors
# None of the libraries below is installed where types are checked.
"""llama.cpp's own server with a tiny model of random weights: run as a program, it prints the
origin, and ends when its input does.

    python -m pip install gguf xllamacpp
    python tests/clients/llama_cpp.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

WIDTH = 32
HEADS = 4
CONTEXT = 512
WORDS = ["▁", *("▁" + word for word in "it holds torn whole Brücke 日本 🙂".split())]
TEMPLATE = "{% for message in messages %}{{ message['content'] }}{% endfor %}"


def make_model(path: Path) -> None:
    """A model of one layer that says whatever comes: bytes, letters, some words."""
    import gguf
    import numpy as np

    letters = [chr(code) for code in range(33, 127)]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *WORDS, *letters]
    kinds = [2, 3, 3, *[6] * 256, *[1] * (len(tokens) - 259)]  # gguf.TokenType
    random = np.random.default_rng(7)

    def weights(*shape: int) -> Any:
        return random.normal(0, 0.3, shape).astype(np.float32)

    ones = np.ones(WIDTH, np.float32)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(2 * WIDTH)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(place) for place in range(len(tokens))])
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(TEMPLATE)
    for name in ("token_embd", "output"):
        writer.add_tensor(f"{name}.weight", weights(len(tokens), WIDTH))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", ones)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        writer.add_tensor(f"blk.0.{name}.weight", weights(WIDTH, WIDTH))
    for name in ("ffn_gate", "ffn_up"):
        writer.add_tensor(f"blk.0.{name}.weight", weights(2 * WIDTH, WIDTH))
    writer.add_tensor("blk.0.ffn_down.weight", weights(WIDTH, 2 * WIDTH))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def serve(folder: Path) -> None:
    import xllamacpp

    model = folder / "random.gguf"
    make_model(model)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model)
    parameters.n_ctx = 2 * CONTEXT
    parameters.n_parallel = 2
    parameters.cpuparams.n_threads = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
