// A socket that comes back by itself: it waits longer after each failure, and tries at once when the network returns.
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const HEARTBEAT_MS = 20_000;
const SILENCE_MS = 8_000;
// The server closes with it while its database is away, and answers 503.
const AWAY = 4503;

export class Socket extends EventTarget {
  #path;
  #socket = null;
  #failures = 0;
  #timer = 0;
  #silence = 0;

  constructor(path) {
    super();
    this.#path = path;
    window.addEventListener("online", () => this.#retryNow());
    window.addEventListener("offline", () => { if (this.isOpen) this.#drop(this.#socket); });
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.#retryNow(); });
    setInterval(() => this.#heartbeat(), HEARTBEAT_MS);
    this.#open();
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  send(message) {
    if (!this.isOpen) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  #open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.#path}`);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#failures = 0;
      this.dispatchEvent(new Event("open"));
    });
    socket.addEventListener("message", (event) => {
      clearTimeout(this.#silence);
      const message = JSON.parse(event.data);
      this.dispatchEvent(new CustomEvent(message.type, { detail: message }));
    });
    socket.addEventListener("close", ({ code }) => this.#lost(socket, code === AWAY));
  }

  #lost(socket, isAway = false) {
    if (socket !== this.#socket) return;
    clearTimeout(this.#silence);
    clearTimeout(this.#timer);
    this.dispatchEvent(new CustomEvent("lost", { detail: { isAway } }));
    // Its page is asked first: a socket that opens and is closed at once would take the notice away each time.
    if (isAway) this.#failures = Math.max(this.#failures, 2);
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#tryAgain(), wait * (0.75 + Math.random() / 2));
  }

  async #tryAgain() {
    // A refused handshake looks like a lost network to a socket; the page itself can tell that it is gone.
    if (this.#failures > 1) {
      try {
        const answer = await fetch(location.pathname, { method: "HEAD", credentials: "same-origin" });
        if (answer.redirected || answer.status === 404) {
          this.dispatchEvent(new Event("gone"));
          return;
        }
        if (answer.status === 503) {
          this.#lost(this.#socket, true);
          return;
        }
      } catch {
        this.#lost(this.#socket);
        return;
      }
    }
    this.#open();
  }

  #retryNow() {
    if (this.isOpen || this.#socket?.readyState === WebSocket.CONNECTING) return;
    clearTimeout(this.#timer);
    this.#failures = 0;
    this.#open();
  }

  #heartbeat() {
    if (!this.send({ type: "ping" })) return;
    clearTimeout(this.#silence);
    const socket = this.#socket;
    this.#silence = setTimeout(() => this.#drop(socket), SILENCE_MS);
  }

  // close() alone waits for an answer that a dead network will not give.
  #drop(socket) {
    socket.close();
    this.#lost(socket);
    if (socket === this.#socket) this.#socket = null;
  }
}
