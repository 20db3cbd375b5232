"""How probable answers are: by the protocol of servers, by a script, and by a tiny model of random weights."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from memory.adapters.language_models.chat_format import chat_text
from memory.adapters.language_models.http import HttpLanguageModel
from memory.adapters.language_models.next_words import answer_chances, word_of
from memory.adapters.language_models.scripted import Rule, ScriptedLanguageModel
from memory.adapters.language_models.scripted_server import Fault, ScriptedServer, ServerConfig
from memory.adapters.language_models.transformers import TransformersLanguageModel
from memory.core.errors import LanguageModelError, ModelNotFound, ModelRefused, ModelUnreachable, UnparsableReply
from memory.core.types import AnswerChances, Message, MessageRole, Prompt, TokenUsage
from tests.unit.memory.adapters.language_models.conftest import CHAT_TEMPLATE, build_tiny_qwen3

ANSWERS = ("yes", "no")
RULES = (
    Rule(when="author", chances={"Yes": 0.5, " YES": 0.25, "no": 0.125}),
    Rule(when="sure", reply="No, it is not."),
    Rule(when="broken", error="unreachable", message="The line is dead."),
    Rule(when="unknown", reply="Perhaps."),
)
FORMS = ("yes", "Yes", "no", " No")


def prompt(text: str) -> Prompt:
    return Prompt((Message(MessageRole.SYSTEM, "Be brief."), Message(MessageRole.USER, text)))


def server(*faults: Fault, **config: object) -> ScriptedServer:
    return ScriptedServer(RULES, config=ServerConfig(**config), faults=faults)  # type: ignore[arg-type]


def model(at: ScriptedServer, **options: int) -> HttpLanguageModel:
    return HttpLanguageModel(at.base_url, "", "scripted", 5, 1, backoff_s=0.01, **options)


def chances(found: AnswerChances | Exception) -> tuple[float, ...]:
    assert isinstance(found, AnswerChances), found
    return (*found.chances, found.untold)


@pytest.mark.parametrize("token", [" Yes", "yes", "YES", "▁yes", "Ġyes", "\nyes "])
def test_forms_of_a_word_are_one_word(token: str) -> None:
    assert word_of(token) == "yes"


def test_token_that_is_told_twice_counts_once_and_none_for_more_than_certain() -> None:
    tokens = [("yes", math.log(0.5)), ("yes", math.log(0.5)), ("No", 3.0)]
    assert answer_chances(tokens, ("Yes", "no"), usage=TokenUsage(7, 1)) == AnswerChances((0.5, 1.0), 0.0, 7, 1)


@pytest.mark.parametrize("is_served", [True, False])
def test_chances_of_the_forms_of_an_answer_are_added(is_served: bool) -> None:
    asked = [prompt("Is she the author?"), prompt("Are you sure?"), prompt("unknown"), prompt("broken")]
    if is_served:
        with server() as at:
            found = model(at).probabilities_many(asked, ANSWERS)
            bodies = [dict(request.body) for request in at.requests]
        assert all(body["max_tokens"] == 1 and body["logprobs"] is True for body in bodies)
        assert all(body["top_logprobs"] == 20 and body["stream"] is False for body in bodies)
    else:
        found = ScriptedLanguageModel.of_rules(RULES).probabilities_many(asked, ANSWERS)
    assert chances(found[0]) == pytest.approx((0.75, 0.125, 0.125))
    assert chances(found[1]) == (0, 1, 0)
    assert chances(found[2]) == (0, 0, 0)
    assert isinstance(found[3], ModelUnreachable)


def test_tokens_are_counted() -> None:
    with server() as at:
        [served] = model(at).probabilities_many([prompt("author")], ANSWERS)
    [scripted] = ScriptedLanguageModel.of_rules(RULES).probabilities_many([prompt("author")], ANSWERS)
    assert isinstance(served, AnswerChances) and isinstance(scripted, AnswerChances)
    assert (
        (served.prompt_tokens, served.completion_tokens)
        == (scripted.prompt_tokens, scripted.completion_tokens)
        == (3, 1)
    )


def test_prompts_are_asked_at_once_and_answered_in_order() -> None:
    rules = [Rule(when=f"number {place}$", chances={"yes": place / 40}) for place in range(1, 21)]
    with ScriptedServer(rules, config=ServerConfig(latency_s=0.05)) as at:
        found = model(at, concurrency=4).probabilities_many([prompt(f"number {n}") for n in range(1, 21)], ["yes"])
        assert at.most_at_once == 4
    assert [chances(one)[0] for one in found] == pytest.approx([place / 40 for place in range(1, 21)])
    with server() as at:
        assert model(at).probabilities_many([], ANSWERS) == [] and at.requests == []


def test_server_that_tells_of_few_tokens_is_asked_for_few_from_then_on() -> None:
    with server(top_logprobs=5) as at:
        asking = model(at)
        for _ in range(2):
            [found] = asking.probabilities_many([prompt("author")], ANSWERS)
            assert chances(found) == pytest.approx((0.75, 0.125, 0.125))
        assert [request.body["top_logprobs"] for request in at.requests] == [20, 5, 5]


def test_answer_beyond_those_that_are_told_has_none_and_the_rest_is_noted() -> None:
    rule = Rule(chances={**{f"word{place}": 0.1 for place in range(5)}, "yes": 0.05})
    with ScriptedServer([rule], config=ServerConfig(top_logprobs=5)) as at:
        [found] = model(at).probabilities_many([prompt("x")], ANSWERS)
    assert chances(found) == pytest.approx((0, 0, 0.5))


def refusal(message: str, param: str | None = None) -> Fault:
    return Fault(status=400, body={"error": {"message": message, "param": param}})


@pytest.mark.parametrize(
    "faults",
    [
        (refusal("This model does not support logprobs", "logprobs"),),
        (refusal("unknown field top_logprobs"), refusal("unknown field top_logprobs")),
        (refusal("You are not allowed to request logprobs from this model"),),
    ],
)
def test_server_that_refuses_is_named_in_one_sentence(faults: Sequence[Fault]) -> None:
    with server(*faults) as at:
        [found] = model(at).probabilities_many([prompt("author")], ANSWERS)
        assert isinstance(found, ModelRefused)
        assert str(found) == (
            f"The server at {at.base_url} does not tell how probable its words are (logprobs). "
            "Choose an engine whose server does, or another player of the role (DSMART_ROLES)."
        )
        assert len(at.requests) == len(faults)


def test_server_that_passes_over_the_question_is_named_too() -> None:
    with server(top_logprobs=0) as at:
        found = model(at).probabilities_many([prompt("author"), prompt("sure")], ANSWERS)
    assert [type(one) for one in found] == [ModelRefused, ModelRefused]
    assert "does not tell how probable its words are" in str(found[0])


@pytest.mark.parametrize("fault", [refusal("Too long", "messages"), Fault(status=401)])
def test_refusal_of_another_kind_keeps_its_own_sentence(fault: Fault) -> None:
    with server(fault) as at:
        [found] = model(at).probabilities_many([prompt("author")], ANSWERS)
    assert isinstance(found, ModelRefused) and "logprobs" not in str(found)


def test_passing_failure_is_tried_again() -> None:
    with server(Fault(status=503)) as at:
        [found] = model(at).probabilities_many([prompt("author")], ANSWERS)
    assert chances(found) == pytest.approx((0.75, 0.125, 0.125))


def told(**place: object) -> dict[str, object]:
    return {"choices": [{"message": {"content": "x"}, "logprobs": {"content": [place]}}]}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({}, UnparsableReply),
        ({"choices": []}, UnparsableReply),
        ({"choices": [{"message": {"content": "yes"}, "logprobs": None}]}, ModelRefused),
        ({"choices": [{"message": {"content": "yes"}, "logprobs": {"content": []}}]}, ModelRefused),
        (told(token="yes", logprob="-0.1"), ModelRefused),
        (told(token=5, logprob=-0.1, top_logprobs=[7, None, {"token": "yes"}]), ModelRefused),
        (told(top_logprobs=[{"token": "yes", "logprob": True}]), ModelRefused),
    ],
)
def test_response_without_probabilities_is_an_error_of_its_kind(body: dict[str, object], kind: type[Exception]) -> None:
    with server(Fault(json_instead=body)) as at:
        [found] = model(at).probabilities_many([prompt("author")], ANSWERS)
    assert isinstance(found, kind), found


def test_mutated_responses_give_probabilities_or_an_error() -> None:
    top = [{"token": " Yes", "logprob": -0.1}, {"token": "no", "logprob": -2.5}, {"token": "x", "logprob": -9999.0}]
    whole = json.dumps(told(token=" Yes", logprob=-0.1, top_logprobs=top))
    junk = ["", "null", "[]", "{", '"', "7", "-1e400", "NaN", "1e308", "true", "\\ud800", "[[[[", "-Infinity"]
    chance = random.Random(3)
    bodies = []
    for _ in range(400):
        place, length = chance.randrange(len(whole)), chance.randrange(1, 25)
        bodies.append((whole[:place] + chance.choice(junk) + whole[place + length :]).encode())
    with server() as at:
        asking = model(at)
    readable = 0
    for body in bodies:
        try:
            found = asking._chances(body, ANSWERS)
        except LanguageModelError:
            continue
        readable += 1
        assert all(0 <= value <= 1 for value in (*found.chances, found.untold)), body
    assert 50 < readable < 400


@pytest.mark.parametrize(
    "line", ['{"chances": {"yes": 1.5}}', '{"chances": {"yes": 0}}', '{"reply": "x", "chances": {"yes": 1}}', "{}"]
)
def test_bad_chances_of_a_script_are_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "script.jsonl").write_text(line)
    with pytest.raises(ModelRefused, match="Line 1 of the script"):
        ScriptedLanguageModel(tmp_path / "script.jsonl")


def test_script_replies_with_the_most_probable_word() -> None:
    assert Rule(chances={"no": 0.2, "yes": 0.7}).text() == "yes"


@pytest.fixture(scope="module")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_answering(tmp_path_factory.mktemp("models") / "answering")


def build_answering(folder: Path, *, chat_template: str | None = CHAT_TEMPLATE) -> Path:
    """Return a tiny model whose vocabulary has forms of yes and no."""
    build_tiny_qwen3(folder, chat_template=chat_template)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(list(FORMS))
    network = AutoModelForCausalLM.from_pretrained(folder)
    with torch.no_grad():
        network.lm_head.weight[tokenizer.convert_tokens_to_ids(list(FORMS))] = torch.randn(4, 64) * 0.6
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def local(answering: Path) -> TransformersLanguageModel:
    return TransformersLanguageModel(str(answering), device="cpu", batch_size=3)


ASKED = [prompt("hello " * times) for times in (7, 1, 3, 12, 2)]


def test_probabilities_are_those_of_a_forward_pass(answering: Path, local: TransformersLanguageModel) -> None:
    tokenizer, network = AutoTokenizer.from_pretrained(answering), AutoModelForCausalLM.from_pretrained(answering)
    found = local.probabilities_many(ASKED, ANSWERS)
    seen = set()
    for one, asked in zip(found, ASKED, strict=True):
        tokens = tokenizer(chat_text(tokenizer, asked), return_tensors="pt", add_special_tokens=False)["input_ids"]
        with torch.inference_mode():
            after = torch.softmax(network(input_ids=tokens).logits[0, -1].double(), dim=-1)
        ids = dict(zip(FORMS, tokenizer.convert_tokens_to_ids(list(FORMS)), strict=True))
        yes, no = after[ids["yes"]] + after[ids["Yes"]], after[ids["no"]] + after[ids[" No"]]
        assert chances(one) == pytest.approx((float(yes), float(no), 0), rel=1e-3)
        assert isinstance(one, AnswerChances)
        assert (one.prompt_tokens, one.completion_tokens) == (tokens.shape[1], 1)
        seen.add(float(yes))
    assert len(seen) == len(ASKED), "each prompt has its own"


def test_batch_gives_what_single_prompts_give(local: TransformersLanguageModel) -> None:
    together = [chances(one) for one in local.probabilities_many(ASKED, ANSWERS)]
    alone = [chances(local.probabilities_many([one], ANSWERS)[0]) for one in ASKED]
    assert [value for one in together for value in one] == pytest.approx([v for one in alone for v in one], rel=1e-4)


def test_model_without_a_template_is_asked_in_the_plain_format(tmp_path: Path) -> None:
    plain = TransformersLanguageModel(str(build_answering(tmp_path / "plain", chat_template=None)), device="cpu")
    [found] = plain.probabilities_many([prompt("hello")], ANSWERS)
    assert 0 < chances(found)[0] < 1


def test_answer_that_is_no_token_is_refused(local: TransformersLanguageModel) -> None:
    found = local.probabilities_many(ASKED[:2], ("yes", "certainly"))
    assert [type(one) for one in found] == [ModelRefused, ModelRefused]
    assert "no token for 'certainly'" in str(found[0])


def test_prompt_over_the_window_fails_alone(local: TransformersLanguageModel) -> None:
    short, long = local.probabilities_many([prompt("hello"), prompt("hello " * 600)], ANSWERS)
    assert 0 < chances(short)[0] < 1
    assert isinstance(long, ModelRefused) and "reads at most 512" in str(long)


def test_thinking_is_turned_off_before_an_answer(answering: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(answering)
    tokenizer.chat_template = "{{ messages[-1].content }}{% if enable_thinking is not defined %}<think>{% endif %}"
    assert chat_text(tokenizer, prompt("x"), is_answered_at_once=True) == "x"
    assert chat_text(tokenizer, prompt("x")) == "x<think>"


def test_weights_that_cannot_be_read_are_said_of_every_prompt(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    found = TransformersLanguageModel(str(tmp_path), device="cpu").probabilities_many(ASKED[:2], ANSWERS)
    assert [type(one) for one in found] == [ModelNotFound, ModelNotFound]
