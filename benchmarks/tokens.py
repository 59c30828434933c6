"""
How far the token estimate is from what real tokenizers count.

    python -m benchmarks.tokens [--json]

Texts of a game (speech, prose, a prompt's JSON) in several languages are counted by the estimate
the budgets use and by every real tokenizer that is found without a network: Llama 2's, which the
package wordllama carries, and those of GPT-4, GPT-4o, Claude 2 and DeepSeek, which litellm carries
(the GPT ones read by tiktoken). A missing package is reported as missing. The error of a language
is that of all its texts together, signed: positive where the estimate is too high. `four_chars` is
the same for a quarter of the number of characters, the usual rule of thumb.

"""

# ruff: noqa: RUF001

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evennia_assistant.llm.tokens import estimate_tokens

from benchmarks._report import parser, report

Counter = Callable[[str], int]

TEXTS: dict[str, tuple[str, ...]] = {
    "english": (
        "Good evening, traveller. Come in, shake the rain off that cloak, and mind the third step; "
        "it has been loose since the flood. The ferry? It leaves at dawn, if the fog lets it, and "
        "the ferryman wants two silver for a horse.",
        "Anna told me yesterday that her brother lost his ring somewhere between the chapel and "
        "the old quarry. She is offering a keg of cider to whoever brings it back, though I would "
        "not go there after dark without a lantern and a friend who can run.",
        "You speak and act as one character in a text game. Players type what they do; you answer "
        "in the world, never as a machine and never as an author. Speak as this character would, "
        "in one to three short sentences, in the language you were spoken to.",
        "Wait, what? No. I said the blue door, not the blue drawer! Hah. Well, it's too late now, "
        "isn't it? Never mind... I'll ask Petra, she's got the other key, hasn't she?",
    ),
    "json": (
        '{"from": "Anna", "how": "say", "text": "My ship sails on Friday, at seven."}\n'
        '{"name": "Anna", "state": "friend", "meetings": 4, "last_seen": "2 days ago"}\n'
        '{"place": "The Grey Gull", "time": "evening", "present": ["Anna", "Bram"], "things": '
        '["a long oak table", "a cold fireplace"], "manner": "say"}',
        '{"type": "function", "function": {"name": "recall_memories", "description": "Search your '
        'memory.", "parameters": {"type": "object", "properties": {"query": {"type": "string", '
        '"description": "What to look for."}}, "required": ["query"]}}}',
    ),
    "german": (
        "Guten Abend, Fremder. Komm herein und schüttle den Regen vom Mantel, aber gib acht auf "
        "die dritte Stufe, die ist seit dem Hochwasser locker. Die Fähre legt im Morgengrauen ab, "
        "wenn der Nebel es zulässt.",
        "Anna hat mir gestern erzählt, dass ihr Bruder zwischen der Kapelle und dem alten "
        "Steinbruch seinen Ring verloren hat. Wer ihn zurückbringt, bekommt ein Fass Apfelwein.",
    ),
    "french": (
        "Bonsoir, voyageur. Entrez donc, secouez la pluie de votre manteau et prenez garde à la "
        "troisième marche, elle bouge depuis la crue. Le bac part à l'aube, si le brouillard veut "
        "bien se lever.",
        "Anna m'a raconté hier que son frère a perdu sa bague entre la chapelle et l'ancienne "
        "carrière. Elle offre un tonneau de cidre à qui la rapportera.",
    ),
    "russian": (
        "Добрый вечер, путник. Заходи, стряхни дождь с плаща и береги ноги: третья ступенька "
        "шатается с самого половодья. Паром уходит на рассвете, если позволит туман.",
        "Анна вчера рассказала, что её брат потерял кольцо где-то между часовней и старой "
        "каменоломней. Тому, кто его вернёт, она обещает бочонок сидра.",
    ),
    "chinese": (
        "晚上好，旅人。快进来，把斗篷上的雨水抖一抖，小心第三级台阶，自从发大水以后它就松了。"
        "渡船天一亮就开，要是雾散得开的话，带马的话要两枚银币。",
        "安娜昨天告诉我，她哥哥在小教堂和老采石场之间丢了戒指。谁把它找回来，她就送谁一桶苹果酒。"
        "不过天黑以后我可不会一个人去那里。",
    ),
    "japanese": (
        "こんばんは、旅の方。お入りなさい、外套の雨を払って、三段目の階段に気をつけて。"
        "洪水のあとからぐらついているんだ。渡し船は霧さえ晴れれば夜明けに出るよ。",
        "アンナが昨日話してくれたんだが、兄さんが礼拝堂と古い採石場のあいだで指輪をなくしたそうだ。",
    ),
    "korean": (
        "안녕하시오, 나그네. 어서 들어와서 외투의 비를 털고, 세 번째 계단을 조심하시오. "
        "홍수가 난 뒤로 흔들린다오. 안개만 걷히면 나룻배는 새벽에 떠나지요.",
        "안나가 어제 말하기를, 오라버니가 예배당과 옛 채석장 사이에서 반지를 잃어버렸다고 하오.",
    ),
}


