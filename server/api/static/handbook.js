// The handbook: what is to be typed can be copied.
const COPIED = 2_000; // milliseconds in which a button says so

for (const code of document.querySelectorAll("pre")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent.trim());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), COPIED);
  });
  const frame = Object.assign(document.createElement("div"), { className: "code" });
  code.replaceWith(frame);
  frame.append(code, button);
}
