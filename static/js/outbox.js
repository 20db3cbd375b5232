// Answers on their way: kept in this browser until the server has them, each sent in order and once.
// A browser that keeps nothing still sends what the open page holds.
const AGAIN_MS = 5_000;
const LONGEST_MS = 20_000;

export class Outbox extends EventTarget {
  #prefix;
  #token;
  #waiting = new Map();
  #sending = null;
  #again = 0;
  state = "";
  isKept = true;

  constructor(name, csrfToken) {
    super();
    this.#prefix = `${name}:`;
    this.#token = csrfToken;
    const kept = Object.keys(localStorage).filter((key) => key.startsWith(this.#prefix));
    const entries = kept.map((key) => JSON.parse(localStorage.getItem(key)));
    for (const entry of entries.sort((one, other) => one.at - other.at)) this.#waiting.set(entry.key, entry);
    window.addEventListener("online", () => this.send());
  }

  get size() {
    return this.#waiting.size;
  }

  get isSending() {
    return this.#sending !== null;
  }

  get entries() {
    return [...this.#waiting.values()];
  }

  add(entry) {
    this.#waiting.set(entry.key, entry);
    try {
      localStorage.setItem(this.#prefix + entry.key, JSON.stringify(entry));
    } catch {
      this.isKept = false;
    }
    this.send();
  }

  // Returns whether it had not been sent yet.
  takeBack(key) {
    const isHere = this.#waiting.delete(key);
    localStorage.removeItem(this.#prefix + key);
    return isHere;
  }

  send() {
    clearTimeout(this.#again);
    this.#sending ??= this.#sendAll().finally(() => { this.#sending = null; });
    return this.#sending;
  }

  async #sendAll() {
    while (this.#waiting.size) {
      const [entry] = this.#waiting.values();
      this.#tell(this.state === "waiting" ? "waiting" : "sending");
      const answer = await this.ask("POST", entry.url, entry.body);
      if (!answer || answer.status >= 500 || answer.status === 429) {
        this.#tell("waiting");
        this.#again = setTimeout(() => this.send(), AGAIN_MS);
        return;
      }
      const said = await answer.json().catch(() => ({}));
      // A role that does not allow it ends all that waits for the project; any other 403 is a session that changed.
      const isBarred = answer.status === 403 && said.code === "role";
      if (answer.status === 401 || (answer.status === 403 && !isBarred)) {
        this.#tell("signed out");
        return;
      }
      const gone = isBarred ? this.entries.filter(({ project }) => project === entry.project) : [entry];
      for (const { key } of gone) this.takeBack(key);
      this.#tell(this.size ? "sending" : "");
      const name = isBarred ? "barred" : answer.ok ? "stored" : "refused";
      this.dispatchEvent(new CustomEvent(name, { detail: { entry, gone, said, status: answer.status } }));
    }
  }

  // Returns the server's answer, null where it cannot be reached.
  async ask(method, url, body) {
    const headers = { "x-csrftoken": this.#token, accept: "application/json", "content-type": "application/json" };
    try {
      return await fetch(url, { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(LONGEST_MS) });
    } catch {
      return null;
    }
  }

  #tell(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}