def main(argv: list[str] | None = None) -> None:
    """Count every text by every tokenizer there is, and print how far the estimate is off."""
    asked = parser(__doc__).parse_args(argv)
    counters, missing = tokenizers()
    result: dict[str, Any] = {"missing": missing, "tokenizers": {}}
    for name, count in counters.items():
        result["tokenizers"][name] = {
            language: {
                "error": error(texts, count, estimate_tokens),
                "worst": max(abs(error((text,), count, estimate_tokens)) for text in texts),
                "four_chars": error(texts, count, lambda text: max(1, len(text) // 4)),
            }
            for language, texts in TEXTS.items()
        }
    report(result, as_json=asked.json, table=table(result))


def error(texts: tuple[str, ...], real: Counter, estimated: Counter) -> float:
    """How far an estimate is off over some texts, as a share of the real count."""
    actual = sum(map(real, texts))
    return (sum(map(estimated, texts)) - actual) / actual


def tokenizers() -> tuple[dict[str, Counter], list[str]]:
    """The real tokenizers found here by name, and what is missing for the others."""
    found: dict[str, Counter] = {}
    missing = []
    carried = _folder_of("litellm", "litellm_core_utils", "tokenizers")
    llama = _folder_of("wordllama", "tokenizers")
    files = {
        "llama-2": llama and llama / "l2_supercat_tokenizer_config.json",
        "claude-2": carried and carried / "anthropic_tokenizer.json",
        "deepseek": carried and carried / "deepseek_tokenizer.json",
    }
    for name, file in files.items():
        if find_spec("tokenizers") is None or not file or not file.is_file():
            missing.append(f"{name}: needs {'wordllama' if name == 'llama-2' else 'litellm'}")
        else:
            found[name] = _from_file(file)
    if carried is None or find_spec("tiktoken") is None:
        missing.append("gpt-4, gpt-4o: need litellm and tiktoken")
    else:
        found |= _from_tiktoken(carried)
    return found, missing


def _from_file(file: Path) -> Counter:
    import tokenizers as library

    tokenizer = library.Tokenizer.from_file(str(file))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _from_tiktoken(carried: Path) -> dict[str, Counter]:
    import tiktoken

    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(carried)
    try:
        encodings = {
            "gpt-4": tiktoken.get_encoding("cl100k_base"),
            "gpt-4o": tiktoken.get_encoding("o200k_base"),
        }
    finally:
        os.environ["TIKTOKEN_CACHE_DIR"] = before or tempfile.gettempdir()
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
    return {
        name: lambda text, encoding=encoding: len(encoding.encode(text))
        for name, encoding in encodings.items()
    }


def _folder_of(package: str, *parts: str) -> Path | None:
    """A folder inside an installed package, without importing it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations))).joinpath(*parts)
    return folder if folder.is_dir() else None


def table(result: dict[str, Any]) -> str:
    """The result for people."""
    lines = ["tokenizer  language    error   worst  four characters"]
    for name, languages in result["tokenizers"].items():
        for language, row in languages.items():
            lines.append(
                f"{name:<10} {language:<9} {row['error']:>+6.0%} {row['worst']:>7.0%} "
                f"{row['four_chars']:>+16.0%}"
            )
    return "\n".join([*lines, *(f"missing {what}" for what in result["missing"])])


if __name__ == "__main__":
    main(sys.argv[1:])
