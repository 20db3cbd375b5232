// What fails because the memory is away says so at the top of the page, until something succeeds again.
import { announce } from "./announcer.js";

const SAID = "The memory is away. What you did was not taken; try again in a few seconds.";
let notice = null;

document.body.addEventListener("htmx:responseError", ({ detail }) => {
  if (detail.xhr.status !== 503 || notice) return;
  notice = document.createElement("p");
  notice.className = "notice failed";
  notice.textContent = SAID;
  document.querySelector("main")?.prepend(notice);
  announce(SAID);
});
document.body.addEventListener("htmx:afterOnLoad", ({ detail }) => {
  if (detail.xhr.status >= 400) return;
  notice?.remove();
  notice = null;
});
