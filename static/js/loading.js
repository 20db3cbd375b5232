// Loads scripts and style sheets one after the other, from addresses with spaces between them.
export async function load(addresses) {
  for (const address of addresses.split(" ")) await loaded(address);
}

function loaded(address) {
  const element = document.createElement(address.includes(".css") ? "link" : "script");
  if (element.tagName === "LINK") Object.assign(element, { rel: "stylesheet", href: address });
  else element.src = address;
  return new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = () => reject(new Error(address));
    document.head.append(element);
  });
}
