// Says one sentence to a screen reader, politely.
export function announce(sentence) {
  const line = document.getElementById("announcer");
  if (!line) return;
  line.textContent = "";
  // The region must be seen empty first, or the same sentence twice is not a change.
  requestAnimationFrame(() => { line.textContent = sentence; });
}
