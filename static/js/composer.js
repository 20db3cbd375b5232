// Writing: Enter sends, Shift-Enter breaks the line, the field grows, and a message waits here until the server has it.
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Composer {
  #form;
  #field;
  #refusal;
  #socket;
  #rounds;
  #stream;
  #waiting = new Map();

  constructor(form, rounds, socket, stream) {
    this.#form = form;
    this.#field = form.querySelector("textarea");
    this.#refusal = form.querySelector(".refusal");
    this.#rounds = rounds;
    this.#socket = socket;
    this.#stream = stream;
    this.#field.value ||= sessionStorage.getItem(this.#draft) ?? "";
    growWithText(this.#field, () => sessionStorage.setItem(this.#draft, this.#field.value));
    sendOnEnter(this.#field);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#post();
    });
    socket.addEventListener("open", () => this.#sendWaiting());
    socket.addEventListener("posted", ({ detail }) => this.#posted(detail));
    socket.addEventListener("refused", ({ detail }) => this.#refused(detail));
  }

  get #draft() {
    return `draft:${this.#form.action}`;
  }

  #post() {
    const text = this.#field.value;
    if (!text.trim()) {
      this.#field.focus();
      return;
    }
    const limit = Number(this.#field.dataset.limit);
    if (text.length > limit) {
      this.#say(`That is ${text.length.toLocaleString()} characters; ${limit.toLocaleString()} fit in one message. Send it in parts.`);
      return;
    }
    this.#say("");
    const key = newKey();
    const pending = document.getElementById("pending").content.firstElementChild.cloneNode(true);
    pending.querySelector(".words").textContent = text;
    this.#rounds.append(pending);
    pending.scrollIntoView({ block: "end" });
    document.getElementById("empty")?.remove();
    this.#waiting.set(key, { text, pending });
    this.#field.value = "";
    this.#field.dispatchEvent(new Event("input"));
    this.#field.focus();
    this.#socket.send({ type: "message", text, key });
  }

  #sendWaiting() {
    for (const [key, { text }] of this.#waiting) this.#socket.send({ type: "message", text, key });
  }

  async #posted({ key, reply }) {
    const sent = this.#waiting.get(key);
    if (!sent) return;
    this.#waiting.delete(key);
    // Both in one frame, or the message would be gone for a moment.
    await this.#stream.load(reply);
    sent.pending.remove();
  }

  #refused({ key, message }) {
    const sent = this.#waiting.get(key);
    this.#say(message);
    if (!sent) return;
    this.#waiting.delete(key);
    sent.pending.remove();
    if (!this.#field.value) {
      this.#field.value = sent.text;
      this.#field.dispatchEvent(new Event("input"));
    }
  }

  #say(message) {
    this.#refusal.textContent = message;
    this.#refusal.hidden = !message;
    this.#field.toggleAttribute("aria-invalid", Boolean(message));
    if (message) this.#field.setAttribute("aria-invalid", "true");
  }
}

export function growWithText(field, onInput = () => {}) {
  const grow = () => {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
    onInput();
  };
  field.addEventListener("input", grow);
  grow();
}

export function sendOnEnter(field) {
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    field.form.requestSubmit();
  });
}
