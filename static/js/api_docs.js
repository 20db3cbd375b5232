// The page of the API follows the colour scheme: Swagger UI draws itself dark where the page says so.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);

dark.addEventListener("change", follow);
follow();
