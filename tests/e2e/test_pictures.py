"""Pictures that can be read: where things, links and words stand, at any size of memory, on wide and narrow pages."""

from __future__ import annotations

import json
import random
import re
import uuid
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import WAIT_MS, Open, picture
from tests.product import ServedProduct

pytestmark = pytest.mark.e2e
expect.set_options(timeout=WAIT_MS)
WIDE = {"viewport": {"width": 1360, "height": 850}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LEGIBLE_PX = 10
# The boxes of all things and labels on the screen, and points along each link, a step of the picture apart.
MEASURE = """() => {
  const box = (element) => {
    const {x, y, width, height} = element.getBoundingClientRect();
    return [x, y, x + width, y + height];
  };
  const sheet = document.querySelector(".graph-sheet");
  const things = [...sheet.querySelectorAll(".thing")].map((thing) => ({
    id: thing.dataset.id, box: box(thing.querySelector("rect")), words: box(thing.querySelector("text")) }));
  const links = [...sheet.querySelectorAll(".link")].map((link) => {
    const path = link.querySelector(".line");
    const at = path.getScreenCTM();
    const points = [];
    for (let along = 0; along <= path.getTotalLength(); along += 2) {
      const {x, y} = path.getPointAtLength(along).matrixTransform(at);
      points.push([x, y]);
    }
    const label = link.querySelector(".label");
    return { id: link.dataset.id, points, label: label && box(label) };
  });
  const scale = sheet.getScreenCTM().a;
  const size = parseFloat(getComputedStyle(sheet).fontSize) * scale;
  return { things, links, size, frame: box(document.getElementById("graph-picture")) };
}"""
Box = tuple[float, float, float, float]


def meet(one: Box, other: Box) -> bool:
    """Return whether two boxes have more than half a pixel of each other."""
    return min(one[2], other[2]) - max(one[0], other[0]) > 0.5 and min(one[3], other[3]) - max(one[1], other[1]) > 0.5


def holds(box: Box, x: float, y: float) -> bool:
    return box[0] + 1 < x < box[2] - 1 and box[1] + 1 < y < box[3] - 1


def faults(drawn: dict[str, Any]) -> list[str]:
    """Return what lies on what in a picture: words on words or things, things on things, links on things or words."""
    boxes = [(f"thing {one['id']}", one["box"]) for one in drawn["things"]]
    boxes += [(f"label {one['id']}", one["label"]) for one in drawn["links"] if one["label"]]
    found = [f"{a} on {b}" for (a, first), (b, second) in combinations(boxes, 2) if meet(first, second)]
    for thing in drawn["things"]:
        words, box = thing["words"], thing["box"]
        if not (box[0] <= words[0] and words[2] <= box[2] and box[1] <= words[1] + 1 and words[3] <= box[3] + 1):
            found.append(f"words of {thing['id']} out of their box")
    for link in drawn["links"]:
        own = {f"label {link['id']}"}
        crossed = {
            name for name, box in boxes if name not in own and any(holds(box, *point) for point in link["points"])
        }
        found += [f"link {link['id']} through {name}" for name in crossed]
    return found


@pytest.fixture
def remembering(server: ServedProduct, signed_in: Open):
    """Return a way to open the graph of an account whose memory has so many facts."""

    def opened(facts: int, *, asked: str = "", **options: Any) -> Page:
        name = f"ana-{uuid.uuid4().hex[:8]}"
        page = signed_in(name, **options)
        fill = f"from tests.e2e.memories import filled; filled({name!r}, {facts})"
        server.manage("shell", "--verbosity", "0", "--command", fill)
        page.goto(f"{server.address}/memory/")
        page.goto(f"{page.url}?view=picture{asked}")
        expect(page.locator("#graph-picture")).to_have_attribute("data-drawn", re.compile("graph/data"))
        page.wait_for_timeout(300)
        return page

    return opened


@pytest.mark.parametrize("facts", [20, 66, 500])
def test_nothing_lies_on_anything_else_and_all_words_can_be_read(remembering, facts):
    page = remembering(facts, **WIDE)
    phone = page.context.browser.new_context(**PHONE, storage_state=page.context.storage_state()).new_page()
    phone.goto(page.url)
    expect(phone.locator("#graph-picture")).to_have_attribute("data-drawn", re.compile("graph/data"))
    for window, name in ((page, "wide"), (phone, "phone")):
        for scheme in ("light", "dark"):
            window.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            window.reload()
            expect(window.locator(".thing.is-root")).to_be_in_viewport()
            drawn = window.evaluate(MEASURE)
            assert faults(drawn) == []
            assert drawn["size"] >= LEGIBLE_PX
            assert 15 <= len(drawn["things"]) <= 40
            picture(window, f"graph-{facts}-{name}-{scheme}")
        window.get_by_role("button", name="Show all").click()
        window.wait_for_timeout(250)
        drawn = window.evaluate(MEASURE)
        left, top, right, bottom = drawn["frame"]
        for thing in drawn["things"]:
            x0, y0, x1, y1 = thing["box"]
            assert left <= x0 and x1 <= right and top <= y0 and y1 <= bottom, thing["id"]
        assert window.evaluate("document.documentElement.scrollWidth") <= window.viewport_size["width"]
    phone.context.close()


def test_groups_open_in_their_place_and_everything_else_keeps_its_own(remembering):
    page = remembering(500, **WIDE)
    before = places(page)
    fold = page.locator(".thing.is-fold text")
    expect(fold).to_have_text("217 more")
    fold.click()
    expect(page).to_have_url(re.compile(r"group=\d+%3Aout%3Alikes"))
    expect(fold).to_have_text("197 more")
    after = places(page)
    stayed = {name: at for name, at in before.items() if name in after and not name.startswith("group")}
    assert len(stayed) == len(before) - 1 and {name: after[name] for name in stayed} == stayed
    assert faults(page.evaluate(MEASURE)) == []
    # By keyboard too, and in the table.
    page.locator("#graph-picture").focus()
    for key in ("ArrowLeft", *["ArrowDown"] * 30, *["ArrowUp"] * 60):
        page.keyboard.press(key)
        if page.locator(".thing.is-chosen.is-fold").count():
            break
    page.keyboard.press("Enter")
    expect(fold).to_have_text("177 more")
    page.get_by_role("link", name="Show as table").click()
    expect(page.locator("#graph-table").get_by_role("link", name="You, likes: 177 more")).to_be_visible()
    page.get_by_role("link", name="You, likes: 177 more").click()
    expect(page.get_by_role("link", name="You, likes: 157 more")).to_be_visible()


def places(page: Page) -> dict[str, float]:
    """Return at what height each thing stands in its column."""
    kept = page.evaluate("Object.entries(sessionStorage).find(([key]) => key.startsWith('graph-places'))[1]")
    return dict(json.loads(kept)["kept"])


def test_first_places_are_the_same_for_the_same_memory(remembering):
    page = remembering(66, **WIDE)
    once = places(page)
    page.evaluate("sessionStorage.clear()")
    page.reload()
    expect(page.locator(".thing.is-root")).to_be_visible()
    assert places(page) == once


def test_search_centres_what_it_found_and_shows_what_is_around_it(remembering):
    page = remembering(66, **WIDE)
    page.get_by_role("combobox", name="Begin from a thing or a person").fill("chi")
    page.get_by_role("option", name="Chiara").click()
    expect(page.locator(".thing.is-root")).to_contain_text("Chiara")
    page.wait_for_timeout(300)
    drawn = page.evaluate(MEASURE)
    left, top, right, bottom = drawn["frame"]
    assert faults(drawn) == []
    boxes = [thing["box"] for thing in drawn["things"]]
    assert all(left <= x0 and x1 <= right and top <= y0 and y1 <= bottom for x0, y0, x1, y1 in boxes)
    middle = page.locator(".thing.is-root rect").bounding_box()
    assert abs(middle["y"] + middle["height"] / 2 - (top + bottom) / 2) < (bottom - top) / 4
    assert drawn["size"] >= LEGIBLE_PX


def test_what_was_replaced_comes_into_view_at_once(remembering):
    page = remembering(500, **WIDE)
    expect(page.locator(".link.is-past")).to_have_count(0)
    page.get_by_role("link", name="Show what was replaced").click()
    expect(page.locator(".link.is-past")).to_have_count(2)
    page.wait_for_timeout(300)
    left, top, right, bottom = page.evaluate(MEASURE)["frame"]
    for name in ("Paris", "a bank"):
        box = page.locator(".thing").filter(has_text=name).first.bounding_box()
        assert left <= box["x"] and box["x"] + box["width"] <= right, name
        assert top <= box["y"] and box["y"] + box["height"] <= bottom, name
    expect(page.locator("#replaced-told")).to_have_text("2 facts that were replaced are shown, struck through.")
    struck = page.locator(".link.is-past .label").first.evaluate("(e) => getComputedStyle(e).textDecorationLine")
    assert struck == "line-through"


def test_any_graph_is_laid_out_without_faults_and_what_grows_stays(signed_in):
    """The layout itself, on graphs that no memory would have: loops, several links of the same two, many parts."""
    page = signed_in(f"ana-{uuid.uuid4().hex[:8]}")
    chance = random.Random(19)
    for size in (1, 2, 5, 14, 40, 90):
        for sides in (1, 2):
            nodes = [
                {
                    "id": f"entity-{at}",
                    "is_root": at == 0,
                    "width": chance.randint(20, 156),
                    "height": chance.choice([27, 44, 61]),
                }
                for at in range(size)
            ]
            edges = [edge_between(chance, number, size) for number in range(int(size * 1.4))]
            first = laid_out(page, nodes, edges, sides)
            assert boxes_of(first, edges) == []
            grown = [*nodes, *({"id": f"entity-{size + at}", "width": 60, "height": 27} for at in range(4))]
            more = [
                *edges,
                *(edge_between(chance, 900 + at, size) | {"target": f"entity-{size + at}"} for at in range(4)),
            ]
            second = laid_out(page, grown, more, sides, first)
            assert boxes_of(second, more) == []
            stayed = [name for name, at in first["places"].items() if second["places"][name]["y"] == at["y"]]
            # What gets a row for another link may need more room than there is.
            assert len(stayed) >= len(first["places"]) - 4
            assert laid_out(page, nodes, edges, sides) == first


def edge_between(chance: random.Random, number: int, size: int) -> dict[str, Any]:
    ends = (int(chance.random() ** 2 * size), chance.randrange(size))
    return {
        "id": f"fact-{number}",
        "source": f"entity-{ends[0]}",
        "target": f"entity-{ends[1]}",
        "width": chance.randint(10, 104),
    }


LAYOUT = """async ([nodes, edges, sides, before, module]) => {
  const { laidOut } = await import(module);
  const kept = Object.entries(before?.places ?? {}).map(([id, { y, column }]) => [`${id} ${column}`, y]);
  const options = before ? { kept: new Map(kept), widths: new Map(before.widths) } : {};
  const { places, routes, widths } = laidOut(nodes, edges, { sides, ...options });
  const links = [...routes].map(([id, { path, label }]) => {
    const drawn = document.createElementNS("http://www.w3.org/2000/svg", "path");
    drawn.setAttribute("d", path);
    const points = [];
    for (let along = 0; along <= drawn.getTotalLength(); along += 2) {
      const { x, y } = drawn.getPointAtLength(along);
      points.push([x, y]);
    }
    return [id, { label, points }];
  });
  return { places: Object.fromEntries(places), links: Object.fromEntries(links), widths: [...widths] };
}"""


def laid_out(page: Page, nodes, edges, sides: int, before: dict[str, Any] | None = None) -> dict[str, Any]:
    module = page.evaluate(
        "document.querySelector('script[src*=\"talk\"]').src.replace(/talk[^/]*$/, 'graph_layout.js')"
    )
    return page.evaluate(LAYOUT, [nodes, edges, sides, before, module])


def boxes_of(laid: dict[str, Any], edges: list[dict[str, Any]]) -> list[str]:
    def box(at: dict[str, float], width: float, height: float) -> Box:
        return (at["x"] - width / 2, at["y"] - height / 2, at["x"] + width / 2, at["y"] + height / 2)

    things = [{"id": name, "box": box(at, at["width"], at["height"])} for name, at in laid["places"].items()]
    links = [
        {
            "id": edge["id"],
            "points": laid["links"][edge["id"]]["points"],
            "label": box(laid["links"][edge["id"]]["label"], edge["width"], 14),
        }
        for edge in edges
    ]
    return faults({"things": [thing | {"words": thing["box"]} for thing in things], "links": links})


def pages_of(page: Page, starts: list[str]) -> list[str]:
    """Visit every kind of page that links lead to, each once, and return what the console said there with its address."""
    said: list[str] = []
    page.on("console", lambda one: said.append(f"{page.url}: {one.text}") if one.type in {"error", "warning"} else None)
    page.on("pageerror", lambda one: said.append(f"{page.url}: {one}"))
    waiting, seen = list(starts), set[str]()
    while waiting:
        address = waiting.pop(0)
        # Numbers and what is asked of a page do not make another kind of it.
        kind = re.sub(r"\d+", "N", address.split("#")[0].split("?")[0])
        if kind in seen:
            continue
        seen.add(kind)
        page.goto(address)
        page.wait_for_load_state("networkidle")
        links = page.eval_on_selector_all("a[href]:not([download])", "(all) => all.map((one) => one.href)")
        origin = page.evaluate("location.origin")
        waiting += [
            link
            for link in links
            if link.startswith(origin) and not re.search(r"/(export|logout|static)/|schema", link)
        ]
    assert len(seen) > 40, sorted(seen)
    return said


def test_no_page_says_anything_in_the_console(server, remembering, scripted):
    page = remembering(66, **WIDE)
    page.goto(f"{server.address}/")
    page.get_by_label("Your message", exact=True).fill("I live in Paris at once.")
    page.get_by_label("Your message", exact=True).press("Enter")
    expect(page.locator(".reply-foot")).to_have_count(1)
    server.manage("shell", "--verbosity", "0", "--command", STAFF)
    assert pages_of(page, [f"{server.address}/", f"{server.address}/admin/", f"{server.address}/api/docs/"]) == []


STAFF = "from django.contrib.auth.models import User; User.objects.update(is_staff=True, is_superuser=True)"
