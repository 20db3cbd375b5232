// What the labelling page says.
const MOST_REFUSALS = 3;
export const ON_ITS_WAY = "The next item is on its way.";
export const LAST = "That was the last one. Nothing here waits for you.";
export const NONE = "Nothing here waits for you: no item lacks a label that you could give.";
export const WHY_SKIP = "Say in a few words why you skip it.";
export const AWAY = "The network is away, so there is no next item yet.";
export const SIGNED_OUT = "The server gives no next item. Reload this page to see why.";
export const BARRED = "You may not label here any more. Your answers were not stored.";
export const GONE = "The item of an answer is not there any more, or you take part here no longer.";
export const STORED_FIRST = "The next item comes as soon as your answers are stored.";

// Says how far one is, and at which pace: how long the last items took, in milliseconds.
export function tellProgress(counts, took) {
  const { done } = counts;
  const open = Math.max(0, counts.left);
  const pace = took.length > 2 ? took.reduce((sum, one) => sum + one, 0) / took.length / 1000 : 0;
  const minutes = Math.ceil((open * pace) / 60);
  const speed = pace ? ` · ${pace < 10 ? pace.toFixed(1) : Math.round(pace)} s an item${open ? `, about ${minutes} min left` : ""}` : "";
  document.getElementById("progress").textContent = `${done} done, ${open} left for you${speed}`;
  document.getElementById("share").value = done + open ? done / (done + open) : 1;
}

// Shows why an answer was not taken, or was not undone.
export function refuse(sentence, what = "") {
  const notice = document.createElement("p");
  notice.className = "notice conflict";
  notice.textContent = what ? `${sentence} (“${what}”)` : sentence;
  const place = document.getElementById("refusals");
  place.append(notice);
  while (place.children.length > MOST_REFUSALS) place.firstElementChild.remove();
}

// Says what waits for the network, and where it is kept.
export function tellKeeping(outbox) {
  const isOne = outbox.size === 1;
  const kept = outbox.isKept
    ? `${isOne ? "It is" : "They are"} kept in this browser and sent by ${isOne ? "itself" : "themselves"}.`
    : "This browser keeps nothing: leave this page open.";
  const many = isOne ? "1 answer waits" : `${outbox.size} answers wait`;
  document.getElementById("keeping").textContent = {
    waiting: `${many} for the network. ${kept}`,
    "signed out": `${many} here: you were signed out. Reload this page. ${kept}`,
  }[outbox.state] ?? "";
}
