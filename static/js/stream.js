// Shows replies while they come: every unfinished reply on the page is resumed after the last number it has,
// grows downwards as plain text, and is swapped for the server's rendering when it has ended.
import { announce } from "./announcer.js";
import { refreshSearch } from "./tree.js";

const TERMINAL = new Set(["done", "stopped", "failed"]);
const CHECK_MS = 12_000;
const SPOKEN_LIMIT = 600;
const STAGE_SHOWN_MS = 400;
const SOURCES_MS = 1_500;

export class Stream {
  #rounds;
  #socket;
  #loading = new Set();
  #finishing = new Set();
  #stages = new WeakMap();

  constructor(rounds, socket) {
    this.#rounds = rounds;
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.resume();
      this.#askForNews();
    });
    socket.addEventListener("news", ({ detail }) => {
      for (const reply of detail.replies) if (!this.#shown(reply)) this.load(reply);
    });
    socket.addEventListener("sources", ({ detail }) => {
      for (const reply of detail.replies) this.#renew(reply);
    });
    socket.addEventListener("event", ({ detail }) => this.#take(detail));
    socket.addEventListener("withdrawn", ({ detail }) => this.#withdraw(detail.reply));
    // A reply that is swapped in by htmx (regenerated, retried, edited) is resumed like any other.
    document.body.addEventListener("htmx:load", () => this.resume());
    // A wake-up that was lost on the way must not leave a reply unfinished on the screen.
    setInterval(() => this.resume(), CHECK_MS);
  }

  get live() {
    return [...this.#rounds.querySelectorAll(".reply[data-live]")];
  }

  resume() {
    for (const reply of this.live) {
      this.#socket.send({ type: "resume", reply: Number(reply.dataset.reply), after: Number(reply.dataset.lastNumber) });
    }
  }

  // What was said between the rendering of this page and the opening of its socket came as no event. A page of earlier
  // rounds does not ask.
  #askForNews() {
    if (!("atEnd" in this.#rounds.dataset)) return;
    const shown = [...this.#rounds.querySelectorAll(".reply[data-reply]")].map((reply) => Number(reply.dataset.reply));
    this.#socket.send({ type: "news", after: Math.max(0, ...shown) });
  }

  #shown(replyId) {
    return this.#rounds.querySelector(`.reply[data-reply="${replyId}"]`);
  }

  async load(replyId) {
    if (this.#loading.has(replyId)) return;
    this.#loading.add(replyId);
    try {
      const answer = await fetch(this.#rounds.dataset.roundUrl.replace("/0/", `/${replyId}/`), { headers: { "HX-Request": "true" } });
      if (!answer.ok) return;
      const template = document.createElement("template");
      template.innerHTML = await answer.text();
      // What is on the page by now may be newer than what was fetched, and open where a person reads it.
      if (this.#shown(replyId)) return;
      const round = template.content.firstElementChild;
      // Another version of the message may stand in its place.
      const present = document.getElementById(round.id) ?? this.#rounds.querySelector(`.round[data-index="${round.dataset.index}"]`);
      if (present) present.replaceWith(round);
      else this.#rounds.insertBefore(round, this.#firstAfter(round));
      window.htmx.process(round);
      this.resume();
      const reply = this.#shown(replyId);
      if (reply && !("live" in reply.dataset)) this.#tellEnd(reply);
    } finally {
      this.#loading.delete(replyId);
    }
  }

  #firstAfter(round) {
    const place = (element) => Number(element.id.replace("round-", ""));
    return [...this.#rounds.children].find((other) => place(other) > place(round)) ?? null;
  }

  #take(event) {
    const reply = this.#shown(event.reply);
    if (!reply) {
      this.load(event.reply);
      return;
    }
    const last = Number(reply.dataset.lastNumber);
    if (!("live" in reply.dataset)) return;
    // The end of a reply is told again to whoever still waits for it, whatever number they have.
    const isEnd = event.kind === "state" && TERMINAL.has(event.data.state);
    if (event.number <= last && !isEnd) return;
    if (event.number > last + 1) {
      this.resume();
      return;
    }
    reply.dataset.lastNumber = event.number;
    this[`_${event.kind}`]?.(reply, event.data);
  }

  // A search does several things within a moment. A line stays long enough to be seen, and the last one always comes.
  _step(reply, { kinds, line: detail }) {
    const how = reply.querySelector(".how");
    if (kinds.some((kind) => kind !== "stage")) how.hidden = false;
    refreshSearch(how);
    if (!detail) return;
    const line = reply.querySelector(".stage");
    const { shownAt = -STAGE_SHOWN_MS, timer } = this.#stages.get(line) ?? {};
    clearTimeout(timer);
    const show = () => {
      line.textContent = detail;
      this.#stages.set(line, { shownAt: performance.now() });
    };
    const early = shownAt + STAGE_SHOWN_MS - performance.now();
    if (early <= 0) show();
    else this.#stages.set(line, { shownAt, timer: setTimeout(show, early) });
  }

  _reset(reply) {
    reply.querySelector(".words").textContent = "";
    refreshSearch(reply.querySelector(".how"));
  }

  _delta(reply, { text }) {
    const words = reply.querySelector(".words");
    if (words.lastChild?.nodeType === Node.TEXT_NODE) words.lastChild.appendData(text);
    else words.append(text);
    reply.dataset.state = "running";
  }

  _state(reply, { state }) {
    reply.dataset.state = state;
    if (!TERMINAL.has(state)) {
      const stage = reply.querySelector(".stage");
      if (state === "running" && stage.dataset.running) stage.textContent = stage.dataset.running;
      return;
    }
    this.#finish(reply, state);
  }

  // Until the server's rendering is there the reply stays live: if it cannot be fetched now, the next resume asks again.
  async #finish(reply, state) {
    if (this.#finishing.has(reply.id)) return;
    this.#finishing.add(reply.id);
    try {
      await this.#swap(reply);
    } catch {
      return;
    } finally {
      this.#finishing.delete(reply.id);
    }
    if (document.contains(reply)) return;
    this.#tellEnd(reply, state);
  }

  #tellEnd(reply, state = reply.dataset.state) {
    const said = (reply.querySelector(".words")?.textContent ?? "").trim().slice(0, SPOKEN_LIMIT);
    announce({ done: `Reply finished. ${said}`, stopped: "Reply stopped.", failed: "The reply failed." }[state]);
  }

  // The first message of a conversation is sent by a form: its reply may have ended before this page was there.
  tellFirst() {
    const reply = [...this.#rounds.querySelectorAll(".reply[data-reply]")].at(-1);
    if (reply && !("live" in reply.dataset)) this.#tellEnd(reply);
  }

  // Another page took the words of this round back, and what answers them now is shown as its events come.
  #withdraw(replyId) {
    const reply = this.#rounds.querySelector(`.reply[data-reply="${replyId}"][data-live]`);
    if (!reply) return;
    delete reply.dataset.live;
    reply.removeAttribute("aria-busy");
    reply.querySelector(".progress").textContent = "This reply was taken back. Reload to see what stands here now.";
  }

  // A reply of a version that came back rests again on what was learnt anew. Its round may be on its way to the page.
  #renew(replyId, mayWait = true) {
    const reply = this.#shown(replyId);
    if (reply && !("live" in reply.dataset)) this.#swap(reply);
    else if (mayWait) setTimeout(() => this.#renew(replyId, false), SOURCES_MS);
  }

  async #swap(reply) {
    const hadFocus = reply.contains(document.activeElement);
    const before = reply.querySelector(".how");
    const [wasOpen, wasRead] = [before?.open, before?.contains(document.activeElement)];
    const id = reply.id;
    // Without a source all replies would wait in the one queue of the page, which keeps only the last of them.
    await window.htmx.ajax("GET", reply.dataset.url, { source: reply, target: reply, swap: "outerHTML" });
    const ended = document.getElementById(id);
    const how = ended?.querySelector(".how");
    if (hadFocus) (wasRead && how ? how : ended)?.querySelector("button, a, summary")?.focus();
    if (wasOpen && how) {
      // htmx makes swapped content live a moment later, which is too late for a search that is asked for now.
      window.htmx.process(how);
      how.open = true;
    }
  }
}
